// The port behind POST /query over SQLite. A write runs while the journal writes nothing: there is one writer at a time.

import type { DataQueries } from '../../../../trading/books/data-query.ts';
import { createGuardedQueries, type QueryLimits } from '../../sql/query/queries.ts';

export interface DataQueriesOptions {
  readonly path: string;
  /** Runs the work while the journal writes nothing. */
  readonly exclusively: <T>(work: () => Promise<T>) => Promise<T>;
  readonly limits?: Partial<QueryLimits>;
}

export const createDataQueries = ({ path, exclusively, limits = {} }: DataQueriesOptions): DataQueries =>
  createGuardedQueries({
    engine: { thread: new URL('./query-thread.ts', import.meta.url).href, database: path },
    exclusively,
    limits,
  });

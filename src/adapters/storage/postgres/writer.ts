// Opens the writer thread of a schema of PostgreSQL.

import { openThreadWriter, type WriterEnds } from '../sql/trading/thread-writer.ts';
import type { Writer } from '../sql/trading/writer.ts';
import type { Fence } from './fence.ts';

export interface WriterDatabase {
  readonly url: string;
  readonly schema: string;
  readonly migrations: string;
  readonly fence?: Fence | undefined;
  readonly settleMs: number;
}

export const openWriter = (database: WriterDatabase, ends: WriterEnds): Promise<Writer> =>
  openThreadWriter(new URL('./postgres-writer-thread.ts', import.meta.url), database, ends);

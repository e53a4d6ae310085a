// Opens the writer thread of a schema of PostgreSQL.

import { openThreadWriter } from '../sql/trading/thread-writer.ts';
import type { Writer } from '../sql/trading/writer.ts';

export interface WriterDatabase {
  readonly url: string;
  readonly schema: string;
  readonly migrations: string;
}

export const openWriter = (database: WriterDatabase, onDeath: (error: Error) => void): Promise<Writer> =>
  openThreadWriter(new URL('./writer-thread.ts', import.meta.url), database, onDeath);

// Opens the writer thread of a SQLite file.

import { openThreadWriter } from '../sql/trading/thread-writer.ts';
import type { Writer } from '../sql/trading/writer.ts';

export interface WriterDatabase {
  readonly path: string;
  readonly migrations: string;
}

export const openWriter = (path: string, migrations: URL, onDeath: (error: Error) => void): Promise<Writer> =>
  openThreadWriter(
    new URL('./writer-thread.ts', import.meta.url),
    { path, migrations: migrations.href } satisfies WriterDatabase,
    { onDeath },
  );

// The writer thread of a SQLite file.

import { serveWriter } from '../sql/trading/serve-writer.ts';
import { sqliteGroupCommit } from './commit-engine.ts';
import { openMigrated } from './database.ts';
import type { WriterDatabase } from './writer.ts';

serveWriter(async ({ path, migrations }: WriterDatabase) => {
  const db = openMigrated(path, new URL(migrations));
  return { commit: sqliteGroupCommit({ db, path }), close: async () => db.close() };
});

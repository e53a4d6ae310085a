// Makes one kind of change to one table of the trading database fail, while everything else of it is sound.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** As `BEFORE INSERT ON protections`. */
export function forbid(dataDir: string, change: string): void {
  const db = new DatabaseSync(join(dataDir, 'signalbox.db'), { timeout: 5000 });
  db.exec(`CREATE TRIGGER "no ${change}" ${change} BEGIN SELECT RAISE(ABORT, 'not today'); END`);
  db.close();
}

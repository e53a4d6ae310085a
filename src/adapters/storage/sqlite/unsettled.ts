// What an account has not settled: trades without an end and open positions in the journal of a data folder.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AccountName } from '../../../trading/accounts.ts';
import { ZERO } from '../../../trading/decimal.ts';
import { openDatabase, queries } from './database.ts';
import { TRADING } from './database-files.ts';
import { UNFINISHED } from './journal.ts';
import { positionOf } from './journal-rows.ts';

export interface Unsettled {
  readonly trades: number;
  /** The markets in which something is held. */
  readonly markets: readonly string[];
}

/** Beside a running instance as well as without one; a database that is not there is not made. */
export function unsettledOf(dataDir: string, { exchange, mode, account }: AccountName): Unsettled {
  const path = join(dataDir, TRADING.name);
  if (!existsSync(path)) return { trades: 0, markets: [] };
  const db = openDatabase({ path, readOnly: true });
  try {
    const all = queries(db, path);
    const name = [exchange, mode, account] as const;
    const IS_ITS = 'exchange = ? AND mode = ? AND account = ?';
    const [row] = all(`SELECT count(*) AS trades FROM trades WHERE ${IS_ITS} AND seq IN (${UNFINISHED})`, ...name);
    const positions = all(`SELECT * FROM positions WHERE ${IS_ITS}`, ...name).map(positionOf);
    const markets = positions.filter(({ quantity }) => quantity !== ZERO).map(({ market }) => market);
    return { trades: Number(row?.trades), markets: [...new Set(markets)].sort() };
  } finally {
    db.close();
  }
}

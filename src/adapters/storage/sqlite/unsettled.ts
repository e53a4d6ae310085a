// What accounts have not settled: trades without an end and open positions in the journal of a data folder.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AccountName } from '../../../trading/accounts.ts';
import { ZERO } from '../../../trading/decimal.ts';
import { UNFINISHED } from '../sql/trading/journal.ts';
import { positionOf } from '../sql/trading/journal-rows.ts';
import { openDatabase, queries } from './database.ts';
import { TRADING } from './database-files.ts';

export interface Unsettled {
  readonly trades: number;
  /** The markets in which something is held. */
  readonly markets: readonly string[];
}

/** The testnet and live accounts that have anything in the journal, settled or not. */
export function realAccountsOf(dataDir: string): readonly AccountName[] {
  return lookedUp(dataDir, [], (all) =>
    all(`SELECT exchange, mode, account FROM positions WHERE mode <> 'paper'
      UNION SELECT exchange, mode, account FROM trades WHERE mode <> 'paper' AND seq IN (${UNFINISHED})
      ORDER BY exchange, account, mode`).map(
      ({ exchange, mode, account }) => ({ exchange, mode, account }) as AccountName,
    ),
  );
}

/** Beside a running instance as well as without one; a database that is not there is not made. */
export function unsettledOf(dataDir: string, { exchange, mode, account }: AccountName): Unsettled {
  return lookedUp(dataDir, { trades: 0, markets: [] }, (all) => {
    const name = [exchange, mode, account] as const;
    const IS_ITS = 'exchange = ? AND mode = ? AND account = ?';
    const [row] = all(`SELECT count(*) AS trades FROM trades WHERE ${IS_ITS} AND seq IN (${UNFINISHED})`, ...name);
    const positions = all(`SELECT * FROM positions WHERE ${IS_ITS}`, ...name).map(positionOf);
    const markets = positions.filter(({ quantity }) => quantity !== ZERO).map(({ market }) => market);
    return { trades: Number(row?.trades), markets: [...new Set(markets)].sort() };
  });
}

/** `open positions in BTCUSDT and 2 unfinished trades`; empty where everything is settled. */
export function unsettledInWords({ trades, markets }: Unsettled): string {
  const held = markets.length === 0 ? [] : [`open positions in ${markets.join(', ')}`];
  const unfinished = trades === 0 ? [] : [trades === 1 ? 'one unfinished trade' : `${trades} unfinished trades`];
  return [...held, ...unfinished].join(' and ');
}

function lookedUp<T>(dataDir: string, nothing: T, look: (all: ReturnType<typeof queries>) => T): T {
  const path = join(dataDir, TRADING.name);
  if (!existsSync(path)) return nothing;
  const db = openDatabase({ path, readOnly: true });
  try {
    return look(queries(db, path));
  } finally {
    db.close();
  }
}

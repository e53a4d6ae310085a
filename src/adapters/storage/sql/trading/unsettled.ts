// What accounts have not settled: trades without an end and open positions in the journal.

import type { AccountName } from '../../../../trading/accounts.ts';
import { ZERO } from '../../../../trading/decimal.ts';
import type { SqlReads } from '../sql.ts';
import { UNFINISHED } from './journal.ts';
import { positionOf } from './journal-rows.ts';

export interface Unsettled {
  readonly trades: number;
  /** The markets in which something is held. */
  readonly markets: readonly string[];
}

const NOTHING: Unsettled = { trades: 0, markets: [] };
const IS_ITS = 'exchange = ? AND mode = ? AND account = ?';

/** Opens the trading database for a look; undefined where there is none. */
export type LookIntoTrading = <T>(look: (reads: SqlReads) => Promise<T>) => Promise<T | undefined>;

/** Beside a running instance as well as without one. */
export class UnsettledAccounts {
  readonly #lookInto: LookIntoTrading;

  constructor(lookInto: LookIntoTrading) {
    this.#lookInto = lookInto;
  }

  /** The testnet and live accounts that have anything in the journal, settled or not. */
  async real(): Promise<readonly AccountName[]> {
    const rows = await this.#lookInto((reads) =>
      reads.all(`SELECT exchange, mode, account FROM positions WHERE mode <> 'paper'
        UNION SELECT exchange, mode, account FROM trades WHERE mode <> 'paper' AND seq IN (${UNFINISHED})
        ORDER BY exchange, account, mode`),
    );
    return (rows ?? []).map(({ exchange, mode, account }) => ({ exchange, mode, account }) as AccountName);
  }

  async of({ exchange, mode, account }: AccountName): Promise<Unsettled> {
    const name = [exchange, mode, account] as const;
    const unsettled = await this.#lookInto(async (reads): Promise<Unsettled> => {
      const row = await reads.get(
        `SELECT count(*) AS trades FROM trades WHERE ${IS_ITS} AND seq IN (${UNFINISHED})`,
        ...name,
      );
      const positions = (await reads.all(`SELECT * FROM positions WHERE ${IS_ITS}`, ...name)).map(positionOf);
      const markets = positions.filter(({ quantity }) => quantity !== ZERO).map(({ market }) => market);
      return { trades: Number(row?.trades), markets: [...new Set(markets)].sort() };
    });
    return unsettled ?? NOTHING;
  }
}

/** `open positions in BTCUSDT and 2 unfinished trades`; empty where everything is settled. */
export function unsettledInWords({ trades, markets }: Unsettled): string {
  const held = markets.length === 0 ? [] : [`open positions in ${markets.join(', ')}`];
  const unfinished = trades === 0 ? [] : [trades === 1 ? 'one unfinished trade' : `${trades} unfinished trades`];
  return [...held, ...unfinished].join(' and ');
}

// What a journal says in the end, beside what senders were told: the same for every form, over a folder with its databases.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PROTECTION_SOURCES } from '../../../src/trading/signal.ts';
import { checkRefusals } from '../check-refusals.ts';
import { checkOrder, checkSignals, type Finding, finding, isHalfReversed, isUnreachable } from '../nothing-lost.ts';
import type { SentSignal, TimedSignal } from '../senders.ts';
import { checkAnsweredOrder } from './answered-order.ts';
import { checkAsked } from './asked-trades.ts';
import { checkMoney } from './booked-money.ts';
import { checkStops } from './stop-levels.ts';
import { checkTold } from './told-trades.ts';

const STOPS = PROTECTION_SOURCES.map((source) => `'${source}'`).join();
/** What has come to nothing moves nothing; that it may is looked at elsewhere (check-ends.ts). */
const LEFT_OUT = ['expired', 'canceled'];

export interface JournalOptions {
  /** Exchanges whose books are not on paper: what they hold is compared with the venue itself. */
  readonly live: readonly string[];
  /** What every paper account has begun with. */
  readonly balance: string;
}

export function compareJournal(
  dataDir: string,
  sent: readonly TimedSignal[],
  { live, balance }: JournalOptions,
): Finding[] {
  const isReplayed = (trade: Record<string, unknown>): boolean =>
    !live.includes(String(trade.exchange)) &&
    !isUnreachable(trade) &&
    (!LEFT_OUT.includes(String(trade.state)) || isHalfReversed(trade));
  const db = new DatabaseSync(join(dataDir, 'signalbox.db'), { readOnly: true });
  try {
    return [
      ...checkSignals(dataDir, sent, live),
      ...checkRefusals(dataDir, sent),
      ...checkOrder(dataDir, isReplayed),
      ...unasked(dataDir, sent),
      ...checkAsked(db, sent),
      ...checkAnsweredOrder(db, sent),
      ...checkMoney(db, { live, balance }),
      ...checkTold(db),
      ...checkStops(db, sent, live),
    ];
  } finally {
    db.close();
  }
}

/** How many trades there are, and how many of them filled. */
export function countTrades(dataDir: string): { readonly trades: number; readonly filled: number } {
  const rows = rowsIn(
    dataDir,
    "SELECT count(*) AS trades, count(*) FILTER (WHERE state = 'filled') AS filled FROM trades",
  );
  return { trades: Number(rows[0]?.trades), filled: Number(rows[0]?.filled) };
}

/** Trades that nobody has asked for. */
function unasked(dataDir: string, sent: readonly SentSignal[]): Finding[] {
  const keys = new Set(sent.map(({ idempotencyKey }) => idempotencyKey));
  return rowsIn(dataDir, `SELECT request_id, idempotency_key FROM trades WHERE source NOT IN (${STOPS})`)
    .filter(({ idempotency_key }) => !keys.has(String(idempotency_key)))
    .map(({ request_id }) => finding('doubled', `nobody has asked for the trade ${request_id}`));
}

function rowsIn(dataDir: string, sql: string): Record<string, unknown>[] {
  const db = new DatabaseSync(join(dataDir, 'signalbox.db'), { readOnly: true });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
}

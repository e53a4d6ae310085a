// What senders were told, beside what the files say after the last start: everything answered is there, and nothing that was
// refused has traded.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { checkRefusals } from '../check-refusals.ts';
import { compare, compareOrder, isUnreachable } from '../nothing-lost.ts';
import type { SentSignal } from '../senders.ts';
import { FILLED_LATER_MARKETS, REPLAYED_MARKETS, STOP_MARKETS } from './round-signals.ts';

export function compareAnswers(dataDir: string, sent: readonly SentSignal[]): string[] {
  return [
    ...compare(dataDir, sent),
    ...compareOrder(dataDir, isReplayed),
    ...checkRefusals(dataDir, sent).map(({ words }) => words),
    ...acceptedTwice(sent),
    ...stopFaults(dataDir),
    ...forgottenWishes(dataDir),
  ];
}

const isReplayed = (trade: Record<string, unknown>): boolean =>
  REPLAYED_MARKETS.includes(trade.market as string) && !isUnreachable(trade);

function acceptedTwice(sent: readonly SentSignal[]): string[] {
  const accepted = sent.filter(({ answer }) => answer && answer.status < 300);
  const byKey = Map.groupBy(accepted, ({ idempotencyKey }) => idempotencyKey);
  return [...byKey].filter(([, all]) => all.length > 1).map(([key, all]) => `${key} was accepted ${all.length} times`);
}

/** Every entry of these markets asked for both stops: where there is a position, they are there, and nowhere else. */
export function stopFaults(dataDir: string): string[] {
  const held = rowsOf(dataDir, 'signalbox.db', "SELECT market FROM paper_positions WHERE side = 'LONG' ORDER BY 1");
  const stops = 'SELECT market FROM protections WHERE stop_loss IS NOT NULL AND take_profit IS NOT NULL ORDER BY 1';
  const guarded = [...STOP_MARKETS, ...FILLED_LATER_MARKETS] as readonly unknown[];
  const positions = String(held.map(({ market }) => market).filter((market) => guarded.includes(market)));
  const protectedMarkets = String(rowsOf(dataDir, 'signalbox.db', stops).map(({ market }) => market));
  return positions === protectedMarkets ? [] : [`positions in ${positions}, but stops in ${protectedMarkets}`];
}

const forgottenWishes = (dataDir: string): string[] =>
  rowsOf(dataDir, 'signalbox.db', 'SELECT request_id AS id FROM pending_stops').map(
    ({ id }) => `${id} is over, its stop waits`,
  );

function rowsOf(dataDir: string, file: string, sql: string) {
  const db = new DatabaseSync(join(dataDir, file), { readOnly: true });
  const rows = db.prepare(sql).all();
  db.close();
  return rows;
}

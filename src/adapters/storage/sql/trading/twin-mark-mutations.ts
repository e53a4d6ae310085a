// Marks of live trades and their twins as they are written inside the writer's transaction.

import type { MarkedMoment } from '../../../../trading/twin/twin-marks.ts';
import type { Sql } from '../sql.ts';

export type BegunTwinRow = readonly [tradeId: string, exchange: string, account: string, acceptedAtMs: number];

export async function beginTwins(sql: Sql, rows: readonly BegunTwinRow[]): Promise<void> {
  for (const row of rows)
    await sql.run('INSERT INTO twin_marks (trade_id, exchange, account, accepted_at) VALUES (?, ?, ?, ?)', ...row);
}

export interface TwinMarkRecord {
  readonly tradeId: string;
  readonly moment: MarkedMoment;
  readonly bid: string;
  readonly ask: string;
}

export async function markTwin(sql: Sql, { tradeId, moment, bid, ask }: TwinMarkRecord): Promise<void> {
  const set = { accepted: 'accepted_bid = ?2, accepted_ask = ?3', sent: 'sent_bid = ?2, sent_ask = ?3' }[moment];
  await sql.run(`UPDATE twin_marks SET ${set} WHERE trade_id = ?1 AND ${moment}_bid IS NULL`, tradeId, bid, ask);
}

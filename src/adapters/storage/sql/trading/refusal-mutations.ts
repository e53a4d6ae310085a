// Refusals as they are written and forgotten inside the writer's transaction.

import type { Sql } from '../sql.ts';
import { addDeskEvent, type Batch } from './desk-event-mutations.ts';

export interface RefusalRecord {
  readonly id: string;
  readonly receivedAtMs: number;
  readonly door: string;
  readonly keyLabel: string | null;
  readonly address: string | null;
  readonly status: number;
  readonly code: string;
  readonly error: string;
  /** JSON. */
  readonly faults: string;
  readonly body: string;
  readonly keyId: string | null;
  readonly source: string | null;
  /** JSON; null where it could not be read. */
  readonly signalOrder: string | null;
  readonly bodyDigestHex: string | null;
  readonly asked: AskedColumns;
}

/** What it asked for, as it is looked for. */
export interface AskedColumns {
  readonly exchange: string | null;
  readonly account: string;
  /** Of a signal that could not be read, its symbol without what stands between the parts. */
  readonly market: string;
  readonly strategy: string | null;
  readonly action: string | null;
}

export type KeepRefusalsArgs = readonly [
  rows: readonly RefusalRecord[],
  maxOthers: number,
  maxOfKeys: number,
  keptAfterMs: number | null,
];

const INSERT = `INSERT INTO refusals (id, received_at, door, key_label, address, status, code, error, faults, body, key_id,
    source, signal_order, body_digest, exchange, account, market, strategy, action)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`;

export async function keepRefusals(
  sql: Sql,
  [rows, maxOthers, maxOfKeys, keptAfterMs]: KeepRefusalsArgs,
  batch: Batch,
): Promise<void> {
  for (const row of rows) {
    const { asked, bodyDigestHex } = row;
    const changes = await sql.run(
      INSERT,
      ...[row.id, row.receivedAtMs, row.door, row.keyLabel, row.address, row.status, row.code, row.error, row.faults],
      ...[row.body, row.keyId, row.source, row.signalOrder],
      bodyDigestHex === null ? null : Buffer.from(bodyDigestHex, 'hex'),
      ...[asked.exchange, asked.account, asked.market, asked.strategy, asked.action],
    );
    if (changes === 1) tellRefusal(batch, row);
  }
  await sql.run(
    `DELETE FROM refusals WHERE key_label IS NULL AND seq <=
    (SELECT seq FROM refusals WHERE key_label IS NULL ORDER BY seq DESC LIMIT 1 OFFSET ?)`,
    maxOthers,
  );
  if (keptAfterMs === null) return;
  await sql.run('DELETE FROM refusals WHERE key_label IS NOT NULL AND received_at < ?', keptAfterMs);
  await sql.run(
    `DELETE FROM refusals WHERE key_label IS NOT NULL AND received_at <=
    (SELECT received_at FROM refusals WHERE key_label IS NOT NULL ORDER BY received_at DESC LIMIT 1 OFFSET ?)`,
    maxOfKeys,
  );
}

/** Strangers cannot fill what the owner reads: only what came under a known key is told. */
function tellRefusal(
  batch: Batch,
  { id, receivedAtMs: atMs, door, keyLabel, code, error, ...more }: RefusalRecord,
): void {
  if (keyLabel === null) return;
  const order = more.signalOrder === null ? {} : (JSON.parse(more.signalOrder) as { action?: string; symbol?: string });
  const { action, symbol } = order;
  addDeskEvent(batch, { atMs, kind: 'refusal', facts: { id, door, keyLabel, code, error, action, symbol } });
}

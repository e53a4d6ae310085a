// Refusals as they are written and forgotten inside the writer's transaction.

import type { Sql } from './database.ts';
import { addDeskEvent, type Batch } from './desk-event-mutations.ts';

export type RefusalRow = readonly [
  id: string,
  receivedAtMs: number,
  door: string,
  keyLabel: string | null,
  address: string | null,
  status: number,
  code: string,
  error: string,
  faults: string,
  body: string,
  keyId: string | null,
  source: string | null,
  signalOrder: string | null,
  bodyDigestHex: string | null,
];

export type KeepRefusalsArgs = readonly [
  rows: readonly RefusalRow[],
  maxOthers: number,
  maxOfKeys: number,
  keptAfterMs: number | null,
];

export function keepRefusals(
  sql: Sql,
  [rows, maxOthers, maxOfKeys, keptAfterMs]: KeepRefusalsArgs,
  batch: Batch,
): void {
  const insert =
    sql(`INSERT INTO refusals (id, received_at, door, key_label, address, status, code, error, faults, body, key_id, source,
      signal_order, body_digest)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, unhex(?)) ON CONFLICT (id) DO NOTHING`);
  for (const row of rows) {
    const { changes } = insert.run(...row);
    if (changes === 1) tellRefusal(batch, row);
  }
  sql(`DELETE FROM refusals WHERE key_label IS NULL AND seq <=
    (SELECT seq FROM refusals WHERE key_label IS NULL ORDER BY seq DESC LIMIT 1 OFFSET ?)`).run(maxOthers);
  if (keptAfterMs === null) return;
  sql('DELETE FROM refusals WHERE key_label IS NOT NULL AND received_at < ?').run(keptAfterMs);
  sql(`DELETE FROM refusals WHERE key_label IS NOT NULL AND received_at <=
    (SELECT received_at FROM refusals WHERE key_label IS NOT NULL ORDER BY received_at DESC LIMIT 1 OFFSET ?)`).run(
    maxOfKeys,
  );
}

/** Strangers cannot fill what the owner reads: only what came under a known key is told. */
function tellRefusal(batch: Batch, [id, atMs, door, keyLabel, , , code, error, , , , , signalOrder]: RefusalRow): void {
  if (keyLabel === null) return;
  const order = signalOrder === null ? {} : (JSON.parse(signalOrder) as { action?: string; symbol?: string });
  const { action, symbol } = order;
  addDeskEvent(batch, { atMs, kind: 'refusal', facts: { id, door, keyLabel, code, error, action, symbol } });
}

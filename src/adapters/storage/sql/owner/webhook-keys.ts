// Webhook keys in the owner's database, as digests.

import { labelTaken, type Route, type WebhookKey, type WebhookKeyStore } from '../../../../keys/webhook-keys.ts';
import type { Row, SqlValue } from '../sql.ts';
import type { Glance } from './glance.ts';
import type { OwnerSteps } from './owner-steps.ts';

export const createWebhookKeyStore = (
  glance: Pick<Glance, 'rows'>,
  steps: Pick<OwnerSteps, 'changeControls'>,
): WebhookKeyStore => ({
  list: () => glance.rows('webhook_keys').map(keyOf).sort(byAge),
  insert: (key, entry) =>
    steps.changeControls(async ({ sql, audit }) => {
      const active = 'SELECT 1 AS one FROM webhook_keys WHERE label = ? AND revoked_at IS NULL';
      if (key.revokedAtMs === undefined && (await sql.get(active, key.label))) throw labelTaken(key.label);
      await sql.run(
        `INSERT INTO webhook_keys (label, routes, digest, previous_digest, previous_valid_until, created_at, rotated_at,
          revoked_at, key_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ...columnsOf(key),
      );
      if (entry) await audit(entry);
    }),
  update: (key, entry) =>
    steps.changeControls(async ({ sql, audit }) => {
      await sql.run(
        `UPDATE webhook_keys SET label = ?, routes = ?, digest = ?, previous_digest = ?, previous_valid_until = ?,
          created_at = ?, rotated_at = ?, revoked_at = ? WHERE key_id = ?`,
        ...columnsOf(key),
      );
      if (entry) await audit(entry);
    }),
});

const byAge = (a: WebhookKey, b: WebhookKey): number => a.createdAtMs - b.createdAtMs || (a.keyId < b.keyId ? -1 : 1);

const columnsOf = (key: WebhookKey): SqlValue[] => [
  key.label,
  key.routes ? JSON.stringify(key.routes) : null,
  key.digest,
  key.previousDigest ?? null,
  key.previousValidUntilMs ?? null,
  key.createdAtMs,
  key.rotatedAtMs ?? null,
  key.revokedAtMs ?? null,
  key.keyId,
];

function keyOf(row: Row): WebhookKey {
  const maybe = (value: SqlValue | undefined): number | undefined => (value as number | null) ?? undefined;
  return {
    keyId: row.key_id as string,
    label: row.label as string,
    routes: row.routes === null ? undefined : (JSON.parse(row.routes as string) as Route[]),
    digest: row.digest as string,
    previousDigest: (row.previous_digest as string | null) ?? undefined,
    previousValidUntilMs: maybe(row.previous_valid_until),
    createdAtMs: row.created_at as number,
    rotatedAtMs: maybe(row.rotated_at),
    revokedAtMs: maybe(row.revoked_at),
  };
}

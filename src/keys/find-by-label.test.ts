// A key found by its label, for mail: only an active one, and only when no other could be meant.

import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createWebhookKeys, type WebhookKey } from './webhook-keys.ts';

function open(staticKeys: readonly string[] = [], nowMs = () => 0) {
  const stored: WebhookKey[] = [];
  const store = {
    list: () => stored,
    insert: async (key: WebhookKey) => void stored.push(key),
    update: async (key: WebhookKey) =>
      void stored.splice(
        stored.findIndex(({ keyId }) => keyId === key.keyId),
        1,
        key,
      ),
  };
  return createWebhookKeys({ store, staticKeys, nowMs, randomBytes });
}

describe('findByLabel', () => {
  test('finds an active key with its routes, as the key itself would', async () => {
    const keys = open();
    const { apiKey } = await keys.create({ label: 'my desk', routes: [{ account: 'scalp', multiplier: 2 }] });
    expect(keys.findByLabel('my desk')).toEqual(keys.authenticate(apiKey));
    expect(keys.findByLabel('other')).toBeUndefined();
    expect(keys.findByLabel('')).toBeUndefined();
  });

  test('does not find a revoked one', async () => {
    const keys = open();
    await keys.revoke((await keys.create({ label: 'desk' })).key.keyId);
    expect(keys.findByLabel('desk')).toBeUndefined();
    const again = (await keys.create({ label: 'desk' })).key;
    expect(keys.findByLabel('desk')?.keyId).toBe(again.keyId);
  });

  test('finds a rotated one, in its grace time and after it', async () => {
    let now = 0;
    const keys = open([], () => now);
    const { key } = await keys.create({ label: 'desk' });
    await keys.rotate(key.keyId, { graceSeconds: 10 });
    for (now of [0, 9999, 10_000, 1_000_000]) expect(keys.findByLabel('desk')?.keyId).toBe(key.keyId);
  });

  test('finds the keys of the settings', async () => {
    expect(open(['a-static-key', 'another-key']).findByLabel('static-2')).toMatchObject({ label: 'static-2' });
  });

  test('overlooks upper and lower case only where one key alone can be meant', async () => {
    const keys = open();
    const desk = (await keys.create({ label: 'Desk' })).key.keyId;
    expect(keys.findByLabel('dESK')?.keyId).toBe(desk);
    const other = (await keys.create({ label: 'desk' })).key.keyId;
    expect(keys.findByLabel('Desk')?.keyId).toBe(desk);
    expect(keys.findByLabel('desk')?.keyId).toBe(other);
    expect(keys.findByLabel('DESK')).toBeUndefined();
  });
});

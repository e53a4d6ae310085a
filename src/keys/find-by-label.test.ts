// A key found by its label, for mail: only an active one, and only when no other could be meant.

import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createWebhookKeys, type WebhookKey } from './webhook-keys.ts';

function open(staticKeys: readonly string[] = [], nowMs = () => 0) {
  const stored: WebhookKey[] = [];
  const store = { list: () => stored, insert: (key: WebhookKey) => void stored.push(key), update: () => {} };
  return createWebhookKeys({ store, staticKeys, nowMs, randomBytes });
}

describe('findByLabel', () => {
  test('finds an active key with its routes, as the key itself would', () => {
    const keys = open();
    const { apiKey } = keys.create({ label: 'my desk', routes: [{ account: 'scalp', multiplier: 2 }] });
    expect(keys.findByLabel('my desk')).toEqual(keys.authenticate(apiKey));
    expect(keys.findByLabel('other')).toBeUndefined();
    expect(keys.findByLabel('')).toBeUndefined();
  });

  test('does not find a revoked one', () => {
    const keys = open();
    keys.revoke(keys.create({ label: 'desk' }).key.keyId);
    expect(keys.findByLabel('desk')).toBeUndefined();
    const again = keys.create({ label: 'desk' }).key;
    expect(keys.findByLabel('desk')?.keyId).toBe(again.keyId);
  });

  test('finds a rotated one, in its grace time and after it', () => {
    let now = 0;
    const keys = open([], () => now);
    const { key } = keys.create({ label: 'desk' });
    keys.rotate(key.keyId, { graceSeconds: 10 });
    for (now of [0, 9999, 10_000, 1_000_000]) expect(keys.findByLabel('desk')?.keyId).toBe(key.keyId);
  });

  test('finds the keys of the settings', () => {
    expect(open(['a-static-key', 'another-key']).findByLabel('static-2')).toMatchObject({ label: 'static-2' });
  });

  test('overlooks upper and lower case only where one key alone can be meant', () => {
    const keys = open();
    const desk = keys.create({ label: 'Desk' }).key.keyId;
    expect(keys.findByLabel('dESK')?.keyId).toBe(desk);
    const other = keys.create({ label: 'desk' }).key.keyId;
    expect(keys.findByLabel('Desk')?.keyId).toBe(desk);
    expect(keys.findByLabel('desk')?.keyId).toBe(other);
    expect(keys.findByLabel('DESK')).toBeUndefined();
  });
});

// What every webhook key store must do: keep each key exactly, once, and take its changes.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StorageError } from '../../src/errors/storage-error.ts';
import type { WebhookKey, WebhookKeyStore } from '../../src/keys/webhook-keys.ts';
import { START_MS } from './sample-trades.ts';

export interface OpenWebhookKeyStore {
  readonly webhookKeys: WebhookKeyStore;
  reopen(): Promise<WebhookKeyStore>;
  close(): Promise<void>;
}

const plain = (number: number): WebhookKey => ({
  keyId: `key-${number}`,
  label: `label ${number}`,
  createdAtMs: START_MS + number,
  digest: number.toString(16).padStart(64, '0'),
});

const full = (number: number): WebhookKey => ({
  ...plain(number),
  rotatedAtMs: START_MS + 10,
  revokedAtMs: START_MS + 20,
  previousDigest: 'f'.repeat(64),
  previousValidUntilMs: START_MS + 30,
});

export function describeWebhookKeyStore(name: string, open: () => Promise<OpenWebhookKeyStore>): void {
  describe(name, () => {
    let opened: OpenWebhookKeyStore;
    let store: WebhookKeyStore;
    beforeEach(async () => {
      opened = await open();
      store = opened.webhookKeys;
    });
    afterEach(() => opened.close());

    test('is empty at first', async () => {
      expect(store.list()).toEqual([]);
    });

    test('keeps bare and full keys exactly, oldest first, over a restart', async () => {
      await store.insert(full(2));
      await store.insert(plain(1));
      expect(store.list()).toEqual([plain(1), full(2)]);
      expect((await opened.reopen()).list()).toEqual([plain(1), full(2)]);
    });

    test('an update replaces every field of that key and of no other', async () => {
      await store.insert(plain(1));
      await store.insert(plain(2));
      await store.update(full(1));
      expect(store.list()).toEqual([full(1), plain(2)]);
      await store.update(plain(1));
      expect(store.list()).toEqual([plain(1), plain(2)]);
    });

    test.each([
      ['key id', { keyId: plain(1).keyId }],
      ['digest', { digest: plain(1).digest }],
    ])('a second key with the same %s is refused, and the first stays', async (_, same) => {
      await store.insert(plain(1));
      await expect(store.insert({ ...plain(2), ...same })).rejects.toThrow(StorageError);
      expect(store.list()).toEqual([plain(1)]);
    });

    test('a label of an active key is refused as taken, also at the same moment; one of a revoked key is free', async () => {
      const wanted = [1, 2, 3].map((number) => ({ ...plain(number), label: 'same' }));
      const outcomes = await Promise.allSettled(wanted.map((key) => store.insert(key)));
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const outcome of outcomes)
        if (outcome.status === 'rejected')
          expect(outcome.reason).toMatchObject({ name: 'KeyError', code: 'LABEL_TAKEN' });
      const [first] = store.list() as [WebhookKey];
      await store.update({ ...first, revokedAtMs: START_MS });
      await store.insert({ ...plain(4), label: 'same' });
      await store.insert({ ...full(5), label: 'same' });
      expect(store.list().map(({ keyId }) => keyId)).toEqual([first.keyId, 'key-4', 'key-5']);
    });

    test('a change whose audit entry cannot be written does not happen', async () => {
      const broken = { atMs: Number.NaN, actor: 'api', setting: 'webhookKey', before: null, after: null };
      await store.insert(plain(1));
      await expect(store.insert(plain(2), broken)).rejects.toThrow(StorageError);
      await expect(store.update(full(1), broken)).rejects.toThrow(StorageError);
      expect(store.list()).toEqual([plain(1)]);
    });
  });
}

// Webhook keys through their front door: issuing, rotation with grace, revocation and what is stored.

import { createHash, randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createWebhookKeys,
  KeyError,
  MAX_ACTIVE_KEYS,
  MAX_GRACE_SECONDS,
  type WebhookKey,
  type WebhookKeyStore,
} from './webhook-keys.ts';

function memoryStore(): WebhookKeyStore & { readonly rows: Map<string, WebhookKey> } {
  const rows = new Map<string, WebhookKey>();
  return {
    rows,
    list: () => [...rows.values()],
    insert: async (key) => void rows.set(key.keyId, key),
    update: async (key) => void rows.set(key.keyId, key),
  };
}

function setUp(staticKeys: readonly string[] = [], store = memoryStore()) {
  const clock = { nowMs: 1_000_000 };
  const open = () => createWebhookKeys({ store, staticKeys, nowMs: () => clock.nowMs, randomBytes });
  return { keys: open(), reopen: open, clock, store };
}

async function codeOf(action: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await action();
  } catch (error) {
    if (error instanceof KeyError) return error.code;
    throw error;
  }
  return undefined;
}

describe('a new key', () => {
  it('is whk_ and 43 url-safe characters made of the bytes handed in', async () => {
    const store = memoryStore();
    const zeros = (size: number) => new Uint8Array(size);
    const keys = createWebhookKeys({ store, staticKeys: [], nowMs: () => 5, randomBytes: zeros });
    const { apiKey, key } = await keys.create({ label: 'a' });
    expect(apiKey).toBe(`whk_${'A'.repeat(43)}`);
    expect(key).toEqual({ keyId: expect.stringMatching(/^[0-9a-f]{12}$/), label: 'a', createdAtMs: 5, static: false });
  });

  it('opens the door, also after a restart, and is stored as a digest only', async () => {
    const { keys, reopen, store } = setUp();
    const { apiKey, key } = await keys.create({ label: 'chart' });
    for (const opened of [keys, reopen()])
      expect(opened.authenticate(apiKey)).toEqual({ keyId: key.keyId, label: 'chart' });
    const rows = JSON.stringify([...store.rows.values()]);
    expect(rows).not.toContain(apiKey.slice(4));
    expect(rows).toContain(createHash('sha256').update(apiKey).digest('hex'));
    expect(JSON.stringify(keys.list())).not.toContain(store.rows.get(key.keyId)?.digest);
  });

  it('is not known until the store has taken it', async () => {
    const store = {
      ...memoryStore(),
      insert: async () => {
        throw new Error('disk full');
      },
    };
    const { keys } = setUp([], store);
    await expect(keys.create({ label: 'a' })).rejects.toThrow('disk full');
    expect(keys.list()).toEqual([]);
  });

  it('is not known while the store is still writing, and of two of one label that come at the same moment one is refused', async () => {
    const kept = memoryStore();
    const written = Promise.withResolvers<void>();
    const insert = async (key: WebhookKey): Promise<void> => {
      await written.promise;
      await kept.insert(key);
    };
    const { keys } = setUp([], { ...kept, insert });
    const both = [keys.create({ label: 'a' }), keys.create({ label: 'a' })] as const;
    const refused = expect(both[1]).rejects.toThrow('labelled "a" already');
    await setImmediate();
    expect(keys.list()).toEqual([]);
    written.resolve();
    const { apiKey } = await both[0];
    await refused;
    expect(keys.authenticate(apiKey)?.label).toBe('a');
    expect(keys.list()).toHaveLength(1);
  });

  it('has a label of 1 to 64 characters that no other active key has', async () => {
    const { keys } = setUp();
    for (const good of ['a', 'Aa0 ._-z', 'x'.repeat(64)]) await keys.create({ label: good });
    for (const bad of ['', ' ', ' a', 'a ', 'x'.repeat(65), 'ä', 'a\n', 'a/b', 'static-1', 'STATIC-22'])
      expect(await codeOf(() => keys.create({ label: bad }))).toBe('INVALID_LABEL');
    expect(await codeOf(() => keys.create({ label: 'a' }))).toBe('LABEL_TAKEN');
  });

  it('may take the label of a revoked key', async () => {
    const { keys } = setUp();
    await keys.revoke((await keys.create({ label: 'a' })).key.keyId);
    expect(await codeOf(() => keys.create({ label: 'a' }))).toBeUndefined();
  });

  it('is refused when a thousand are active, until one is revoked', async () => {
    const store = memoryStore();
    for (let i = 0; i < MAX_ACTIVE_KEYS - 1; i += 1)
      await store.insert({ keyId: `id${i}`, label: `k${i}`, createdAtMs: 0, digest: String(i).padStart(64, '0') });
    const { keys } = setUp([], store);
    const last = await keys.create({ label: 'last' });
    expect(await codeOf(() => keys.create({ label: 'more' }))).toBe('TOO_MANY_KEYS');
    await keys.revoke(last.key.keyId);
    expect(await codeOf(() => keys.create({ label: 'more' }))).toBeUndefined();
  });
});

describe('authenticate', () => {
  it('knows nothing but whole keys', async () => {
    const { keys } = setUp(['a-static-key']);
    const { apiKey } = await keys.create({ label: 'a' });
    for (const wrong of [
      '',
      ' ',
      apiKey.slice(0, -1),
      `${apiKey}x`,
      apiKey.toUpperCase(),
      ` ${apiKey}`,
      'A-static-key',
    ])
      expect(keys.authenticate(wrong)).toBeUndefined();
  });

  it('refuses any random text', async () => {
    const { keys } = setUp(['a-static-key']);
    fc.assert(fc.property(fc.string({ maxLength: 300 }), (text) => keys.authenticate(text) === undefined));
  });

  it('does not hash texts beyond 256 characters', async () => {
    const { keys } = setUp(['x'.repeat(256), 'y'.repeat(257)]);
    expect(keys.authenticate('x'.repeat(256))).toBeDefined();
    expect(keys.authenticate('y'.repeat(257))).toBeUndefined();
  });
});

describe('rotation', () => {
  const ROUTES = [{ account: 'scalp', multiplier: 0.5 }];

  it('ends the old key at once by default and keeps id, label, routes and birth', async () => {
    const { keys, clock } = setUp();
    const first = await keys.create({ label: 'a', routes: ROUTES });
    clock.nowMs += 5;
    const second = await keys.rotate(first.key.keyId);
    expect(keys.authenticate(first.apiKey)).toBeUndefined();
    expect(keys.authenticate(second.apiKey)).toEqual({ keyId: first.key.keyId, label: 'a', routes: ROUTES });
    expect(second.key).toMatchObject({ createdAtMs: first.key.createdAtMs, rotatedAtMs: clock.nowMs });
  });

  it('lets the old key live for exactly the grace time, also across a restart', async () => {
    const { keys, reopen, clock } = setUp();
    const first = await keys.create({ label: 'a' });
    await keys.rotate(first.key.keyId, { graceSeconds: 60 });
    clock.nowMs += 59_999;
    expect(keys.authenticate(first.apiKey)).toBeDefined();
    expect(reopen().authenticate(first.apiKey)).toBeDefined();
    clock.nowMs += 1;
    expect(keys.authenticate(first.apiKey)).toBeUndefined();
    expect(reopen().authenticate(first.apiKey)).toBeUndefined();
  });

  it('takes 0 to one week of whole seconds', async () => {
    const { keys } = setUp();
    const { keyId } = (await keys.create({ label: 'a' })).key;
    for (const good of [0, 1, MAX_GRACE_SECONDS])
      expect(await codeOf(() => keys.rotate(keyId, { graceSeconds: good }))).toBeUndefined();
    for (const bad of [-1, 0.5, MAX_GRACE_SECONDS + 1, Number.NaN, Number.POSITIVE_INFINITY])
      expect(await codeOf(() => keys.rotate(keyId, { graceSeconds: bad }))).toBe('INVALID_GRACE');
  });

  it('needs a key that exists and is not revoked', async () => {
    const { keys } = setUp();
    const { keyId } = (await keys.create({ label: 'a' })).key;
    await keys.revoke(keyId);
    expect(await codeOf(() => keys.rotate(keyId))).toBe('KEY_REVOKED');
    expect(await codeOf(() => keys.rotate('000000000000'))).toBe('KEY_NOT_FOUND');
  });
});

describe('revocation', () => {
  it('ends the key and its previous form at once, for good, and twice is calm', async () => {
    const { keys, reopen, clock } = setUp();
    const first = await keys.create({ label: 'a' });
    const second = await keys.rotate(first.key.keyId, { graceSeconds: 100 });
    const revoked = await keys.revoke(first.key.keyId);
    clock.nowMs += 9;
    expect(await keys.revoke(first.key.keyId)).toEqual(revoked);
    for (const opened of [keys, reopen()])
      for (const { apiKey } of [first, second]) expect(opened.authenticate(apiKey)).toBeUndefined();
    expect(await codeOf(() => keys.revoke('nobody'))).toBe('KEY_NOT_FOUND');
  });
});

describe('static keys', () => {
  it('are labelled by their place and named by their digest', async () => {
    const { keys } = setUp(['first-key', 'second-key']);
    const keyId = createHash('sha256').update('second-key').digest('hex').slice(0, 12);
    expect(keys.authenticate('second-key')).toEqual({ keyId, label: 'static-2' });
    expect(keys.list().map(({ label, static: isStatic }) => [label, isStatic])).toEqual([
      ['static-1', true],
      ['static-2', true],
    ]);
  });

  it('can be changed only in the settings', async () => {
    const { keys } = setUp(['first-key']);
    const keyId = keys.list()[0]?.keyId ?? '';
    expect(await codeOf(() => keys.rotate(keyId))).toBe('STATIC_KEY');
    expect(await codeOf(() => keys.revoke(keyId))).toBe('STATIC_KEY');
  });

  it('do not revive a key that was revoked or rotated out', async () => {
    const store = memoryStore();
    const { keys } = setUp([], store);
    const revoked = await keys.create({ label: 'a' });
    const rotated = await keys.create({ label: 'b' });
    await keys.revoke(revoked.key.keyId);
    await keys.rotate(rotated.key.keyId);
    const later = setUp([revoked.apiKey, rotated.apiKey], store).keys;
    expect(later.authenticate(revoked.apiKey)).toBeUndefined();
    expect(later.authenticate(rotated.apiKey)).toBeUndefined();
    expect(later.list().filter((key) => key.static)).toEqual([]);
  });
});

it('after any sequence of steps exactly the keys that should open the door do, and a restart changes nothing', async () => {
  const step = fc.record({
    kind: fc.constantFrom('create', 'rotate', 'revoke', 'wait'),
    which: fc.nat(4),
    seconds: fc.nat(100),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const { keys, reopen, clock } = setUp();
      const model: { keyId: string; valid: Map<string, number>; revoked: boolean; current: string }[] = [];
      for (const [i, { kind, which, seconds }] of steps.entries()) {
        const known = model[which];
        if (kind === 'wait') clock.nowMs += seconds * 1000;
        else if (kind === 'create') {
          const { key, apiKey } = await keys.create({ label: `k${i}` });
          model.push({
            keyId: key.keyId,
            valid: new Map([[apiKey, Number.POSITIVE_INFINITY]]),
            revoked: false,
            current: apiKey,
          });
        } else if (known !== undefined && kind === 'revoke') {
          await keys.revoke(known.keyId);
          known.revoked = true;
        } else if (known !== undefined && !known.revoked) {
          const { apiKey } = await keys.rotate(known.keyId, { graceSeconds: seconds });
          for (const raw of known.valid.keys()) known.valid.set(raw, 0);
          known.valid.set(known.current, clock.nowMs + seconds * 1000).set(apiKey, Number.POSITIVE_INFINITY);
          known.current = apiKey;
        }
      }
      for (const opened of [keys, reopen()])
        for (const { keyId, valid, revoked } of model)
          for (const [raw, untilMs] of valid)
            expect(opened.authenticate(raw)?.keyId).toBe(!revoked && clock.nowMs < untilMs ? keyId : undefined);
    }),
  );
});

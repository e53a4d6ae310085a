// Keys of the script worker: how they are made and kept, and the whole table of bindings, settings and keys.

import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openMemoryKeyValues } from '../adapters/storage/memory/key-values.ts';
import {
  createScriptKeys,
  type KeyBindings,
  passRunGate,
  requireApiKey,
  runNeedsKey,
  SCRIPT_KEY_TTL_MS,
  userIdOf,
  validateScriptKey,
} from './script-keys.ts';
import { TIERS } from './tiers.ts';

function setUp() {
  const clock = { nowMs: 1_790_000_000_123 };
  const nowMs = () => clock.nowMs;
  const store = openMemoryKeyValues({ nowMs });
  return { clock, store, keys: createScriptKeys({ store, nowMs, randomBytes }) };
}

const KNOWN = `pn_${'0a'.repeat(24)}`;
const UNKNOWN = `pn_${'0b'.repeat(24)}`;
const lookup: KeyBindings['lookup'] = async (key) =>
  key === KNOWN ? { key, tier: 'team', createdAt: 7, userId: userIdOf(key) } : undefined;

describe('a new key', () => {
  test('is pn_ and 48 lowercase hex digits of the bytes handed in, kept under key:{key} for one year', async () => {
    const puts: unknown[] = [];
    const { store } = setUp();
    const spied = { ...store, put: async (...args: unknown[]) => void puts.push(args) };
    const bytes = (size: number) => new Uint8Array(size).fill(0xab);
    const record = await createScriptKeys({ store: spied, nowMs: () => 5, randomBytes: bytes }).create('pro');
    const key = `pn_${'ab'.repeat(24)}`;
    expect(record).toEqual({ key, tier: 'pro', createdAt: 5, userId: userIdOf(key) });
    expect(puts).toEqual([
      [`key:${key}`, JSON.stringify({ key, tier: 'pro', createdAt: 5 }), 365 * 86_400_000],
      [`tier:${userIdOf(key)}`, 'pro', 2 * 365 * 86_400_000],
      [`owner:${userIdOf(key)}`, key, 365 * 86_400_000],
    ]);
  });

  test.each(TIERS)('of tier %s is found as it was made, for exactly one year', async (tier) => {
    const { keys, clock } = setUp();
    const record = await keys.create(tier);
    clock.nowMs += SCRIPT_KEY_TTL_MS - 1;
    expect(await keys.lookup(record.key)).toEqual(record);
    clock.nowMs += 1;
    expect(await keys.lookup(record.key)).toBeUndefined();
  });

  test('can be ended at once, and twice is calm', async () => {
    const { keys } = setUp();
    const { key } = await keys.create('pro');
    for (const each of [key, key, 'anything']) await keys.revoke(each);
    expect(await keys.lookup(key)).toBeUndefined();
  });

  test('names its user by 32 hex digits of its hash', () => {
    expect(userIdOf(KNOWN)).toBe(createHash('sha256').update(KNOWN).digest('hex').slice(0, 32));
  });
});

describe('a record that cannot be trusted opens nothing', () => {
  test.each([
    ['', 'not JSON'],
    ['null', 'nothing'],
    ['[]', 'a list'],
    ['"pro"', 'a text'],
    [JSON.stringify({ key: KNOWN, tier: 'gold', createdAt: 1 }), 'an unknown tier'],
    [JSON.stringify({ key: KNOWN, createdAt: 1 }), 'no tier'],
    [JSON.stringify({ key: UNKNOWN, tier: 'pro', createdAt: 1 }), 'another key'],
    [JSON.stringify({ tier: 'pro', createdAt: 1 }), 'no key'],
    [JSON.stringify({ key: KNOWN, tier: 'pro', createdAt: '1' }), 'a birth in words'],
  ])('%s (%s)', async (text) => {
    const { keys, store } = setUp();
    await store.put(`key:${KNOWN}`, text, 1000);
    expect(await keys.lookup(KNOWN)).toBeUndefined();
  });

  test('nor does a name that is no key, however it is written', async () => {
    const { keys } = setUp();
    const { key } = await keys.create('pro');
    for (const wrong of ['', key.toUpperCase(), key.slice(0, -1), `${key}0`, ` ${key}`, `${key}\n`, `key:${key}`])
      expect(await keys.lookup(wrong)).toBeUndefined();
    await fc.assert(fc.asyncProperty(fc.string(), async (text) => (await keys.lookup(`pn_${text}`)) === undefined));
  });
});

/** Durable database, API_KEYS, ALLOW_OPEN_KEYS, then what becomes of: no key, a malformed, an unknown, a known one. */
const TABLE = [
  ['bound', 'bound', 'on', 'NO_KEY', 'INVALID_KEY', 'INVALID_KEY', 'team'],
  ['bound', 'bound', 'off', 'NO_KEY', 'INVALID_KEY', 'INVALID_KEY', 'team'],
  ['bound', 'none', 'on', 'NO_KEY', 'hobby', 'hobby', 'hobby'],
  ['bound', 'none', 'off', 'NO_KEY', 'API_KEYS_REQUIRED', 'API_KEYS_REQUIRED', 'API_KEYS_REQUIRED'],
  ['none', 'bound', 'on', 'NO_KEY', 'INVALID_KEY', 'INVALID_KEY', 'team'],
  ['none', 'bound', 'off', 'NO_KEY', 'INVALID_KEY', 'INVALID_KEY', 'team'],
  ['none', 'none', 'on', 'NO_KEY', 'hobby', 'hobby', 'hobby'],
  ['none', 'none', 'off', 'NO_KEY', 'INVALID_KEY', 'hobby', 'hobby'],
] as const;
const STATUS: Readonly<Record<string, number>> = { NO_KEY: 401, INVALID_KEY: 401, API_KEYS_REQUIRED: 503 };
const ABSENT = [undefined, '', ' ', '\t '];
const MALFORMED = [
  'x',
  'pn_',
  KNOWN.slice(0, -1),
  `${KNOWN}0`,
  KNOWN.toUpperCase(),
  `pn_${'g'.repeat(48)}`,
  'pyn_abc',
  '密',
];
const PRESENTED = [ABSENT, MALFORMED, [UNKNOWN], [KNOWN, ` ${KNOWN} `]];

const bindingsOf = ([database, apiKeys, open]: readonly [string, string, string, ...string[]]): KeyBindings => ({
  durableDatabase: database === 'bound',
  lookup: apiKeys === 'bound' ? lookup : undefined,
  allowOpenKeys: open === 'on',
});

const verdictOn = (key: string, expected: string) =>
  expected in STATUS
    ? { ok: false, status: STATUS[expected], code: expected, message: expect.stringMatching(/\.$/) }
    : { ok: true, auth: { key: key.trim(), userId: userIdOf(key.trim()), tier: expected } };

test('the table is whole: every combination once', () => {
  expect(new Set(TABLE.map((row) => row.slice(0, 3).join())).size).toBe(8);
});

describe.each(TABLE)('database %s, API_KEYS %s, ALLOW_OPEN_KEYS %s', (...row) => {
  const bindings = bindingsOf(row);
  const expectations = row.slice(3);

  test('a route that needs a key answers each kind of key as the table says', async () => {
    for (const [at, presented] of PRESENTED.entries())
      for (const key of presented)
        expect(await requireApiKey(bindings, key)).toEqual(verdictOn(key ?? '', expectations[at] as string));
  });

  test.each([true, false])('a run, REQUIRE_RUN_AUTH %s', async (required) => {
    const needed = required || bindings.lookup !== undefined;
    expect(runNeedsKey(bindings, required)).toBe(needed);
    for (const key of PRESENTED.flat()) {
      const verdict = await passRunGate(bindings, required, key);
      if (needed) expect(verdict).toEqual(await requireApiKey(bindings, key));
      else if (key === undefined || key.trim() === '') expect(verdict).toEqual({ ok: true, auth: undefined });
      else expect(verdict).toEqual(verdictOn(key, 'hobby'));
    }
  });
});

test('a malformed key is not looked up, and a store that fails lets nobody in', async () => {
  const failing: KeyBindings = {
    durableDatabase: true,
    allowOpenKeys: true,
    lookup: async () => {
      throw new Error('store gone');
    },
  };
  expect(await requireApiKey(failing, 'x')).toMatchObject({ code: 'INVALID_KEY' });
  await expect(requireApiKey(failing, KNOWN)).rejects.toThrow('store gone');
  await expect(passRunGate(failing, false, KNOWN)).rejects.toThrow('store gone');
});

describe('validate', () => {
  test('with a store tells tier and birth of a known key, and nothing of another', async () => {
    expect(await validateScriptKey(lookup, KNOWN)).toMatchObject({ tier: 'team', createdAt: 7 });
    for (const key of [UNKNOWN, ...MALFORMED]) expect(await validateScriptKey(lookup, key)).toBeUndefined();
  });

  test('without one takes a well-formed key for hobby, born unknown', async () => {
    for (const key of [KNOWN, UNKNOWN]) expect(await validateScriptKey(undefined, key)).toEqual({ tier: 'hobby' });
    for (const key of MALFORMED) expect(await validateScriptKey(undefined, key)).toBeUndefined();
  });
});

// `signalbox keys` with --analysis and --scripts: which store it opens, what it does there, and what it tells of it.

import { describe, expect, it } from 'vitest';
import { createAnalysisKeys } from '../../keys/analysis-keys.ts';
import type { KeyValueStore } from '../../keys/key-value-store.ts';
import { createScriptKeys, userIdOf } from '../../keys/script-keys.ts';
import { openMemoryAnalysisKeys } from '../../keys/testing/memory-analysis-keys.ts';
import { usagePeriod } from '../../keys/usage.ts';
import type { KeyHost, KeyStoreOptions } from '../host.ts';
import { run } from '../testing/fake-host.ts';

const NOW_MS = Date.UTC(2026, 2, 1, 14, 5, 9);
const NOW = '2026-03-01 14:05:09 UTC';
const RAW = /pyn_[A-Za-z0-9_-]{43}/;
/** It has scripts, and its key is gone. */
const LIBRARY = 'a'.repeat(32);
const SCRIPT = /pn_[0-9a-f]{48}/;

/** Stores in memory behind the command line, and what was asked of it. */
function fakeStores(bound = true, running = true) {
  const opened: string[] = [];
  const values = new Map<string, string>();
  let seed = 0;
  const randomBytes = (size: number) => {
    seed += 1;
    return new Uint8Array(size).fill(seed);
  };
  const nowMs = () => NOW_MS;
  const analysisStore = openMemoryAnalysisKeys();
  const store: KeyValueStore = {
    get: async (name) => values.get(name),
    put: async (name, value) => void values.set(name, value),
    delete: async (name) => void values.delete(name),
    names: async () => [...values.keys()],
    probe: async () => undefined,
    close: async () => undefined,
  };
  const note = (what: string) => (options: KeyStoreOptions) => void opened.push(`${what} ${JSON.stringify(options)}`);
  const close = async () => void opened.push('closed');
  const analysis = createAnalysisKeys({ store: analysisStore, nowMs, randomBytes, usageReset: 'monthly' });
  const scripts = createScriptKeys({ store, nowMs, randomBytes, hasLibrary: async (userId) => userId === LIBRARY });
  const keyStores: KeyHost = {
    async openAnalysisKeys(options) {
      note('analysis')(options);
      return { keys: analysis, period: usagePeriod(NOW_MS, 'monthly'), where: 'keys in a test', running, close };
    },
    async openScriptKeys(options) {
      note('scripts')(options);
      return bound ? { keys: scripts, where: 'keys in a test', running, close } : undefined;
    },
  };
  const command = (...argv: string[]) => run(['keys', ...argv], { keyStores });
  return { command, opened, values, analysisStore, analysis, scripts };
}

describe('analysis keys', () => {
  it('are created with the tier, shown once, and only their hash is kept', async () => {
    const { command, opened, analysisStore, analysis } = fakeStores();
    const { code, out, err, connects } = await command('create', '--analysis', '--tier', 'pro');
    const [raw = ''] = RAW.exec(out) ?? [];
    const [key] = [...analysisStore.keys.values()];
    expect(code).toBe(0);
    expect(out).toBe(
      `Created analysis key ${key?.keyId} (pro).\n\n  ${raw}\n\nIt is shown only now. Send it as "Authorization: Bearer <key>".`,
    );
    expect(err).toBe('(keys in a test)');
    expect(await analysis.validate(raw)).toMatchObject({ tier: 'pro' });
    expect(JSON.stringify([...analysisStore.keys])).not.toContain(raw);
    expect([opened, connects]).toEqual([['analysis {}', 'closed'], []]);
  });

  it('are hobby when no tier is named', async () => {
    expect((await fakeStores().command('create', '--analysis')).out).toContain('(hobby)');
  });

  it('are listed with their calls of this month, their birth and their last use', async () => {
    const { command, analysis, analysisStore } = fakeStores();
    for (const tier of ['hobby', 'free', 'enterprise'] as const) await analysis.mint(tier);
    const [hobby, free, enterprise] = [...analysisStore.keys.values()].map(({ keyId }) => keyId);
    const [first] = [...analysisStore.keys.values()];
    if (first) analysisStore.keys.set(first.keyHash, { ...first, callsUsed: 12, lastUsedS: NOW_MS / 1000 });
    for (const words of [['list', '--analysis'], ['--analysis']]) {
      const { out, code } = await command(...words);
      expect(code).toBe(0);
      expect(out.split('\n')).toEqual([
        'key id        tier            calls used  created                  last used',
        `${hobby}  hobby           12 of 5000  ${NOW}  ${NOW}`,
        `${free}  free        0 of unlimited  ${NOW}  -`,
        `${enterprise}  enterprise  0 of unlimited  ${NOW}  -`,
      ]);
    }
  });

  it('used last month have used none of this one', async () => {
    const { command, analysis, analysisStore } = fakeStores();
    const { key } = await analysis.mint('hobby');
    analysisStore.keys.set(key.keyHash, { ...key, callsUsed: 4999, lastUsedS: Date.UTC(2026, 1, 28) / 1000 });
    expect((await command('list', '--analysis')).out).toContain('0 of 5000');
  });

  it('are none at first, and that is said with the remedy', async () => {
    expect((await fakeStores().command('list', '--analysis')).out).toMatch(/no analysis keys.*keys create --analysis/);
  });

  it.each([
    ['by the id', (keyId: string, _raw: string) => [keyId, '--analysis']],
    ['by the whole key', (_keyId: string, raw: string) => [raw]],
    ['by the whole key and the flag', (_keyId: string, raw: string) => [raw, '--analysis']],
  ])('are revoked %s, which never shows the whole key', async (_, words) => {
    const { command, analysis, opened } = fakeStores();
    const { key, apiKey } = await analysis.mint('team');
    const other = await analysis.mint('team');
    const { code, out, err, calls } = await command('revoke', ...words(key.keyId, apiKey));
    expect(out).toBe(`Revoked analysis key ${key.keyId} (team). Calls with it are refused from now on.`);
    expect([code, calls, `${out}${err}`.includes(apiKey)]).toEqual([0, [], false]);
    expect(await analysis.list(10)).toEqual([other.key]);
    expect(opened.at(-1)).toBe('closed');
  });

  it.each([['0123456789ab', '--analysis'], [`pyn_${'x'.repeat(43)}`]])(
    '%s that is not there is told with exit code 1',
    async (...words) => {
      const { code, out, err } = await fakeStores().command('revoke', ...words);
      expect([code, out]).toEqual([1, '']);
      expect(err).toMatch(/^There is no such analysis key; see "signalbox keys list --analysis"/);
    },
  );

  it('are told to programs in the names of the API', async () => {
    const { command } = fakeStores();
    const json = async (...argv: string[]) => {
      const { out, err, code } = await command(...argv, '--json');
      expect(err).toBe('');
      return { exit: code, ...JSON.parse(out) };
    };
    const made = await json('create', '--analysis');
    expect(made).toMatchObject({ exit: 0, status: 'success', tier: 'hobby', api_key: expect.stringMatching(RAW) });
    expect(await json('list', '--analysis')).toEqual({
      exit: 0,
      status: 'success',
      keys: [
        {
          key_id: made.key_id,
          tier: 'hobby',
          calls_used: 0,
          calls_limit: 5000,
          calls_remaining: 5000,
          created_at: NOW_MS / 1000,
          last_used: null,
          reset_at: Date.UTC(2026, 3, 1) / 1000,
        },
      ],
    });
    expect(await json('revoke', made.api_key)).toEqual({
      exit: 0,
      status: 'success',
      key_id: made.key_id,
      tier: 'hobby',
    });
    expect(await json('revoke', made.api_key)).toMatchObject({ exit: 1, status: 'error', code: 'INVALID_KEY' });
  });
});

describe('script keys', () => {
  it('are created, shown once, and live for a year', async () => {
    const { command, scripts, opened } = fakeStores();
    const { out, code } = await command('create', '--scripts', '--tier=team', '--data-dir', 'elsewhere');
    const [key = ''] = SCRIPT.exec(out) ?? [];
    expect(code).toBe(0);
    expect(out).toMatch(
      /^Created script key pn_[0-9a-f]{6}… \(team\)\.\n\n {2}pn_\w+\n\n.*shown only now.*one year\.\nNote the user id of its library, [0-9a-f]{32}: /,
    );
    expect(await scripts.lookup(key)).toMatchObject({ tier: 'team', createdAt: NOW_MS });
    expect(out).toContain(userIdOf(key));
    expect(opened).toEqual(['scripts {"dataDir":"elsewhere"}', 'closed']);
  });

  it.each([[[]], [['--scripts']]])('are revoked by the whole key (%j), which is not shown again', async (flags) => {
    const { command, scripts } = fakeStores();
    const { key } = await scripts.create('pro');
    const { out, err, code } = await command('revoke', key, ...flags);
    expect(out).toBe(`Revoked script key ${key.slice(0, 9)}… (pro). Calls with it are refused from now on.`);
    expect([code, `${out}${err}`.includes(key)]).toEqual([0, false]);
    expect(await scripts.lookup(key)).toBeUndefined();
    expect(await command('revoke', key, ...flags)).toMatchObject({ code: 1, out: '' });
  });

  it('are not made for a user id that nobody has', async () => {
    const { command, values } = fakeStores();
    const { code, out, err } = await command('renew', '--scripts', '--user', 'b'.repeat(32));
    expect([code, out, values.size]).toEqual([1, '', 0]);
    expect(err).toMatch(/^There is no library with this user id\. "signalbox deployments show <id>" shows/);
    expect((await command('renew', '--scripts', '--user', LIBRARY)).code).toBe(0);
  });

  it('whose record is damaged are removed too', async () => {
    const { command, values } = fakeStores();
    const key = `pn_${'ab'.repeat(24)}`;
    values.set(`key:${key}`, '{"tier":"gold"}');
    expect(await command('revoke', key)).toMatchObject({ code: 1 });
    expect(values.size).toBe(0);
  });

  it('in no store that a command can reach are refused with the remedy', async () => {
    const { err, code } = await fakeStores(false).command('create', '--scripts');
    expect(code).toBe(1);
    expect(err).toMatch(/API_KEYS is memory or none.*set API_KEYS to sqlite or redis.*POST \/api\/keys\?action=create/);
  });
});

describe('a wrong command line opens no store', () => {
  it.each([
    [['list', '--analysis', '--scripts'], 'Give --analysis or --scripts, not both.'],
    [['list', '--scripts'], 'Script keys cannot be listed'],
    [['list', 'all', '--analysis'], '"all" is one word too many'],
    [['create', '--tier', 'pro'], '--tier needs --analysis or --scripts'],
    [['create', '--analysis', '--tier', 'gold'], 'use one of free, hobby, pro, team, enterprise'],
    [['create', 'a label', '--analysis'], '"a label" is one word too many'],
    [['create', '--scripts', '--exchanges', 'binance'], '--exchanges does not go with --scripts'],
    [['list', '--analysis', '--url', 'http://127.0.0.1:1'], '--url does not go with --analysis'],
    [['revoke', 'abc', '--analysis', '--tier', 'pro'], '--tier belongs to "keys create"'],
    [['revoke', '--analysis'], 'The key id is missing'],
    [['revoke', 'ABCDEFABCDEF', '--analysis'], 'Give the key id (12 characters'],
    [['revoke', 'pyn_', '--analysis'], 'Give the key id (12 characters'],
    [['revoke', 'pyn_abc', '--scripts'], 'That key is one for --analysis'],
    [['revoke', `pn_${'ab'.repeat(24)}`, '--analysis'], 'That key is one for --scripts'],
    [['revoke', '0123456789ab', '--scripts'], 'Give the whole key: pn_'],
    [['rotate', '0123456789ab', '--analysis'], 'Analysis keys are not rotated; create a new one'],
    [['rotate', 'pn_x', '--scripts'], 'Script keys are renewed'],
    [['delete', '--analysis'], 'keys cannot "delete" with --analysis'],
    [['constructor', '--scripts'], 'keys cannot "constructor" with --scripts'],
  ])('%j', async (argv, message) => {
    const { command, opened } = fakeStores();
    const { code, err, out } = await command(...argv);
    expect(err).toContain(message);
    expect([code, out, opened]).toEqual([2, '', []]);
  });
});

it('webhook keys are still revoked by their id through the routes', async () => {
  const { command, opened } = fakeStores();
  const { calls } = await command('revoke', '0123456789ab');
  expect(calls).toEqual([{ method: 'DELETE', path: '/admin/webhook-keys/0123456789ab' }]);
  expect(opened).toEqual([]);
});

it('a store that fails is told in its words, and is closed', async () => {
  const { command, analysis, opened } = fakeStores();
  analysis.list = () => Promise.reject(new Error('the disk is full; free some space'));
  expect(await command('list', '--analysis')).toMatchObject({ code: 1, err: 'the disk is full; free some space' });
  expect(opened.at(-1)).toBe('closed');
});

describe('without a running instance', () => {
  const WORDS = 'Signalbox is not running: this takes effect at the next start.';

  it.each([
    ['create', '--analysis'],
    ['create', '--scripts'],
    ['renew', '--scripts', '--user', LIBRARY],
  ])('%s %s says when it takes effect, in words and as JSON', async (...words) => {
    expect((await fakeStores(true, false).command(...words)).out).toContain(WORDS);
    const { out } = await fakeStores(true, false).command(...words, '--json');
    expect(JSON.parse(out)).toMatchObject({ status: 'success', takesEffect: 'at the next start' });
    expect((await fakeStores().command(...words)).out).not.toContain(WORDS);
    expect(JSON.parse((await fakeStores().command(...words, '--json')).out)).not.toHaveProperty('takesEffect');
  });

  it('a list and a change that failed do not', async () => {
    const { command } = fakeStores(true, false);
    for (const words of [
      ['list', '--analysis'],
      ['revoke', 'a'.repeat(12), '--analysis'],
    ])
      expect(JSON.stringify(await command(...words))).not.toContain('next start');
  });
});

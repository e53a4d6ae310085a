// Every combination of durable database, API_KEYS, ALLOW_OPEN_KEYS and REQUIRE_RUN_AUTH with every kind of key, on real stores.

import { describe, expect, onTestFinished, test } from 'vitest';
import { openKeyValues } from '../../src/adapters/storage/sqlite/strangers/testing/open-storage.ts';
import { openTestScripts } from '../../src/adapters/storage/sqlite/strangers/testing/open-test-scripts.ts';
import {
  openScriptsApp,
  type ScriptsApp,
  type SendOptions,
  STRANGE_KEY,
} from '../../src/services/scripts/testing/scripts-app.ts';

interface Row {
  readonly database: 'sqlite' | 'none';
  readonly keys: 'sqlite' | 'none';
  readonly open: boolean;
  readonly runAuth: boolean;
  /** The answer to no key, a malformed one, a well-formed one that no store knows, and one of the store's. */
  readonly gate: readonly string[];
  readonly run: readonly string[];
}

const NO = '401 NO_KEY';
const BAD = '401 INVALID_KEY';
const OFF = '503 API_KEYS_REQUIRED';
const OK = '200 success';
/** The key passes, and then there is no database to serve from. */
const BARE = '503 UNAVAILABLE';

const BY_STORE = [NO, BAD, BAD, OK];
const SHUT = [NO, OFF, OFF, OFF];
const ANY = [NO, OK, OK, OK];
const FORM = [NO, BAD, OK, OK];
const FREE = [OK, OK, OK, OK];

// Written out by hand from the specification; a function would repeat the mistakes of the one it checks.
const TABLE: readonly Row[] = [
  { database: 'sqlite', keys: 'sqlite', open: false, runAuth: false, gate: BY_STORE, run: BY_STORE },
  { database: 'sqlite', keys: 'sqlite', open: false, runAuth: true, gate: BY_STORE, run: BY_STORE },
  { database: 'sqlite', keys: 'sqlite', open: true, runAuth: false, gate: BY_STORE, run: BY_STORE },
  { database: 'sqlite', keys: 'sqlite', open: true, runAuth: true, gate: BY_STORE, run: BY_STORE },
  { database: 'sqlite', keys: 'none', open: false, runAuth: false, gate: SHUT, run: FREE },
  { database: 'sqlite', keys: 'none', open: false, runAuth: true, gate: SHUT, run: SHUT },
  { database: 'sqlite', keys: 'none', open: true, runAuth: false, gate: ANY, run: FREE },
  { database: 'sqlite', keys: 'none', open: true, runAuth: true, gate: ANY, run: ANY },
  { database: 'none', keys: 'sqlite', open: false, runAuth: false, gate: [NO, BAD, BAD, BARE], run: BY_STORE },
  { database: 'none', keys: 'sqlite', open: false, runAuth: true, gate: [NO, BAD, BAD, BARE], run: BY_STORE },
  { database: 'none', keys: 'sqlite', open: true, runAuth: false, gate: [NO, BAD, BAD, BARE], run: BY_STORE },
  { database: 'none', keys: 'sqlite', open: true, runAuth: true, gate: [NO, BAD, BAD, BARE], run: BY_STORE },
  { database: 'none', keys: 'none', open: false, runAuth: false, gate: [NO, BAD, BARE, BARE], run: FREE },
  { database: 'none', keys: 'none', open: false, runAuth: true, gate: [NO, BAD, BARE, BARE], run: FORM },
  { database: 'none', keys: 'none', open: true, runAuth: false, gate: [NO, BARE, BARE, BARE], run: FREE },
  { database: 'none', keys: 'none', open: true, runAuth: true, gate: [NO, BARE, BARE, BARE], run: ANY },
];

/** Validation looks at the store alone: without one the form decides, as the specification says for development. */
const VALIDATE = { sqlite: BY_STORE, none: FORM };

function openWith({ database, keys, open, runAuth }: Row): ScriptsApp {
  const storage = openTestScripts();
  const keyStore = openKeyValues({ dataDir: storage.dataDir, nowMs: () => 1_700_000_000_000 });
  onTestFinished(async () => {
    await keyStore.close();
    await storage.close();
  });
  return openScriptsApp({
    keyStore: keys === 'none' ? 'none' : keyStore,
    scriptStore: database === 'none' ? 'none' : storage.storage.scripts,
    usageStore: storage.storage.usage,
    allowOpenKeys: open,
    requireRunAuth: runAuth,
  });
}

const MALFORMED = ['x', 'pn_short', STRANGE_KEY.toUpperCase(), `${STRANGE_KEY}0`, `pyn_${'a'.repeat(43)}`, 'ключ'];

/** Each kind of key in every way to present it. */
function presentations(good: string): readonly (readonly SendOptions[])[] {
  const asBearer = (key: string): SendOptions => ({ key });
  return [
    [{}, asBearer(''), asBearer(' '), { headers: { authorization: 'Bearer' } }],
    MALFORMED.filter((key) => /^[\x20-\x7e]*$/.test(key)).map(asBearer),
    [asBearer(STRANGE_KEY)],
    [asBearer(good)],
  ];
}

const inAddress = (path: string, key: string) =>
  `${path}${path.includes('?') ? '&' : '?'}key=${encodeURIComponent(key)}`;
const addressKeys = (good: string) => [['', ' '], MALFORMED, [STRANGE_KEY], [good]];

async function answersOf(app: ScriptsApp, method: string, path: string, good: string): Promise<string[][]> {
  const codes: string[][] = [];
  let caller = 0;
  // Everybody comes from an address of their own, so that no limit stands in for a verdict.
  const ask = async (at: string, options: SendOptions): Promise<string> => {
    caller += 1;
    const { status, body } = await app.send(method, at, { ...options, peer: `203.0.113.${caller}` });
    return `${status} ${body.code ?? body.status}`;
  };
  for (const [kind, options] of presentations(good).entries()) {
    const seen = new Set<string>();
    for (const option of options) seen.add(await ask(path, option));
    for (const key of addressKeys(good)[kind] ?? []) seen.add(await ask(inAddress(path, key), {}));
    codes.push([...seen]);
  }
  return codes;
}

const each = (codes: readonly string[]): string[][] => codes.map((code) => [code]);

describe('the table of bindings and settings', () => {
  test('has every combination once', () => {
    const rows = new Set(TABLE.map(({ database, keys, open, runAuth }) => [database, keys, open, runAuth].join()));
    expect([TABLE.length, rows.size]).toEqual([16, 16]);
  });

  test.each(TABLE)(
    'database $database, API_KEYS $keys, ALLOW_OPEN_KEYS $open, REQUIRE_RUN_AUTH $runAuth',
    async (row) => {
      const app = openWith(row);
      const good = app.keys === undefined ? `pn_${'ab'.repeat(24)}` : await app.newKey('pro');
      expect(await answersOf(app, 'GET', '/api/scripts', good)).toEqual(each(row.gate));
      expect(await answersOf(app, 'GET', '/api/usage', good)).toEqual(each(row.gate));
      expect(await answersOf(app, 'GET', '/api/scripts/_draft', good)).toEqual(each(row.gate));
      expect(await answersOf(app, 'GET', '/api/keys?action=validate', good)).toEqual(each(VALIDATE[row.keys]));
      expect(await answersOf(app, 'POST', '/api/run', good)).toEqual(each(row.run));
    },
  );

  test.each(TABLE)(
    'a write is behind the same gate: database $database, API_KEYS $keys, ALLOW_OPEN_KEYS $open',
    async (row) => {
      const app = openWith(row);
      const good = app.keys === undefined ? `pn_${'ab'.repeat(24)}` : await app.newKey();
      for (const [kind, key] of ['', 'x', STRANGE_KEY, good].entries()) {
        const { status, body } = await app.send('POST', '/api/scripts', { key, body: { name: 'n', content: 'c' } });
        const wanted = row.gate[kind] === OK ? '201 success' : row.gate[kind];
        expect(`${status} ${body.code ?? body.status}`).toBe(wanted);
      }
    },
  );

  test('a key that no store proves has tier hobby, and its time of birth is not known', async () => {
    const { send } = openScriptsApp({ keyStore: 'none' });
    const { body } = await send('GET', '/api/keys', { key: STRANGE_KEY });
    expect(body).toEqual({ status: 'success', tier: 'hobby' });
  });
});

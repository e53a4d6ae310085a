// The error table, whole: every code is provoked here through the front door, and the documentation lists the same codes.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Refusal } from '../../src/http/errors.ts';
import { ANALYSIS_ERRORS, type AnalysisErrorCode } from '../../src/services/analysis/index.ts';
import { SCRIPTS_ERRORS, type ScriptsErrorCode } from '../../src/services/scripts/index.ts';
import {
  ADMIN_TOKEN,
  openScriptsApp,
  type Sent,
  STRANGE_KEY,
  TEXT,
} from '../../src/services/scripts/testing/scripts-app.ts';

const ADMIN = { 'x-admin-token': ADMIN_TOKEN };
const makeKey = (body: unknown) => openScriptsApp().send('POST', '/api/keys', { headers: ADMIN, body });
const oauth = (deviceFlow: Parameters<typeof openScriptsApp>[0] = {}) =>
  openScriptsApp(deviceFlow).send('POST', '/api/git/oauth/device/start', { body: { provider: 'github' } });

async function inLibrary(method: string, path: string, body?: unknown, times = 1): Promise<Sent> {
  const app = openScriptsApp();
  const key = await app.newKey();
  let sent = await app.send('GET', '/api/scripts', { key });
  for (let n = 0; n < times; n += 1) sent = await app.send(method, path, { key, body });
  return sent;
}

/** Codes of the evaluate contract, which the analysis service's own tests provoke with real scripts. */
const ofTheRun = (code: ScriptsErrorCode) => () =>
  openScriptsApp({ keyStore: 'none', serveRun: () => Promise.reject(new Refusal(code)) }).send('POST', '/api/run');

const PROVOKE: Partial<Record<ScriptsErrorCode, () => Promise<Sent>>> = {
  INVALID_BODY: () => makeKey('{'),
  MISSING_FIELD: () => inLibrary('POST', '/api/scripts', {}),
  INVALID_FIELD: () => makeKey({ tier: 5 }),
  UNKNOWN_FIELDS: () => makeKey({ colour: 'red' }),
  INVALID_TIER: () => makeKey({ tier: 'gold' }),
  INVALID_ACTION: () => openScriptsApp().send('GET', '/api/keys?action=x'),
  NO_CLIENT_ID: () => oauth(),
  NO_KEY: () => openScriptsApp().send('GET', '/api/scripts'),
  INVALID_KEY: () => openScriptsApp().send('GET', '/api/scripts', { key: STRANGE_KEY }),
  FORBIDDEN: () => openScriptsApp().send('POST', '/api/keys'),
  NOT_FOUND: () => inLibrary('GET', '/api/scripts/none'),
  METHOD_NOT_ALLOWED: () => openScriptsApp().send('PUT', '/api/run'),
  CONFLICT: () => inLibrary('POST', '/api/scripts', { id: 'x', ...TEXT }, 2),
  PAYLOAD_TOO_LARGE: () => makeKey(' '.repeat(1024 * 1024 + 1)),
  SCRIPT_TOO_LARGE: () => inLibrary('POST', '/api/scripts', { name: 'n', content: 'x'.repeat(262_145) }),
  LIBRARY_FULL: () => inLibrary('POST', '/api/scripts', TEXT, 1001),
  RATE_LIMIT: async () => {
    const { send } = openScriptsApp({ keyStore: 'none' });
    for (let n = 0; n < 30; n += 1) await send('POST', '/api/run');
    return send('POST', '/api/run');
  },
  INTERNAL: () =>
    openScriptsApp({
      keyStore: 'none',
      serveRun: () => Promise.reject(new Error('a secret of the inside')),
    }).send('POST', '/api/run'),
  OAUTH_UPSTREAM: () => {
    const failed = async () => ({ kind: 'failed' as const, reason: 'the code host cannot be reached; try again' });
    return oauth({ deviceFlow: { start: failed, poll: failed }, oauthClientIds: { github: 'x' } });
  },
  API_KEYS_REQUIRED: () => openScriptsApp({ keyStore: 'none' }).send('GET', '/api/scripts', { key: STRANGE_KEY }),
  UNAVAILABLE: async () => {
    const app = openScriptsApp({ scriptStore: 'none' });
    return app.send('GET', '/api/scripts', { key: await app.newKey() });
  },
  SCRIPT_ERROR: ofTheRun('SCRIPT_ERROR'),
  TIMEOUT: ofTheRun('TIMEOUT'),
  TOO_MANY_BARS: ofTheRun('TOO_MANY_BARS'),
  RUNTIME_ERROR: ofTheRun('RUNTIME_ERROR'),
  BARS_NOT_ARCHIVED: ofTheRun('BARS_NOT_ARCHIVED'),
  UNKNOWN_SYMBOL: ofTheRun('UNKNOWN_SYMBOL'),
  MARKET_DATA_UNREACHABLE: ofTheRun('MARKET_DATA_UNREACHABLE'),
  MEMORY_LIMIT: ofTheRun('MEMORY_LIMIT'),
  BUSY: ofTheRun('BUSY'),
  STOPPING: ofTheRun('STOPPING'),
};

/** The kit's own rows, which every table has; this service says INVALID_BODY, NO_KEY and RATE_LIMIT instead. */
const OF_THE_KIT = ['INVALID_JSON', 'UNAUTHORIZED', 'RATE_LIMITED'];
/** Provoked by the tests of the live deployments, of kept runs and of the stream. */
const OF_DEPLOYMENTS = ['DEPLOYMENTS_FULL', 'DUPLICATE_DEPLOYMENT'];
const OF_KEPT_RUNS = ['RUNS_FULL'];
const OF_THE_STREAM = ['INVALID_SYMBOL', 'INVALID_INTERVAL', 'TOO_MANY_SUBSCRIPTIONS'];

describe('every code of the error table', () => {
  test.each(Object.keys(PROVOKE) as ScriptsErrorCode[])('%s is really answered, in shape', async (code) => {
    const sent = await PROVOKE[code]?.();
    expect([sent?.status, sent?.body.code]).toEqual([SCRIPTS_ERRORS[code].status, code]);
    expect(Object.keys(sent?.body ?? {}).slice(0, 3)).toEqual(['status', 'code', 'message']);
    expect(sent?.body).toMatchObject({ status: 'error', message: expect.stringMatching(/\S/) });
    expect(sent?.text).not.toContain('secret of the inside');
    expect(sent?.headers.get('content-type')).toBe('application/json');
    expect(sent?.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('is provoked above, or belongs to the kit, the deployments, kept runs or the stream, and nothing else does', () => {
    const listed = [...Object.keys(PROVOKE), ...OF_THE_KIT, ...OF_DEPLOYMENTS, ...OF_KEPT_RUNS, ...OF_THE_STREAM];
    expect(listed.sort()).toEqual(Object.keys(SCRIPTS_ERRORS).sort());
  });

  test('of the specification and the contract has the status they give it', () => {
    const given = { NO_KEY: 401, INVALID_KEY: 401, API_KEYS_REQUIRED: 503, FORBIDDEN: 403, INVALID_TIER: 400 };
    const more = { CONFLICT: 409, RATE_LIMIT: 429, NO_CLIENT_ID: 400, OAUTH_UPSTREAM: 502 };
    for (const [code, status] of Object.entries({ ...given, ...more }))
      expect([code, SCRIPTS_ERRORS[code as ScriptsErrorCode].status]).toEqual([code, status]);
  });

  test('that a run may end with is in both services’ tables, with one status', () => {
    for (const code of Object.keys(ANALYSIS_ERRORS))
      expect([code, SCRIPTS_ERRORS[code as ScriptsErrorCode]?.status]).toEqual([
        code,
        ANALYSIS_ERRORS[code as AnalysisErrorCode].status,
      ]);
  });

  test('is in docs/api/scripts.md with its status, and no other is', () => {
    const page = readFileSync(new URL('../../docs/api/scripts.md', import.meta.url), 'utf8');
    const [, section = ''] = /^## Error codes$([\s\S]*?)(?=^## )/m.exec(page) ?? [];
    const listed = [...section.matchAll(/^\| `([A-Z][A-Z0-9_]*)` \|(.*)$/gm)];
    expect(listed.map(([, code]) => code).sort()).toEqual(Object.keys(SCRIPTS_ERRORS).sort());
    for (const [, code, rest] of listed)
      expect(rest, code).toContain(String(SCRIPTS_ERRORS[code as ScriptsErrorCode].status));
  });
});

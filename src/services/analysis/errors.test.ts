// The error table, whole: every code is provoked here through the front door, in its shape.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { modelBars } from '../../../tests/support/bars-app.ts';
import type { Refused, Stopped } from '../../library/script-runner.ts';
import { ANALYSIS_ERRORS, type AnalysisErrorCode } from './errors.ts';
import {
  ADMIN_TOKEN,
  type AnalysisApp,
  barsOf,
  GOOD,
  openAnalysis,
  requestOf,
  type Sent,
} from './testing/analysis-app.ts';

const bySymbol = (more: object = {}) => ({ script: GOOD, symbol: 'BTCUSDT', timeframe: '1m', bars: 5, ...more });
const ending = (outcome: Refused | Stopped) => openAnalysis({ evaluate: async () => outcome });
const run = ({ post }: AnalysisApp, more: object = {}) => post('/run', requestOf(more));

/** The kit's name for INVALID_BODY, and what only a run with a key can meet, at /api/run: no route of this service answers them. */
const NEVER: readonly AnalysisErrorCode[] = ['INVALID_JSON', 'MARKET_DATA_UNREACHABLE'];
const DIAGNOSTIC = {
  line: 3,
  column: 6,
  endLine: 3,
  endColumn: 10,
  severity: 'error',
  code: 'E1',
  message: 'no',
} as const;

const PROVOKE: Partial<Record<AnalysisErrorCode, () => Promise<Sent>>> = {
  INVALID_BODY: () => openAnalysis().post('/run', '[1]'),
  MISSING_FIELD: () => openAnalysis().post('/run', { data: barsOf(1) }),
  INVALID_FIELD: () => run(openAnalysis(), { script: 7 }),
  UNKNOWN_FIELDS: () => run(openAnalysis(), { colour: 'red' }),
  SCRIPT_ERROR: () => run(ending({ kind: 'compile-failed', diagnostics: [DIAGNOSTIC] })),
  INVALID_TIER: () =>
    openAnalysis().post('/auth/create_key', { tier: 'gold' }, { headers: { 'x-admin-token': ADMIN_TOKEN } }),
  UNAUTHORIZED: () => openAnalysis().post('/preview/chart', requestOf()),
  INVALID_KEY: () => openAnalysis().post('/auth/validate', { api_key: 'pyn_nobody' }),
  FORBIDDEN: () => openAnalysis().post('/auth/create_key', {}),
  NOT_FOUND: () => openAnalysis().post('/nothing', {}),
  METHOD_NOT_ALLOWED: () => openAnalysis().post('/run', {}, { method: 'PUT' }),
  TIMEOUT: () => run(ending({ kind: 'timeout', reason: 'stopped after 10 s; shorten its loops' })),
  PAYLOAD_TOO_LARGE: () => openAnalysis().post('/run', ' '.repeat(16 * 1024 * 1024 + 1)),
  TOO_MANY_BARS: () => run(openAnalysis(), { data: barsOf(50_001) }),
  SCRIPT_TOO_LARGE: () => run(openAnalysis(), { script: 'x'.repeat(262_145) }),
  BARS_NOT_ARCHIVED: () => openAnalysis({}, { marketBars: modelBars().bars }).post('/run', bySymbol()),
  UNKNOWN_SYMBOL: () => openAnalysis().post('/run', bySymbol({ symbol: 'BTCUSD' })),
  RUNTIME_ERROR: () => run(ending({ kind: 'runtime-error', message: 'enough', barIndex: 7, line: 4, column: 5 })),
  MEMORY_LIMIT: () => run(ending({ kind: 'too-large', reason: 'stopped at 256 MiB of memory' })),
  RATE_LIMITED: async () => {
    const app = openAnalysis({}, { freeRatePerMinute: 1 });
    await run(app);
    return run(app);
  },
  BUSY: () => run(ending({ kind: 'busy', reason: '64 scripts wait already; try again in a moment' })),
  INTERNAL: () => run(ending({ kind: 'failed', reason: 'a secret of the inside', detail: 'at secret.ts:1' })),
  UNAVAILABLE: async () => {
    const { keys } = openAnalysis();
    keys.validate = () => Promise.reject(new Error('a secret of the store'));
    return openAnalysis({}, { keys }).post('/auth/validate', { api_key: 'pyn_x' });
  },
  STOPPING: () => run(ending({ kind: 'canceled', reason: 'canceled, because Signalbox stops' })),
};

const EXTRA: Partial<Record<AnalysisErrorCode, object>> = {
  SCRIPT_ERROR: { diagnostics: [DIAGNOSTIC] },
  UNKNOWN_SYMBOL: { nearest: ['BTCUSDT'] },
  RUNTIME_ERROR: { bar_index: 7, line: 4, column: 5 },
};

describe('every code of the error table', () => {
  it.each(Object.keys(PROVOKE) as AnalysisErrorCode[])('%s is really answered, in shape', async (code) => {
    const sent = await PROVOKE[code]?.();
    expect([sent?.status, sent?.body.code]).toEqual([ANALYSIS_ERRORS[code].status, code]);
    expect(sent?.body).toEqual({ status: 'error', code, message: expect.stringMatching(/\S/), ...EXTRA[code] });
    expect(Object.keys(sent?.body ?? {}).slice(0, 3)).toEqual(['status', 'code', 'message']);
    expect(sent?.text).not.toContain('secret');
    expect(sent?.headers.get('content-type')).toBe('application/json');
  });

  it('is provoked above, but for those that this service never answers', () => {
    expect([...Object.keys(PROVOKE), ...NEVER].sort()).toEqual(Object.keys(ANALYSIS_ERRORS).sort());
    expect(Object.keys(ANALYSIS_ERRORS)).toHaveLength(26);
  });

  it('is in docs/api/analysis.md with its status, and no other is', () => {
    const page = readFileSync(new URL('../../../docs/api/analysis.md', import.meta.url), 'utf8');
    const listed = [...page.matchAll(/^\| `([A-Z][A-Z0-9_]*)` \|(.*)$/gm)];
    expect(listed.map(([, code]) => code).sort()).toEqual(Object.keys(PROVOKE).sort());
    for (const [, code, rest] of listed)
      expect(rest, code).toContain(String(ANALYSIS_ERRORS[code as AnalysisErrorCode].status));
  });

  it('of the specification and the contract has the status they give it', () => {
    const given = { UNAUTHORIZED: 401, RATE_LIMITED: 429, FORBIDDEN: 403, INVALID_TIER: 400, INVALID_KEY: 401 };
    const more = { SCRIPT_ERROR: 400, RUNTIME_ERROR: 422, TIMEOUT: 408, TOO_MANY_BARS: 413, SCRIPT_TOO_LARGE: 413 };
    const body = { INVALID_BODY: 400, MISSING_FIELD: 400, INVALID_FIELD: 400, UNKNOWN_FIELDS: 400, BUSY: 429 };
    for (const [code, status] of Object.entries({ ...given, ...more, ...body }))
      expect([code, ANALYSIS_ERRORS[code as AnalysisErrorCode].status]).toEqual([code, status]);
  });
});

describe('a refusal', () => {
  it('that asks for patience says for how long', async () => {
    expect((await PROVOKE.BUSY?.())?.headers.get('retry-after')).toBe('1');
    expect((await PROVOKE.STOPPING?.())?.headers.get('retry-after')).toBe('1');
    const limited = await PROVOKE.RATE_LIMITED?.();
    expect(limited?.headers.get('retry-after')).toBe('60');
    expect(limited?.headers.get('ratelimit')).toBe('"free-runs";r=0;t=60');
    expect(limited?.headers.get('ratelimit-policy')).toBe('"free-runs";q=1;w=60');
  });

  it('of another method says which ones there are', async () => {
    expect((await PROVOKE.METHOD_NOT_ALLOWED?.())?.headers.get('allow')).toBe('POST');
  });

  it('of ours leaves its details in the log, under the request id', async () => {
    const app = ending({ kind: 'failed', reason: 'a secret of the inside', detail: 'at secret.ts:1' });
    const sent = await run(app);
    const line = app.lines().find(({ msg }) => msg === 'request failed');
    expect(line?.requestId).toBe(sent.headers.get('x-request-id'));
    expect(JSON.stringify(line)).toContain('secret.ts:1');
  });

  it('repeats no key and no endless list of names', async () => {
    const key = 'pyn_abcdefghijklmnop';
    const masked = await run(openAnalysis(), { [key]: 1 });
    expect(masked.body.message).toBe('body: has unknown fields, remove pyn_***');
    const names = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`name${i}`, i]));
    const long = await run(openAnalysis(), names);
    expect(long.body.code).toBe('UNKNOWN_FIELDS');
    expect(long.body.message.length).toBeLessThanOrEqual(4001);
  });
});

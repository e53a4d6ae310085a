// POST /api/run on the real forwarder: the analysis service's evaluate contract over real threads, in the script worker's shape.

import { afterAll, describe, expect, test } from 'vitest';
import { openScriptPool } from '../../src/composition/script-pool.ts';
import { openAnalysis, requestOf } from '../../src/services/analysis/testing/analysis-app.ts';
import { codeOf, openScriptsApp, type SendOptions } from '../../src/services/scripts/testing/scripts-app.ts';

const pool = openScriptPool({ size: 1 });
afterAll(() => pool.close());

const { analysis, post } = openAnalysis(pool);
const app = openScriptsApp({ serveRun: analysis.serveRun });
let peers = 0;
/** From a new user each time, so that the window of runs stays out of the way. */
const run = async (body: unknown, path = '/api/run', options: SendOptions = {}) => {
  peers += 1;
  return app.send('POST', path, { key: await app.newKey(), body, peer: `203.0.113.${peers}`, ...options });
};

describe('a run', () => {
  test('is answered as POST /run would, but for its id', async () => {
    const { run_id: ours, ...answer } = JSON.parse((await run(requestOf())).text);
    const { run_id: theirs, ...expected } = JSON.parse((await post('/run', requestOf())).text);
    expect(answer).toEqual(expected);
    expect(answer).toMatchObject({ status: 'success', plots: [2, 3, 4], count: 3 });
    expect([typeof ours, typeof theirs]).toEqual(['string', 'string']);
  });

  test('carries the window’s headers, and ?mode= and ?key= are understood together', async () => {
    const key = await app.newKey();
    const sent = await run(requestOf(), `/api/run?mode=auto&key=${key}`, { key: undefined });
    expect([sent.status, sent.headers.get('ratelimit-policy')]).toEqual([200, '"runs";q=30;w=60']);
    expect(sent.headers.get('content-type')).toBe('application/json');
  });

  test.each<[string, unknown, string]>([
    ['that is no JSON', '{', '400 INVALID_BODY'],
    ['without a script', { data: [] }, '400 MISSING_FIELD'],
    ['with an unknown field', requestOf({ colour: 1 }), '400 UNKNOWN_FIELDS'],
    [
      'with a script at fault',
      requestOf({ script: '//@version=6\nindicator("x")\nplot(nothing)' }),
      '400 SCRIPT_ERROR',
    ],
    [
      'whose script gives up',
      requestOf({ script: '//@version=6\nindicator("x")\nruntime.error("enough")\nplot(close)' }),
      '422 RUNTIME_ERROR',
    ],
    ['with too long a script', requestOf({ script: 'x'.repeat(262_145) }), '413 SCRIPT_TOO_LARGE'],
    ['of more than 16 MiB', ' '.repeat(16 * 1024 * 1024 + 1), '413 PAYLOAD_TOO_LARGE'],
  ])('%s is refused with the contract’s code', async (_name, body, code) => {
    const sent = await run(body);
    expect(codeOf(sent)).toBe(code);
    expect(sent.body).toMatchObject({ status: 'error', message: expect.stringMatching(/\S/) });
  });

  test('is metered, and a script at fault is not', async () => {
    const key = await app.newKey();
    await run(requestOf(), '/api/run', { key });
    await run(requestOf({ script: 'plot(' }), '/api/run', { key });
    expect((await app.send('GET', '/api/usage', { key })).body.usage.calls_used).toBe(1);
  });
});

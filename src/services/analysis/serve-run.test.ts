// The evaluate contract by another service: the same answers and codes, on an app with another table.

import { describe, expect, it } from 'vitest';
import { checkAnswersOf } from '../../../tests/support/checked-app.ts';
import { defineErrors } from '../../http/errors.ts';
import { statusShape } from '../../http/status-shape.ts';
import { createFixture } from '../../http/testing/app-fixture.ts';
import type { Refused, Stopped } from '../../library/script-runner.ts';
import { runAnswer } from '../../library/testing/run-answer.ts';
import { ANALYSIS_ERRORS } from './errors.ts';
import { openAnalysis, requestOf } from './testing/analysis-app.ts';

const FAULTS: readonly (readonly [Refused | Stopped, number, string])[] = [
  [{ kind: 'compile-failed', diagnostics: [] }, 400, 'SCRIPT_ERROR'],
  [{ kind: 'runtime-error', message: 'x', barIndex: 0, line: 1, column: 1 }, 422, 'RUNTIME_ERROR'],
  [{ kind: 'input-fault', reason: 'x' }, 400, 'INVALID_FIELD'],
  [{ kind: 'timeout', reason: 'x' }, 408, 'TIMEOUT'],
  [{ kind: 'too-large', reason: 'x' }, 422, 'MEMORY_LIMIT'],
  [{ kind: 'busy', reason: 'x' }, 429, 'BUSY'],
  [{ kind: 'failed', reason: 'x' }, 500, 'INTERNAL'],
];

function otherService(outcome?: Refused | Stopped) {
  // The limit of the free routes does not reach here: the other service has its own.
  const deps = { freeRatePerMinute: 1 };
  const { analysis } = openAnalysis(outcome === undefined ? {} : { evaluate: async () => outcome }, deps);
  const { app } = createFixture({
    service: 'other',
    errors: defineErrors({ ...ANALYSIS_ERRORS }),
    shape: statusShape,
    defaultBodyLimitBytes: 1024,
  });
  checkAnswersOf(app);
  app.post('/api/run', (c) => analysis.serveRun(c, { class: 'keyed', id: 'somebody' }));
  return async (body: string, query = '') => {
    const answer = await app.request(`/api/run${query}`, { method: 'POST', body }, { peer: '198.51.100.1' });
    return { status: answer.status, body: (await answer.json()) as { status: string; code?: string } };
  };
}

describe('serveRun', () => {
  it('answers as POST /run does, as often as it is asked', async () => {
    const post = otherService();
    for (let i = 0; i < 3; i += 1)
      expect(await post(JSON.stringify(requestOf()), '?mode=auto')).toEqual({
        status: 200,
        body: runAnswer(),
      });
  });

  it.each(FAULTS)('tells %j as %d %s', async (outcome, status, code) => {
    expect(await otherService(outcome)(JSON.stringify(requestOf()))).toMatchObject({ status, body: { code } });
  });

  it('has the limit of /run, not that of its app, and the same words for a body', async () => {
    const post = otherService();
    const long = requestOf({ script: 'x'.repeat(100_000) });
    expect((await post(JSON.stringify(long))).status).toBe(200);
    expect(await post(' '.repeat(16 * 1024 * 1024 + 1))).toMatchObject({
      status: 413,
      body: { code: 'PAYLOAD_TOO_LARGE' },
    });
    expect(await post('{')).toMatchObject({ status: 400, body: { code: 'INVALID_BODY' } });
    expect(await post(JSON.stringify(requestOf()), '?mode=fast')).toMatchObject({
      status: 400,
      body: { code: 'INVALID_FIELD' },
    });
  });
});

// POST /run/batch: each request has a status of its own, and none disturbs the others.

import { describe, expect, it } from 'vitest';
import type { EvaluateRequest } from '../../library/script-runner.ts';
import { runAnswer } from '../../library/testing/run-answer.ts';
import { barsOf, openAnalysis, requestOf } from './testing/analysis-app.ts';

const several = (count: number, more: object = {}) => ({
  requests: Array.from({ length: count }, () => requestOf(more)),
});

describe('a batch', () => {
  it('is answered in the order of its requests, however they end', async () => {
    const evaluate = async ({ source, runId }: EvaluateRequest) => {
      if (source === 'busy') return { kind: 'busy', reason: 'later' } as const;
      if (source === 'bad') return { kind: 'compile-failed', diagnostics: [] } as const;
      if (source === 'ours') return { kind: 'failed', reason: 'a secret' } as const;
      return { kind: 'answer', json: Buffer.from(JSON.stringify(runAnswer({ run_id: runId }))), warnings: [] } as const;
    };
    const { post, text } = openAnalysis({ evaluate });
    const requests = ['good', 'busy', 'bad', 'ours'].map((script) => requestOf({ script }));
    const sent = await post('/run/batch', {
      requests: [...requests, { script: 'x' }, 7, requestOf({ x: 1 }), requestOf()],
    });
    expect(sent.status).toBe(200);
    expect(sent.headers.get('content-length')).toBe(String(Buffer.byteLength(sent.text)));
    const error = (status_code: number, code: string, message: unknown = expect.any(String)) => ({
      status_code,
      status: 'error',
      code,
      message,
    });
    expect(sent.body).toEqual({
      status: 'success',
      count: 8,
      results: [
        { status_code: 200, ...runAnswer({ run_id: 'run-2' }) },
        error(429, 'BUSY', 'later'),
        { ...error(400, 'SCRIPT_ERROR'), diagnostics: [] },
        error(500, 'INTERNAL', expect.not.stringContaining('secret')),
        error(
          400,
          'MISSING_FIELD',
          'requests.4.data: is missing, send a list of bars, or symbol, timeframe and bars (how many of the newest) instead',
        ),
        error(400, 'INVALID_FIELD', 'requests.5: is a number, send an object'),
        error(400, 'UNKNOWN_FIELDS', 'requests.6: has unknown fields, remove x'),
        { status_code: 200, ...runAnswer({ run_id: 'run-9' }) },
      ],
    });
    expect(text()).toContain('a secret');
  });

  it('names the place of a fault deep inside', async () => {
    const data = [...barsOf(2), { ...barsOf(1)[0], close: '5' }];
    const { body } = await openAnalysis().post('/run/batch', { requests: [requestOf(), requestOf({ data })] });
    expect(body.results[0]?.status_code).toBe(200);
    expect(body.results[1]?.message).toBe('requests.1.data.2.close: is a number in quotes, drop the quotes');
  });

  it('has one to eight requests', async () => {
    const { post } = openAnalysis();
    for (const count of [1, 8]) expect((await post('/run/batch', several(count))).body.results).toHaveLength(count);
  });

  it.each([
    [several(0), 'INVALID_FIELD', 'requests: is too small, send at least 1 items'],
    [several(9), 'INVALID_FIELD', 'requests: is too large, send at most 8 items'],
    [{}, 'MISSING_FIELD', 'requests: is missing, add an array'],
    [{ requests: {} }, 'INVALID_FIELD', 'requests: is an object, send an array'],
    [{ ...several(1), mode: 'auto' }, 'UNKNOWN_FIELDS', 'body: has unknown fields, remove mode'],
    [[requestOf()], 'INVALID_BODY', 'body: is an array, send an object'],
    ['{', 'INVALID_BODY', 'not usable JSON'],
  ])('of another form is refused whole', async (body, code, message) => {
    const { post, asked } = openAnalysis();
    const sent = await post('/run/batch', body);
    expect(sent.status).toBe(400);
    expect(sent.body).toEqual({ status: 'error', code, message: expect.stringContaining(message) });
    expect(asked).toEqual([]);
  });

  it('counts each of its requests', async () => {
    const { post } = openAnalysis({}, { freeRatePerMinute: 3 });
    const { body } = await post('/run/batch', several(4));
    expect(body.results.map(({ status_code }) => status_code)).toEqual([200, 200, 200, 429]);
    expect((await post('/run', requestOf())).status).toBe(429);
  });

  it('whose client left is canceled whole', async () => {
    const leaving = new AbortController();
    const { post, asked } = openAnalysis({
      evaluate: ({ signal }) =>
        new Promise((resolve) => {
          signal?.addEventListener('abort', () => resolve({ kind: 'canceled', reason: 'gone' }));
        }),
    });
    const sending = post('/run/batch', several(2), { signal: leaving.signal });
    await expect.poll(() => asked.length).toBe(2);
    leaving.abort();
    expect((await sending).status).toBe(499);
  });
});

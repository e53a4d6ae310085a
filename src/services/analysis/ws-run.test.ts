// The messages of WS /ws/run: every form of them, several at once, and a socket that closes.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Evaluated, Stopped } from '../../library/script-runner.ts';
import type { AnalysisDeps } from './index.ts';
import { openAnalysis, requestOf, type Script } from './testing/analysis-app.ts';

function openSession(script: Script = {}, deps: Partial<AnalysisDeps> = {}) {
  const opened = openAnalysis(script, deps);
  let ids = 0;
  const session = opened.analysis.openRunSession({
    clientAddress: '192.0.2.1',
    requestIds: () => {
      ids += 1;
      return `message-${ids}`;
    },
  });
  const say = async (message: unknown) => {
    const text = typeof message === 'string' ? message : JSON.stringify(message);
    const answer = await session.receive(Buffer.from(text));
    return answer === undefined ? undefined : JSON.parse(Buffer.from(answer).toString());
  };
  return {
    ...opened,
    session,
    say,
    run: (id: unknown, more: object = {}) => say({ type: 'run', id, ...requestOf(more) }),
  };
}

describe('a message', () => {
  it.each([1, 0, -1.5, 'a1', '', 'é"\n', 'x'.repeat(128)])('ping is answered with its id: %j', async (id) => {
    expect(await openSession().say({ type: 'ping', id })).toEqual({ type: 'pong', id });
  });

  it('run is answered with the result', async () => {
    const json = Buffer.from('{"status":"success","count":3}');
    const { run, runs, asked } = openSession({ evaluate: async () => ({ kind: 'answer', json, warnings: [] }) });
    expect(await run('r1')).toEqual({ type: 'result', id: 'r1', status: 'success', count: 3 });
    expect(asked[0]).toMatchObject({ timeframe: '1', runId: 'run-1' });
    expect(runs).toEqual([{ run: 'answer', bars: 3, ms: 0, requestId: 'message-1' }]);
  });

  it('without an id is answered without one', async () => {
    expect(await openSession().say({ type: 'ping' })).toEqual({ type: 'pong', id: null });
    expect(await openSession().say({ type: 'ping', id: null })).toEqual({ type: 'pong', id: null });
  });

  it.each([
    ['{', null, 400, 'INVALID_BODY', 'not usable JSON'],
    ['', null, 400, 'INVALID_BODY', 'empty'],
    ['[]', null, 400, 'INVALID_BODY', 'The message is not an object'],
    ['null', null, 400, 'INVALID_BODY', 'The message is not an object'],
    ['{"id":5}', 5, 400, 'MISSING_FIELD', 'type: is missing, send "run" or "ping"'],
    ['{"id":5,"type":"stop"}', 5, 400, 'INVALID_FIELD', 'type: has a value that is not allowed'],
    ['{"id":{},"type":"ping"}', null, 400, 'INVALID_FIELD', 'id: is not usable'],
    ['{"id":1e400,"type":"ping"}', null, 400, 'INVALID_FIELD', 'id: is not usable'],
    [`{"id":"${'x'.repeat(129)}","type":"ping"}`, null, 400, 'INVALID_FIELD', 'id: is not usable'],
    ['{"id":5,"type":"run"}', 5, 400, 'MISSING_FIELD', 'script: is missing'],
    ['{"id":5,"type":"run","script":"x","data":[],"x":1}', 5, 400, 'UNKNOWN_FIELDS', 'remove x'],
    ['{"id":5,"type":"run","__proto__":{"script":"x"}}', 5, 400, 'UNKNOWN_FIELDS', 'remove __proto__'],
    [' '.repeat(16 * 1024 * 1024 + 1), null, 413, 'PAYLOAD_TOO_LARGE', '16777216 bytes'],
  ])('at fault is told so: %.60s', async (message, id, status, code, words) => {
    const answer = await openSession().say(message);
    expect(answer).toEqual({ type: 'error', id, status, code, message: expect.stringContaining(words) });
  });

  it.each([
    [
      { kind: 'busy', reason: 'later' },
      { status: 429, code: 'BUSY', message: 'later' },
    ],
    [
      { kind: 'timeout', reason: 'slow' },
      { status: 408, code: 'TIMEOUT', message: 'slow' },
    ],
    [
      { kind: 'compile-failed', diagnostics: [] },
      { status: 400, code: 'SCRIPT_ERROR', diagnostics: [] },
    ],
    [
      { kind: 'runtime-error', message: 'no', barIndex: 7, line: 3, column: 1 },
      { status: 422, code: 'RUNTIME_ERROR', message: 'no', bar_index: 7, line: 3, column: 1 },
    ],
    [
      { kind: 'failed', reason: 'ours' },
      { status: 500, code: 'INTERNAL' },
    ],
  ] as const)('run may end otherwise: %j', async (outcome, expected) => {
    const { run } = openSession({ evaluate: async () => outcome });
    expect(await run(9)).toMatchObject({ type: 'error', id: 9, ...expected });
  });

  it('of any content gets an answer, and never a fault of ours', async () => {
    const { say, text } = openSession();
    const fields = { type: fc.constantFrom('run', 'ping', 'x', 5), id: fc.jsonValue({ maxDepth: 1 }) };
    const message = fc.oneof(fc.string(), fc.json(), fc.record(fields, { requiredKeys: [] }));
    await fc.assert(
      fc.asyncProperty(message, async (one) => {
        expect((await say(one)).type).toMatch(/^(result|error|pong)$/);
      }),
      { numRuns: 200 },
    );
    expect(text()).not.toContain('request failed');
  });
});

describe('a session', () => {
  const waiting = () => {
    const ends: ((outcome: Evaluated | Stopped) => void)[] = [];
    const done: Evaluated = { kind: 'answer', json: Buffer.from('{}'), warnings: [] };
    const session = openSession({
      evaluate: ({ signal }) =>
        new Promise((resolve) => {
          ends.push(resolve);
          signal?.addEventListener('abort', () => resolve({ kind: 'canceled', reason: 'gone' }));
        }),
    });
    return { ...session, ends, done };
  };

  it('runs eight scripts at once, refuses the ninth, and takes the next when one is done', async () => {
    const { run, say, ends, done } = waiting();
    const running = Array.from({ length: 8 }, (_, id) => run(id));
    expect(await run(8)).toMatchObject({ type: 'error', id: 8, code: 'BUSY', status: 429 });
    expect(await say({ type: 'ping', id: 'p' })).toEqual({ type: 'pong', id: 'p' });
    ends[3]?.(done);
    expect(await running[3]).toEqual({ type: 'result', id: 3 });
    const next = run(10);
    await expect.poll(() => ends.length).toBe(9);
    for (const end of ends) end(done);
    expect(await next).toEqual({ type: 'result', id: 10 });
    expect((await Promise.all(running)).map(({ id }) => id)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('that closes cancels what runs, and says nothing more', async () => {
    const { run, session, asked, text } = waiting();
    const running = [run(1), run(2)];
    await expect.poll(() => asked.length).toBe(2);
    session.close();
    expect(await Promise.all(running)).toEqual([undefined, undefined]);
    expect(asked.every(({ signal }) => signal?.aborted)).toBe(true);
    expect(text()).not.toContain('request failed');
  });

  it('that closed before a message was read runs nothing of it', async () => {
    const { run, session, asked } = waiting();
    const running = run(1);
    session.close();
    expect(await running).toBeUndefined();
    expect(asked).toEqual([]);
  });

  it('counts its scripts like those of /run, and pings not at all', async () => {
    const { run, say, post } = openSession({}, { freeRatePerMinute: 2 });
    for (let i = 0; i < 5; i += 1) await say({ type: 'ping', id: i });
    expect((await run(1)).type).toBe('result');
    expect((await post('/run', requestOf(), { peer: '192.0.2.1' })).status).toBe(200);
    expect(await run(2)).toMatchObject({ type: 'error', code: 'RATE_LIMITED', status: 429 });
  });
});

// POST /api/run: 30 a minute for each caller whatever they send, the run gate's answer, and what is metered.

import { describe, expect, test, vi } from 'vitest';
import { Refusal } from '../../http/errors.ts';
import { runAnswer } from '../../library/testing/run-answer.ts';
import { codeOf, openScriptsApp, type ScriptsApp, type SendOptions, STRANGE_KEY } from './testing/scripts-app.ts';

const run = ({ send }: ScriptsApp, options: SendOptions = {}) => send('POST', '/api/run', { body: {}, ...options });

async function runTimes(app: ScriptsApp, times: number, options: SendOptions = {}): Promise<string[]> {
  const codes = new Set<string>();
  for (let n = 0; n < times; n += 1) codes.add(codeOf(await run(app, options)));
  return [...codes];
}

const openApp = (more: Parameters<typeof openScriptsApp>[0] = {}) => openScriptsApp({ keyStore: 'none', ...more });

describe('the window', () => {
  test('lets 30 runs in and refuses the 31st, with the time to wait', async () => {
    const app = openApp();
    const first = await run(app);
    expect(first.headers.get('ratelimit')).toBe('"runs";r=29;t=60');
    expect(first.headers.get('ratelimit-policy')).toBe('"runs";q=30;w=60');
    expect(await runTimes(app, 28)).toEqual(['200 success']);
    app.clock.nowMs += 10_000;
    expect((await run(app)).headers.get('ratelimit')).toBe('"runs";r=0;t=50');
    const refused = await run(app);
    expect(codeOf(refused)).toBe('429 RATE_LIMIT');
    expect(refused.body.message).toContain('30 calls a minute');
    expect(refused.headers.get('retry-after')).toBe('50');
    expect(refused.headers.get('ratelimit')).toBe('"runs";r=0;t=50');
    expect(refused.headers.get('ratelimit-policy')).toBe('"runs";q=30;w=60');
    expect(app.runs()).toBe(30);
    app.clock.nowMs += 49_999;
    expect(codeOf(await run(app))).toBe('429 RATE_LIMIT');
    app.clock.nowMs += 1;
    expect(codeOf(await run(app))).toBe('200 success');
  });

  test('counts before the body is looked at', async () => {
    const app = openApp({
      serveRun: () => Promise.reject(new Refusal('INVALID_BODY')),
    });
    expect(await runTimes(app, 30, { body: '{' })).toEqual(['400 INVALID_BODY']);
    expect(codeOf(await run(app))).toBe('429 RATE_LIMIT');
  });

  test('is a user’s own where a store knows the keys, from whichever address they come', async () => {
    const app = openScriptsApp();
    const [ann, bob] = [await app.newKey(), await app.newKey()];
    for (let n = 0; n < 30; n += 1)
      expect(codeOf(await run(app, { key: ann, peer: `203.0.113.${n}` }))).toBe('200 success');
    expect(codeOf(await run(app, { key: ann, peer: '203.0.113.99' }))).toBe('429 RATE_LIMIT');
    expect(codeOf(await run(app, { key: bob, peer: '203.0.113.1' }))).toBe('200 success');
  });

  test('of a user is the same for the key as Bearer and in the address', async () => {
    const app = openScriptsApp();
    const key = await app.newKey();
    expect(await runTimes(app, 30, { key })).toEqual(['200 success']);
    expect(codeOf(await app.send('POST', `/api/run?key=${key}`, { body: {} }))).toBe('429 RATE_LIMIT');
  });

  test('is the key’s where none is needed, else the address’s', async () => {
    const app = openApp();
    expect(await runTimes(app, 30, { key: 'one' })).toEqual(['200 success']);
    expect(codeOf(await run(app, { key: 'one' }))).toBe('429 RATE_LIMIT');
    expect(codeOf(await run(app, { key: 'two' }))).toBe('200 success');
    expect(await runTimes(app, 30)).toEqual(['200 success']);
    expect(codeOf(await run(app))).toBe('429 RATE_LIMIT');
    expect(codeOf(await run(app, { peer: '203.0.113.1' }))).toBe('200 success');
  });

  test('cannot be got round by a new made-up key for every run', async () => {
    const app = openApp();
    const codes: string[] = [];
    for (let n = 0; n < 301; n += 1) codes.push(codeOf(await run(app, { key: `made-up-${n}` })));
    expect(new Set(codes.slice(0, 300))).toEqual(new Set(['200 success']));
    expect(codes[300]).toBe('429 RATE_LIMIT');
    expect(codeOf(await run(app, { key: 'made-up', peer: '203.0.113.1' }))).toBe('200 success');
    app.clock.nowMs += 60_000;
    expect(codeOf(await run(app, { key: 'made-up' }))).toBe('200 success');
  });

  test('of a user is not used up by those who are refused at the same address or with a wrong key', async () => {
    const app = openScriptsApp();
    const key = await app.newKey();
    expect(await runTimes(app, 30, { key: STRANGE_KEY })).toEqual(['401 INVALID_KEY']);
    expect(codeOf(await run(app, { key: STRANGE_KEY }))).toBe('429 RATE_LIMIT');
    expect(codeOf(await run(app))).toBe('429 RATE_LIMIT');
    expect(await runTimes(app, 30, { key })).toEqual(['200 success']);
    // And a user at the end of the minute does not shut out anybody else at that address.
    expect(codeOf(await run(app, { key }))).toBe('429 RATE_LIMIT');
    expect(codeOf(await run(app, { key: await app.newKey() }))).toBe('200 success');
  });

  test('of an unproven key is not used up by what was refused to another at that address', async () => {
    const app = openApp();
    await runTimes(app, 400, { key: 'loud' });
    expect(await runTimes(app, 30, { key: 'quiet' })).toEqual(['200 success']);
  });

  test('admits exactly 30 of a burst', async () => {
    const app = openScriptsApp();
    const key = await app.newKey();
    const burst = await Promise.all(Array.from({ length: 100 }, () => run(app, { key })));
    expect(burst.filter(({ status }) => status === 200)).toHaveLength(30);
  });
});

describe('the run', () => {
  test('is answered with what the evaluate contract answers, and its refusals pass', async () => {
    const app = openApp({
      serveRun: async (c) => c.json(runAnswer({ plots: [1] }), 200, { 'x-its-own': 'yes' }),
    });
    const sent = await run(app);
    expect(sent.body).toEqual(runAnswer({ plots: [1] }));
    expect(sent.headers.get('x-its-own')).toBe('yes');
    const refusal = new Refusal('SCRIPT_ERROR', 'no', { extra: { diagnostics: [] } });
    const refused = await run(openApp({ serveRun: () => Promise.reject(refusal) }));
    expect(refused.body).toEqual({ status: 'error', code: 'SCRIPT_ERROR', message: 'no', diagnostics: [] });
  });

  test('is not begun for a caller who is refused', async () => {
    const serveRun = vi.fn();
    const app = openScriptsApp({ serveRun });
    for (const key of [undefined, '', 'x', STRANGE_KEY]) await run(app, { key });
    expect(serveRun).not.toHaveBeenCalled();
  });

  test('needs POST', async () => {
    const sent = await openApp().send('GET', '/api/run');
    expect([codeOf(sent), sent.headers.get('allow')]).toEqual(['405 METHOD_NOT_ALLOWED', 'POST']);
  });
});

describe('GET /api/usage', () => {
  const usageOf = async ({ send }: ScriptsApp, key: string) => (await send('GET', '/api/usage', { key })).body;

  test('starts at nothing and counts each run of the key that was answered', async () => {
    const app = openScriptsApp();
    const [ann, bob] = [await app.newKey('pro'), await app.newKey()];
    const nothing = { calls_used: 0, first_used_at: null, last_used_at: null };
    expect(await usageOf(app, ann)).toEqual({ status: 'success', tier: 'pro', usage: nothing });
    const firstMs = app.clock.nowMs;
    await run(app, { key: ann });
    app.clock.nowMs += 500;
    await run(app, { key: ann });
    expect((await usageOf(app, ann)).usage).toEqual({
      calls_used: 2,
      first_used_at: firstMs,
      last_used_at: firstMs + 500,
    });
    expect((await usageOf(app, bob)).usage).toEqual(nothing);
  });

  test('is metered for a key even where none is needed', async () => {
    const app = openApp({ allowOpenKeys: true });
    await run(app, { key: STRANGE_KEY });
    await run(app);
    expect((await usageOf(app, STRANGE_KEY)).usage.calls_used).toBe(1);
  });

  test('counts a run that was stopped at its time limit', async () => {
    const app = openScriptsApp({ serveRun: () => Promise.reject(new Refusal('TIMEOUT', 'stopped after 10 s')) });
    const key = await app.newKey();
    expect(codeOf(await run(app, { key }))).toBe('408 TIMEOUT');
    expect((await usageOf(app, key)).usage.calls_used).toBe(1);
  });

  test('does not count what was refused: by the gate, by the window, or by the contract', async () => {
    let fails = true;
    const app = openScriptsApp({
      serveRun: async (c) => {
        if (fails) throw new Refusal('SCRIPT_ERROR');
        return c.json(runAnswer());
      },
    });
    const key = await app.newKey();
    await run(app, { key });
    await run(app, { key: STRANGE_KEY });
    expect((await usageOf(app, key)).usage.calls_used).toBe(0);
    fails = false;
    await runTimes(app, 40, { key });
    expect((await usageOf(app, key)).usage.calls_used).toBe(29);
  });

  test('a store that cannot keep the count neither delays nor fails the run', async () => {
    const usageStore = { usage: async () => undefined, addUsage: () => Promise.reject(new Error('full')) };
    const app = openScriptsApp({ usageStore });
    const key = await app.newKey();
    expect(codeOf(await run(app, { key }))).toBe('200 success');
    expect((await usageOf(app, key)).usage.calls_used).toBe(1);
    expect(String(app.faults)).toContain('full');
  });
});

// A question that nobody answers comes to an end, and says what is certain about it.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ask, type Question, Refused, whenShutOut } from './ask.ts';
import { SendOnce } from './send-once.ts';

/** A server that takes the request, and says nothing until the page gives it up. */
const silent = (_: string, { signal }: RequestInit): Promise<Response> =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));

/** One that begins an answer, and says nothing more. */
const stalled = async (_: string, { signal }: RequestInit): Promise<Response> =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"resu'));
        signal?.addEventListener('abort', () => controller.error(signal.reason));
      },
    }),
  );

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const refusalOf = async (asked: Promise<unknown>, afterMs: number): Promise<Refused | undefined> => {
  let refusal: unknown;
  asked.catch((error: unknown) => {
    refusal = error;
  });
  await vi.advanceTimersByTimeAsync(afterMs);
  if (refusal !== undefined) expect(refusal).toBeInstanceOf(Refused);
  return refusal as Refused | undefined;
};

test.each([
  ['takes it and says nothing', silent],
  ['begins and stalls', stalled],
])('a server that %s: the question is over after 20 seconds', async (_, fetched) => {
  vi.stubGlobal('fetch', fetched);
  expect(await refusalOf(ask('/trades'), 19_000)).toBeUndefined();
  const refusal = await refusalOf(ask('/trades'), 20_000);
  expect(refusal).toMatchObject({ status: 0, message: 'Signalbox did not answer within 20 seconds.' });
});

test.each<[string, Question, number, string]>([
  ['a change may be done', { method: 'PUT', body: {} }, 60_000, 'It may have been done all the same: look before'],
  ['a look is no change', { method: 'POST', effect: 'none', body: {} }, 60_000, 'within 60 seconds.'],
  ['what is known to be slow gets its time', { withinMs: 180_000 }, 180_000, 'within 180 seconds.'],
])('%s', async (_, question, withinMs, words) => {
  vi.stubGlobal('fetch', silent);
  const asked = ask('/somewhere', question);
  expect(await refusalOf(asked, withinMs - 1)).toBeUndefined();
  const refusal = await refusalOf(asked, 1);
  expect([refusal?.status, refusal?.message]).toEqual([0, expect.stringContaining(words)]);
  if (!words.includes('may')) expect(refusal?.message).not.toContain('may have been done');
});

test('what goes out under one key may be sent again', async () => {
  vi.stubGlobal('fetch', silent);
  const refusal = await refusalOf(new SendOnce().post('/orders', {}), 60_000);
  expect(refusal?.message).toContain('it is never done twice');
});

test('a lost connection leaves the same doubt about a change, and none about a question', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('failed to fetch')));
  const change = await refusalOf(ask('/admin/kill-switch', { method: 'PUT', body: {} }), 0);
  expect(change).toMatchObject({ status: 0, message: expect.stringContaining('may have been done') });
  const question = await refusalOf(ask('/trades'), 0);
  expect(question).toMatchObject({ status: 0, message: 'Signalbox does not answer. Is it running?' });
});

test('who gives up is not told that the server was silent', async () => {
  for (const fetched of [silent, stalled]) {
    vi.stubGlobal('fetch', fetched);
    const giveUp = new AbortController();
    const asked = ask('/trades', { signal: giveUp.signal }).catch((error: Error) => error.name);
    await vi.advanceTimersByTimeAsync(1_000);
    giveUp.abort();
    expect(await asked).toBe('AbortError');
  }
});

test('an answer in time leaves no clock behind', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ result: 1 }));
  expect(await ask('/trades')).toEqual({ result: 1 });
  expect(vi.getTimerCount()).toBe(0);
});

test('an answer that cannot be read is no success, nor proof that nothing was done', async () => {
  vi.stubGlobal('fetch', async () => new Response('{"succ'));
  const refusal = await refusalOf(ask('/orders', { method: 'POST', body: {} }), 0);
  expect(refusal?.message).toContain('cannot be read');
  expect(refusal?.message).toContain('may have been done');
});

test.each<[string, Question, boolean]>([
  ['its session ends the page', {}, true],
  ['a key of the user leaves the page as it is', { key: 'pn_not_this_one' }, false],
  ['the token of the wallet leaves the page as it is', { headers: { 'x-wallet-token': 'not this one' } }, false],
])('a 401 about %s', async (_, question, isShut) => {
  vi.stubGlobal('fetch', async () => Response.json({ error: 'no', code: 'UNAUTHORIZED' }, { status: 401 }));
  const told = vi.fn();
  const stop = whenShutOut(told);
  expect(await refusalOf(ask('/somewhere', question), 0)).toMatchObject({ status: 401 });
  stop();
  expect(told).toHaveBeenCalledTimes(isShut ? 1 : 0);
});

// What must not happen twice goes out under one key until it is certain what became of it.

import { afterEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { SendOnce } from './send-once.ts';

afterEach(() => vi.unstubAllGlobals());

/** Sends twice, the first time answered like this; true where the second has the key of the first. */
async function keepsKeyAfter(name: string, answer: () => Promise<Response>): Promise<boolean> {
  const keys: string[] = [];
  vi.stubGlobal('fetch', async (_: string, { body }: { body: string }) => {
    keys.push((JSON.parse(body) as { idempotencyKey: string }).idempotencyKey);
    return keys.length === 1 ? answer() : Response.json({});
  });
  const once = new SendOnce();
  await once.post('/orders', { test: name }).catch(() => undefined);
  await once.post('/orders', { test: name });
  expect(z.uuidv4().safeParse(keys[0]).success).toBe(true);
  return keys[0] === keys[1];
}

test('after an answer that says itself that nobody knows, the key stays', async () => {
  const keys: string[] = [];
  vi.stubGlobal('fetch', async (_: string, { body }: { body: string }) => {
    keys.push((JSON.parse(body) as { idempotencyKey: string }).idempotencyKey);
    return Response.json({ status: ['Unknown', 'Filled'][keys.length - 1] });
  });
  const once = new SendOnce();
  const isCertain = ({ status }: { status?: string }) => status !== 'Unknown';
  const close = () => once.post('/positions/close', {}, { isCertain });
  for (let times = 0; times < 3; times++) await close();
  expect(keys[1]).toBe(keys[0]);
  expect(keys[2]).not.toBe(keys[0]);
});

const refused = (status: number, code?: string) => async () => Response.json({ error: 'no', code }, { status });

test.each([
  ['no answer', () => Promise.reject(new TypeError('failed to fetch'))],
  ['a cut one', async () => new Response('{"succ')],
  ['the page of a proxy', async () => new Response('<h1>Bad gateway</h1>', { status: 502 })],
  ['a proxy that says 404', async () => new Response('<h1>Not here</h1>', { status: 404 })],
  ['STORAGE_UNKNOWN', refused(500, 'STORAGE_UNKNOWN')],
  ['408', refused(408, 'TIMEOUT')],
  ['DUPLICATE_SIGNAL', refused(409, 'DUPLICATE_SIGNAL')],
  ['DUPLICATE_TRANSACTION', refused(409, 'DUPLICATE_TRANSACTION')],
])('after %s the key stays', async (name, answer) => expect(await keepsKeyAfter(name, answer)).toBe(true));

test.each([
  ['success', async () => Response.json({ success: true })],
  ['a refusal', refused(422, 'ORDER_REJECTED')],
  ['a limit', refused(429, 'RATE_LIMITED')],
])('after %s the next is another one', async (name, answer) => expect(await keepsKeyAfter(name, answer)).toBe(false));

const lost = () => Promise.reject(new TypeError('failed to fetch'));
const done = async (): Promise<Response> => Response.json({ success: true });
const duplicate = refused(409, 'DUPLICATE_SIGNAL');

/** Answers one after the other; returns the keys that were sent. */
function answering(...answers: readonly (() => Promise<Response>)[]): readonly string[] {
  const keys: string[] = [];
  vi.stubGlobal('fetch', async (_: string, { body }: { body: string }) => {
    keys.push((JSON.parse(body) as { idempotencyKey: string }).idempotencyKey);
    return answers[keys.length - 1]?.();
  });
  return keys;
}
const quietly = (sent: Promise<unknown>): Promise<unknown> => sent.catch((error: unknown) => error);

test('a question opened anew sends the same under the same key until it is certain, and something else under its own', async () => {
  const body = { market: 'ANEWUSDT', apiKey: 'not part of what it is' };
  const keys = answering(lost, done, done, done);
  await quietly(new SendOnce().post('/orders', body));
  await new SendOnce().post('/orders', { market: 'OTHERUSDT' });
  await new SendOnce().post('/orders', { ...body, apiKey: 'another' });
  await new SendOnce().post('/orders', body);
  expect(keys[2]).toBe(keys[0]);
  expect(new Set(keys).size).toBe(3);
});

test('a refusal of the second try proves nothing about the first', async () => {
  const keys = answering(lost, refused(422, 'LIMIT_OPEN_POSITIONS'), duplicate, done);
  const once = new SendOnce();
  await quietly(once.post('/orders', { market: 'TWOUSDT' }));
  await quietly(once.post('/orders', { market: 'TWOUSDT' }));
  expect(await quietly(new SendOnce().post('/orders', { market: 'TWOUSDT' }))).toMatchObject({ isOther: false });
  await new SendOnce().post('/orders', { market: 'TWOUSDT' });
  expect([keys[1], keys[2]]).toEqual([keys[0], keys[0]]);
  expect(keys[3]).not.toBe(keys[0]);
});

test('what was changed after a lost answer goes out under the same key, and is not taken for what was done', async () => {
  const keys = answering(lost, duplicate, duplicate);
  const once = new SendOnce();
  await quietly(once.post('/orders', { size: 3 }));
  expect(await quietly(once.post('/orders', { size: 4 }))).toMatchObject({ isOther: true });
  expect(await quietly(once.post('/orders', { size: 3 }))).toMatchObject({ isOther: false });
  expect(new Set(keys).size).toBe(1);
});

test('another quote of the same swap is the same swap', async () => {
  const keys = answering(lost, done);
  const swap = { chain: 'ethereum', amountIn: '5', minAmountOut: '10', slippageBps: 50 };
  await quietly(new SendOnce().post('/wallet/swap', swap));
  await new SendOnce().post('/wallet/swap', { ...swap, minAmountOut: '11' });
  expect(keys[1]).toBe(keys[0]);
});

test('after a day the server may know the key no more, so the next is another one', async () => {
  vi.useFakeTimers();
  const keys = answering(lost, done);
  await quietly(new SendOnce().post('/orders', { market: 'DAYUSDT' }));
  vi.advanceTimersByTime(86_400_000);
  await new SendOnce().post('/orders', { market: 'DAYUSDT' });
  vi.useRealTimers();
  expect(keys[1]).not.toBe(keys[0]);
});

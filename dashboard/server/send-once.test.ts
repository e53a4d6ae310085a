// What must not happen twice goes out under one key until it is certain what became of it.

import { afterEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { SendOnce } from './send-once.ts';

afterEach(() => vi.unstubAllGlobals());

/** Sends twice, the first time answered like this; true where the second has the key of the first. */
async function keepsKeyAfter(answer: () => Promise<Response>): Promise<boolean> {
  const keys: string[] = [];
  vi.stubGlobal('fetch', async (_: string, { body }: { body: string }) => {
    keys.push((JSON.parse(body) as { idempotencyKey: string }).idempotencyKey);
    return keys.length === 1 ? answer() : Response.json({});
  });
  const once = new SendOnce();
  await once.post('/orders', {}).catch(() => undefined);
  await once.post('/orders', {});
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
  const close = () => once.post<{ status?: string }>('/positions/close', {}, ({ status }) => status !== 'Unknown');
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
])('after %s the key stays', async (_, answer) => expect(await keepsKeyAfter(answer)).toBe(true));

test.each([
  ['success', async () => Response.json({ success: true })],
  ['a refusal', refused(422, 'ORDER_REJECTED')],
  ['a limit', refused(429, 'RATE_LIMITED')],
])('after %s the next is another one', async (_, answer) => expect(await keepsKeyAfter(answer)).toBe(false));

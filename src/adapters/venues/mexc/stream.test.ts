// What MEXC's stream tells of orders and plan orders, by which id.

import { expect, test } from 'vitest';
import { createStream } from './stream.ts';

const read = async (message: object) => {
  const parts = { client: { readClock: async () => 0 }, signer: { apiKey: 'key', signText: () => 'signed' } };
  const stops = {
    idOfOrder: (id: unknown) => (id === '7' ? 'sbx-stop' : undefined),
    idOfPlan: (id: unknown) => (id === '3' ? 'sbx-stop' : undefined),
  };
  const given = { ...parts, streamUrl: 'ws://127.0.0.1', isTestnet: false, nowMs: () => 1 } as never;
  return (await createStream(given, stops).plan()).read(message);
};

test.each([
  ['an order of ours by its own id', 'order', { orderId: '1', externalOid: 'sbx-a' }, ['sbx-a']],
  ['the order of a stop by the id of the stop', 'order', { orderId: '7', externalOid: '_m_5' }, ['sbx-stop']],
  ['a plan order of ours by the id of the stop', 'plan.order', { id: '3', orderId: '0' }, ['sbx-stop']],
])('tells of %s', async (_, topic, data, news) => {
  expect(await read({ channel: `push.personal.${topic}`, data })).toEqual({ kind: 'news', news });
});

test('says nothing of a plan order that is not ours, and of a position', async () => {
  expect(await read({ channel: 'push.personal.plan.order', data: { id: '4' } })).toEqual({ kind: 'nothing' });
  expect(await read({ channel: 'push.personal.position', data: { orderId: '7' } })).toEqual({ kind: 'nothing' });
});

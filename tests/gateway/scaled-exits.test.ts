// Scaled exits through the front door: limit closes beside each other, and what a close makes go.

import { beforeEach, expect, it } from 'vitest';
import type { RangeSource } from '../../src/market-data/price-source.ts';
import { setLimits } from '../limits/provoke.ts';
import type { Sent, TestGateway } from '../support/gateway.ts';
import { expectFilled, freshGateway } from '../webhook/answers.ts';

const AT_100: RangeSource = {
  label: 'simulated',
  lastPrice: async () => '100',
  bars: async () => [],
  range: async () => undefined,
};

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await freshGateway({ prices: AT_100 });
});

interface Row {
  readonly clientOrderId: string;
  readonly quantity: number;
  readonly price: number;
}
const open = async (): Promise<readonly Row[]> => (await gateway.request('GET', '/orders')).body.result;
/** `3@110`, oldest first. */
const restingNow = async (): Promise<string> =>
  [...(await open())]
    .reverse()
    .map(({ quantity, price }) => `${quantity}@${price}`)
    .join(' ');
const long = (quantity: number, fields: object = {}): Promise<Sent> => gateway.send({ quantity, ...fields });
const close = (quantity: number, fields: object = {}): Promise<Sent> =>
  gateway.send({ action: 'CLOSE_LONG', quantity, ...fields });
const idOf = async (price: number): Promise<string> =>
  (await open()).find((row) => row.price === price)?.clientOrderId as string;
const held = async (): Promise<number> => (await gateway.request('GET', '/positions')).body.result[0]?.quantity ?? 0;

it('limit closes live beside each other up to what is held, and what does not fit beside a new one goes', async () => {
  expectFilled(await long(9));
  for (const price of [110, 120, 130]) {
    const { body } = await close(3, { price });
    expect(body.tradeResult).toMatchObject({ status: 'Submitted' });
    expect(body.tradeResult).not.toHaveProperty('canceled');
  }
  expect(await restingNow()).toBe('3@110 3@120 3@130');
  const newest = await idOf(130);
  const fourth = await close(2, { price: 140 });
  expect(fourth.body.tradeResult).toMatchObject({ status: 'Submitted', canceled: [newest] });
  expect(await restingNow()).toBe('3@110 3@120 2@140');
  const story = await gateway.trade(fourth.body.requestId);
  expect(story.events).toContainEqual(expect.objectContaining({ kind: 'orders-canceled', detail: newest }));
});

it('a close of a part at market leaves what fits into the rest, and entries too', async () => {
  expectFilled(await long(9));
  await long(2, { price: 90 });
  await close(3, { price: 110 });
  await close(3, { price: 120 });
  const exact = await close(3);
  expect(exact.body.tradeResult).toMatchObject({ status: 'Filled', executedQty: 3 });
  expect(exact.body.tradeResult).not.toHaveProperty('canceled');
  expect(await restingNow()).toBe('2@90 3@110 3@120');
  const newest = await idOf(120);
  const more = await close(1);
  expect(more.body.tradeResult).toMatchObject({ status: 'Filled', canceled: [newest] });
  expect(await restingNow()).toBe('2@90 3@110');
  expect(await held()).toBe(5);
});

it.each([9, 10])('a close of %d of 9 clears the side, entries too, at market and at a limit', async (quantity) => {
  for (const [fields, left] of [
    [{}, ''],
    [{ price: 150 }, '9@150'],
  ] as const) {
    expectFilled(await long(9));
    await long(2, { price: 90 });
    await close(3, { price: 110 });
    const ids = [await idOf(90), await idOf(110)];
    const { body } = await close(quantity, fields);
    expect([...body.tradeResult.canceled].sort()).toEqual(ids.sort());
    expect(await restingNow()).toBe(left);
  }
});

it('a strategy makes only its own orders go', async () => {
  expectFilled(await long(4, { strategy: 'trend' }));
  expectFilled(await long(4, { strategy: 'range' }));
  await close(4, { price: 110, strategy: 'trend' });
  await close(2, { price: 120, strategy: 'range' });
  const { body } = await close(3, { strategy: 'range' });
  expect(body.tradeResult.canceled).toHaveLength(1);
  expect(await restingNow()).toBe('4@110');
});

it('percent of the position: a half leaves the half that waits, all of it clears the side', async () => {
  expectFilled(await long(8));
  await close(4, { price: 110 });
  const half = await close(50, { quantityType: 'percent_position' });
  expect(half.body.tradeResult).toMatchObject({ status: 'Filled', executedQty: 4 });
  expect(await restingNow()).toBe('4@110');
  const all = await close(100, { quantityType: 'percent_position' });
  expect(all.body.tradeResult.canceled).toHaveLength(1);
  expect([await restingNow(), await held()]).toEqual(['', 0]);
});

it('a close that is refused makes nobody go', async () => {
  expectFilled(await long(4));
  await close(2, { price: 110 });
  await close(2, { price: 120 });
  const sent = await close(0.0000001);
  expect(sent.status).toBe(422);
  expect(await restingNow()).toBe('2@110 2@120');
});

/** As its story tells it. */
const canceledBy = async (requestId: string): Promise<readonly string[]> => {
  const events: readonly { kind: string; detail: string }[] = (await gateway.trade(requestId)).events;
  return events.flatMap(({ kind, detail }) => (kind === 'orders-canceled' ? [detail] : []));
};

it.each([0.001, 5, 999])(
  'a close of %d of nothing is refused, and withdraws the entry that waits',
  async (quantity) => {
    const entry = await long(2, { price: 90 });
    const { status, body } = await close(quantity);
    expect([status, body.code]).toEqual([422, 'ORDER_REJECTED']);
    expect(body.tradeResult.canceled).toHaveLength(1);
    expect(await restingNow()).toBe('');
    expect(await canceledBy(body.requestId)).toEqual(body.tradeResult.canceled);
    expect((await gateway.trade(entry.body.requestId)).status).toBe('Canceled');
  },
);

it('a close of everything at a price that no order can have makes nobody go', async () => {
  expectFilled(await long(4));
  await close(2, { price: 110 });
  expect((await close(4, { price: 0.000001 })).status).toBe(422);
  expect(await restingNow()).toBe('2@110');
});

it('a close of all there is, which is nothing, withdraws the entry that waits, and says so although it is refused', async () => {
  await long(2, { price: 90 });
  const waiting = await idOf(90);
  const { status, body } = await close(100, { quantityType: 'percent_position' });
  expect([status, body.code]).toEqual([422, 'ORDER_REJECTED']);
  expect(body.tradeResult).toMatchObject({ status: 'Rejected', canceled: [waiting] });
  expect(await restingNow()).toBe('');
  expect(await canceledBy(body.requestId)).toEqual([waiting]);
});

it('a reversal at market withdraws what waits on the side it leaves, of its own strategy, and says so', async () => {
  for (const strategy of ['trend', 'range']) {
    expectFilled(await long(2, { strategy }));
    await long(2, { price: strategy === 'trend' ? 90 : 80, strategy });
  }
  await close(1, { price: 110, strategy: 'trend' });
  const going = [await idOf(90), await idOf(110)].sort();
  const { body } = await gateway.send({ action: 'SHORT', quantity: 5, strategy: 'trend' });
  expect(body.tradeResult).toMatchObject({ status: 'Filled', executedQty: 5 });
  expect([...body.tradeResult.canceled].sort()).toEqual(going);
  expect([...(await canceledBy(body.requestId))].sort()).toEqual(going);
  expect(await restingNow()).toBe('2@80');
  const [id] = going as [string, string];
  const [ended] = (await gateway.request('GET', '/orders?state=all')).body.result.filter(
    (row: Row) => row.clientOrderId === id,
  );
  expect((await gateway.trade(ended.requestId)).error).toBe('canceled because the position was reversed');
});

it.each([{ quantity: 0.0000001 }, { quantity: 3, stopLoss: 50 }, { quantity: 3, price: 120 }])(
  'a reversal that is refused makes nobody go: %j',
  async (fields) => {
    expectFilled(await long(2));
    await long(2, { price: 90 });
    expect((await gateway.send({ action: 'SHORT', ...fields })).status).toBe(422);
    expect(await restingNow()).toBe('2@90');
  },
);

it('a reversal that a limit refuses makes nobody go', async () => {
  expect((await setLimits(gateway, 'account', 'binance:main', { largestOrder: 250 })).status).toBe(200);
  expectFilled(await long(2));
  await long(2, { price: 90 });
  const { body } = await gateway.send({ action: 'SHORT', quantity: 3 });
  expect(body.code).toBe('LIMIT_LARGEST_ORDER');
  expect(await restingNow()).toBe('2@90');
});

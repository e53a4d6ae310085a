// Fills that the stream tells: taken when they add up to what was executed, and never otherwise.

import { expect, test } from 'vitest';
import { createHandClock } from '../../../timing/testing/hand-clock.ts';
import { decimal } from '../../../trading/decimal.ts';
import { ToldFills } from './told-fills.ts';

const ORDER = 'sbx-1';

interface Told {
  readonly number: number;
  readonly quantity: string;
  readonly clientOrderId?: string;
  readonly change?: string;
  readonly feeAsset?: string;
  readonly price?: string;
}

const message = ({
  number,
  quantity,
  clientOrderId = ORDER,
  change = 'TRADE',
  feeAsset = 'USDT',
  price = '50',
}: Told) => ({
  e: 'ORDER_TRADE_UPDATE',
  o: { c: clientOrderId, x: change, t: number, l: quantity, L: price, n: '0.01', N: feeAsset, rp: '0.5', T: 1000 },
});

function open() {
  const clock = createHandClock(0);
  const told = new ToldFills(clock.timers);
  const hear = (...messages: readonly Told[]): void => {
    for (const each of messages) told.hear(message(each));
  };
  const numbers = async (quantity: string, clientOrderId = ORDER): Promise<readonly string[] | undefined> => {
    const found = told.of(clientOrderId, decimal(quantity));
    await clock.advance(100);
    return (await found)?.map(({ fillId }) => fillId);
  };
  return { clock, told, hear, numbers };
}

test('fills that add up are taken, with their prices, fees and times', async () => {
  const { told, hear } = open();
  hear({ number: 7, quantity: '0.3' }, { number: 8, quantity: '0.7' });
  const each = { price: decimal(50), fee: decimal('0.01'), realizedPnl: decimal('0.5'), atMs: 1000 };
  expect(await told.of(ORDER, decimal(1))).toEqual([
    { fillId: '7', quantity: decimal('0.3'), ...each },
    { fillId: '8', quantity: decimal('0.7'), ...each },
  ]);
});

test.each<[string, readonly Told[]]>([
  ['one is lost', [{ number: 7, quantity: '0.3' }]],
  ['none was told', []],
  [
    'the stream is ahead of the answer',
    [
      { number: 7, quantity: '0.3' },
      { number: 8, quantity: '0.9' },
    ],
  ],
  ['they are of another order', [{ number: 7, quantity: '1', clientOrderId: 'sbx-2' }]],
  ['what is told is no fill', [{ number: 7, quantity: '1', change: 'NEW' }]],
  ['the fee is in a coin with a price of its own', [{ number: 7, quantity: '1', feeAsset: 'BNB' }]],
  ['the number of the fill is too large to be exact', [{ number: 2 ** 53, quantity: '1' }]],
  ['a price makes no sense', [{ number: 7, quantity: '1', price: 'dear' }]],
  ['a price is nothing', [{ number: 7, quantity: '1', price: '0' }]],
  ['a price is less than nothing', [{ number: 7, quantity: '1', price: '-50' }]],
  [
    'one takes a part of another back',
    [
      { number: 7, quantity: '1.5' },
      { number: 8, quantity: '-0.5' },
    ],
  ],
])('they have to be read where %s', async (_, messages) => {
  const { hear, numbers } = open();
  hear(...messages);
  expect(await numbers('1')).toBeUndefined();
});

test('one that is told twice counts once, and the order in which they come does not matter', async () => {
  const { hear, numbers } = open();
  hear({ number: 8, quantity: '0.7' }, { number: 7, quantity: '0.3' }, { number: 8, quantity: '0.7' });
  expect(await numbers('1')).toEqual(['8', '7']);
});

test('one of nothing is left out', async () => {
  const { hear, numbers } = open();
  hear({ number: 7, quantity: '1' }, { number: 8, quantity: '0' });
  expect(await numbers('1')).toEqual(['7']);
});

test('one that comes a moment after the answer is waited for, and no longer than that', async () => {
  const { clock, told, hear } = open();
  hear({ number: 7, quantity: '0.3' });
  const found = told.of(ORDER, decimal(1));
  const late = told.of(ORDER, decimal(2));
  await clock.advance(99);
  hear({ number: 8, quantity: '0.7' });
  expect(await found).toHaveLength(2);
  await clock.advance(1);
  hear({ number: 9, quantity: '1' });
  expect(await late).toBeUndefined();
  expect(clock.waiting).toBe(0);
});

test('names that the venue gives to several orders of its own are never taken, nor waited for', async () => {
  const { clock, told, hear } = open();
  hear({ number: 7, quantity: '1', clientOrderId: 'adl_autoclose' });
  expect(await told.of('adl_autoclose', decimal(1))).toBeUndefined();
  expect(clock.waiting).toBe(0);
});

test('of more orders than anybody asks for the oldest are forgotten', async () => {
  const { hear, numbers } = open();
  for (let index = 0; index <= 2000; index += 1) hear({ number: index, quantity: '1', clientOrderId: `sbx-${index}` });
  expect(await numbers('1', 'sbx-0')).toBeUndefined();
  expect(await numbers('1', 'sbx-1')).toEqual(['1']);
});

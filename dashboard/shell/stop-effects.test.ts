// What the kill switch says it would do to the orders and positions that are out now.

import { describe, expect, test } from 'vitest';
import type { Order, Position } from '../server/answers.ts';
import { MOST_OPEN_ORDERS } from '../server/open-orders.ts';
import { entriesEffect, positionsEffect } from './stop-effects.ts';

const order = (over: Partial<Order> = {}): Order =>
  ({
    ...{ exchange: 'bybit', account: 'main', mode: 'live', market: 'BTCUSDT', side: 'BUY', positionSide: 'LONG' },
    ...{ reduceOnly: false, quantity: 0.2, executedQty: 0, price: 50_000, status: 'Submitted' },
    ...over,
  }) as Order;
const position = (over: Partial<Position> = {}): Position =>
  ({
    ...{ exchange: 'binance', account: 'main', mode: 'live', market: 'ETHUSDT', side: 'SHORT', quantity: 2 },
    ...over,
  }) as Position;
const PAPER = { mode: 'paper' } as const;

describe('resting entries', () => {
  test.each([
    ['nobody knows', undefined, 'Not known how many rest now.'],
    ['there is none', [], 'None rests now.'],
    ['there is one', [order()], 'Takes back 1 resting entry (LIVE): BUY 0.2 BTCUSDT on bybit.'],
    [
      'a part of it has filled, on another account',
      [order({ executedQty: 0.05, account: 'scalp' })],
      'Takes back 1 resting entry (LIVE): BUY 0.2 BTCUSDT on bybit:scalp, of which 0.05 has filled and stays.',
    ],
    [
      'they are of several kinds of money, the real one first',
      [order(PAPER), order({ side: 'SELL', market: 'SOLUSDT' })],
      'Takes back 2 resting entries (LIVE 1, PAPER 1): SELL 0.2 SOLUSDT on bybit, BUY 0.2 BTCUSDT on bybit.',
    ],
    [
      'there are too many to name',
      [order(), order(), order(), order(), order()],
      'Takes back 5 resting entries (LIVE): BUY 0.2 BTCUSDT on bybit, BUY 0.2 BTCUSDT on bybit, BUY 0.2 BTCUSDT on bybit and 2 more.',
    ],
    ['only orders rest that close', [order({ reduceOnly: true })], 'None rests now. 1 order that closes stays.'],
    [
      'others close',
      [order({ reduceOnly: true }), order(), order({ reduceOnly: true })],
      'Takes back 1 resting entry (LIVE): BUY 0.2 BTCUSDT on bybit. 2 orders that close stay.',
    ],
  ])('when %s', (_, orders, words) => {
    expect(entriesEffect(orders, true)).toBe(words);
  });

  test('that stay may fill', () => {
    const stays = '1 resting entry (LIVE) stays and may fill: BUY 0.2 BTCUSDT on bybit.';
    expect(entriesEffect([order()], false)).toBe(stays);
    const stay =
      '2 resting entries (PAPER) stay and may fill: BUY 0.2 BTCUSDT on bybit, BUY 0.2 BTCUSDT on bybit. 1 order that closes stays.';
    expect(entriesEffect([order(PAPER), order(PAPER), order({ reduceOnly: true })], false)).toBe(stay);
    expect(entriesEffect([], false)).toBe('None rests now.');
    expect(entriesEffect(undefined, false)).toBe('Not known how many rest now.');
  });

  test('are no fewer than are listed where the list is full', () => {
    const full = Array.from({ length: MOST_OPEN_ORDERS }, (_, at) => order({ reduceOnly: at < 2 }));
    expect(entriesEffect(full, true)).toMatch(/^Takes back at least 498 resting entries .*and 495 more. At least 2/);
    expect(entriesEffect(full.slice(1), true)).toMatch(/^Takes back 498 resting entries .*\. 1 order that closes/);
  });
});

describe('positions', () => {
  test.each([
    ['nobody knows', undefined, true, 'Closes all there are, on every account, at once. Not known which.'],
    ['nothing is held', [], true, 'Nothing is held now.'],
    ['one is closed', [position()], true, 'Closes 1 position (LIVE) at once: SHORT 2 ETHUSDT on binance.'],
    [
      'several are closed',
      [position(PAPER), position({ market: 'SOLUSDT', side: 'LONG', quantity: 0.5 })],
      true,
      'Closes 2 positions (LIVE 1, PAPER 1) at once: LONG 0.5 SOLUSDT on binance, SHORT 2 ETHUSDT on binance.',
    ],
    [
      'the shares of one cancel each other out',
      [position({ quantity: 0 })],
      true,
      'Closes 1 position (LIVE) at once: the shares of ETHUSDT on binance.',
    ],
    ['one stays', [position()], false, '1 position (LIVE) stays open.'],
    ['several stay', [position(), position(PAPER)], false, '2 positions (LIVE 1, PAPER 1) stay open.'],
    ['nobody knows what stays', undefined, false, 'Not known what is held now.'],
    ['nothing stays', [], false, 'Nothing is held now.'],
  ])('when %s', (_, positions, isClosed, words) => {
    expect(positionsEffect(positions, isClosed)).toBe(words);
  });
});

// The steps of a trade's life: their order, what passed between them, and what the journal's own words become.

import { expect, test } from 'vitest';
import type { TradeDetail } from '../../server/answers.ts';
import { timelineOf, tookMs } from './timeline.ts';

const STOP = { stopLoss: { price: 90, asked: { price: 90 }, isBreakEven: false }, takeProfit: null, trail: null };
const trade = (fields: object): TradeDetail =>
  ({
    ...{ receivedAt: 100, source: 'webhook', keyLabel: 'default', exchange: 'binance', account: 'main' },
    ...{ orders: [], fills: [], events: [], protection: null, ...fields },
  }) as unknown as TradeDetail;
const told = (fields: object) => timelineOf(trade(fields)).map(({ at, sinceMs, title }) => [at, sinceMs, title]);

test('received, gates, sent, filled, protected, told, with what passed between them', () => {
  const events = [
    { at: 101, kind: 'accepted', detail: null },
    { at: 118, kind: 'sending', detail: 'open' },
    { at: 160, kind: 'filled', detail: 'x, 1 at 100' },
    { at: 400, kind: 'notified', detail: 'telegram' },
  ];
  const protection = { ...STOP, entryPrice: 100, targets: [], maxHoldSeconds: null, createdAt: 155 };
  expect(told({ events, fills: [{ at: 140 }], protection })).toEqual([
    [100, 0, 'Received'],
    [101, 1, 'Passed the gates'],
    [118, 17, 'Sent'],
    [140, 22, 'Filled'],
    [155, 15, 'Protected'],
    [400, 245, 'Told'],
  ]);
  expect(tookMs(timelineOf(trade({ events, fills: [{ at: 140 }] })))).toBe(40);
});

test.each([
  [3, 118],
  [99_999, 160],
])('a venue whose clock says %i does not turn the order round', (at, shown) => {
  const events = [
    { at: 118, kind: 'sending', detail: 'open' },
    { at: 160, kind: 'filled', detail: '' },
  ];
  expect(told({ events, fills: [{ at }] }).at(-1)).toEqual([shown, shown - 118, 'Filled']);
});

test('stops are told as they were asked for, and those that wait for a fill guard nothing yet', () => {
  const detail =
    '{"stopLoss":{"unit":"percent","value":{"decimal":"5"}},"trail":{"unit":"price","value":{"decimal":"12.5"}}}';
  const steps = timelineOf(
    trade({
      events: [{ at: 101, kind: 'stops-asked', detail }],
      protection: { ...STOP, entryPrice: null, targets: [], maxHoldSeconds: null, createdAt: 101 },
    }),
  );
  expect(steps.map(({ words }) => words)).toEqual(['a signal by webhook, default', 'stop 5 % · trail 12.5']);
  expect(timelineOf(trade({ events: [{ at: 1, kind: 'stops-asked', detail: 'broken' }] })).at(-1)?.words).toBeDefined();
});

test('an event without words of its own is told as it is named', () => {
  expect(told({ events: [{ at: 100, kind: 'something-new', detail: null }] }).at(-1)).toEqual([
    100,
    0,
    'something new',
  ]);
});

test('without a fill nothing took any time', () => {
  expect(tookMs(timelineOf(trade({})))).toBeUndefined();
});

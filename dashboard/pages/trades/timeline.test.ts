// The steps of a trade's life: their order, what passed between them, and what the journal's own words become.

import { expect, test } from 'vitest';
import type { TradeDetail } from '../../server/answers.ts';
import { askedStopParts, timelineOf, tookMs } from './timeline.ts';

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

test('stops that were there before the signal are changed by its first fill, and time counts from when it came', () => {
  const events = [
    { at: 101, kind: 'accepted', detail: null },
    { at: 110, kind: 'partially_filled', detail: 'x, 1 at 100' },
    { at: 116, kind: 'filled', detail: 'x, 2 at 100' },
  ];
  const protection = { ...STOP, entryPrice: 100, targets: [], maxHoldSeconds: null, createdAt: 3 };
  expect(told({ events, protection })).toEqual([
    [100, 0, 'Received'],
    [101, 1, 'Passed the gates'],
    [110, 9, 'Partly filled'],
    [110, 0, 'Changed the stops of all that is held'],
    [116, 6, 'Filled'],
  ]);
  expect(tookMs(timelineOf(trade({ events, protection })))).toBe(16);
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
  expect(steps.map(({ words }) => words)).toEqual([
    'a signal by webhook, default',
    'stop 5 % · trailing stop 12.5 behind',
  ]);
  expect(askedStopParts(trade({ events: [{ at: 101, kind: 'stops-asked', detail }] }))).toEqual([
    'stop 5 %',
    'trailing stop 12.5 behind',
  ]);
  expect(askedStopParts(trade({}))).toBeUndefined();
  expect(timelineOf(trade({ events: [{ at: 1, kind: 'stops-asked', detail: 'broken' }] })).at(-1)?.words).toBeDefined();
});

test('several targets, a stop that moves to entry and a time stop are told too', () => {
  const level = (percent: string) => ({ unit: 'percent', value: { decimal: percent } });
  const detail = JSON.stringify({
    targets: [
      { level: level('2'), share: { decimal: '0.5' } },
      { level: level('4'), share: { decimal: '0.5' } },
    ],
    ...{ breakEvenAfter: 1, trail: level('1'), activationPrice: { decimal: '120' }, maxHoldSeconds: 3600 },
  });
  expect(timelineOf(trade({ events: [{ at: 101, kind: 'stops-asked', detail }] })).at(-1)?.words).toBe(
    [
      ...[
        'first target 2 % closes 50 %',
        'second target 4 % closes 50 %',
        'stop moves to entry after the first target',
      ],
      ...['trailing stop 1 % behind, begins at 120', 'held 1 h at most'],
    ].join(' · '),
  );
});

test('a fill is told with what has filled, and with what was asked for where that is something else', () => {
  const events = [{ at: 101, kind: 'filled', detail: 'paper-binance-000009, 5 at 164.48' }];
  const words = (fields: object) => timelineOf(trade({ events, ...fields })).at(-1)?.words;
  const filled = { executedQty: 5, quantityType: 'base' };
  expect(words({ ...filled, quantity: 0.02 })).toBe('5 at 164.48 (0.02 asked)');
  expect(words({ ...filled, quantity: 5 })).toBe('5 at 164.48');
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

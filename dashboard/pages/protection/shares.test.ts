// What of a position has a stop.

import { expect, test } from 'vitest';
import type { Position, Protection } from '../../server/answers.ts';
import { barenessOf, sharesOf, shortStrategy } from './shares.ts';

const NONE = { stopLoss: null, takeProfit: null, trail: null };
const TRAIL = { asked: { percent: 2 }, activationPrice: 120, peak: null, stopPrice: null };
const LEVEL = { asked: 90, price: 90 };

const guardedBy = (guards: object, fields: object = {}): Position =>
  ({
    ...{ key: 'binance:BTCUSDT:LONG', side: 'LONG', strategies: [] },
    protections: [{ ...NONE, strategy: null, side: 'LONG', entryPrice: 100, ...guards } as unknown as Protection],
    ...fields,
  }) as unknown as Position;

test.each([
  ['nothing', {}, 'whole'],
  ['a target alone', { takeProfit: LEVEL }, 'whole'],
  ['a trail that has not begun', { trail: TRAIL }, 'whole'],
  ['a trail that has', { trail: { ...TRAIL, stopPrice: 98 } }, undefined],
  ['a stop', { stopLoss: LEVEL }, undefined],
  ['a stop beside a trail that has not begun', { stopLoss: LEVEL, trail: TRAIL }, undefined],
  ['a stop that waits for its entry', { stopLoss: LEVEL, entryPrice: null }, 'whole'],
])('%s', (_, guards, bareness) => expect(barenessOf(guardedBy(guards))).toBe(bareness));

test('a share knows of the stops that would go with its own: those of its entries that wait, and of no others', () => {
  const waiting = { ...NONE, strategy: null, side: 'LONG', entryPrice: null, stopLoss: LEVEL };
  const others = [
    { ...waiting, strategy: 'ema' },
    { ...waiting, side: 'SHORT' },
  ];
  const [share] = sharesOf({
    ...guardedBy({ stopLoss: LEVEL }),
    protections: [waiting, { ...waiting, entryPrice: 100 }, waiting, ...others] as unknown as Protection[],
    strategies: [{ strategy: null, side: 'LONG', quantity: 1 }] as unknown as Position['strategies'],
  });
  expect(share).toMatchObject({ guardedEntries: 2, protection: { entryPrice: 100 } });
});

test('the id of a deployment is cut beside a number, and a name is not', () => {
  expect(shortStrategy('deployment 8bb90f00-439e-8792-8b19-b5d97273e245')).toBe('deployment 8bb90f00…');
  expect(shortStrategy('deployment of 8bb90f00')).toBe('deployment of 8bb90f00');
});

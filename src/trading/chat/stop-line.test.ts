// How the owner's chat shows the stops of a position.

import { expect, it } from 'vitest';
import { decimal } from '../decimal.ts';
import type { Protection } from '../protection/protection.ts';
import type { ShownStop } from '../protection/venue-stop-store.ts';
import type { StopKind } from '../venue.ts';
import { stopLine } from './render-stops.ts';

const PLAIN: Protection = {
  ...{ exchange: 'binance', mode: 'paper', account: 'main', market: 'BTCUSDT', side: 'LONG', strategy: '' },
  ...{ createdAtMs: 0, seenUntilMs: 0, closeRequestId: 'x' },
};
const percent = { trail: { percent: decimal('2') } };

it.each<[words: string, levels: Partial<Protection>]>([
  ['trails by 2 %, stop at 98', { ...percent, peak: decimal('100') }],
  ['trails by 1.5, stop at 98.5', { trail: { amount: decimal('1.5') }, peak: decimal('100') }],
  ['trails by 1.26, stop at 98.7', { trail: { amount: decimal('1.26') }, peak: decimal('100') }],
  ['trails by 2 %, begins at 120', { ...percent, activationPrice: decimal('120') }],
  ['trails by 2 %, waits for a price', percent],
  ['stop loss 90, take profit 130', { stopLoss: decimal('90'), takeProfit: decimal('130') }],
  ['stop loss 90.1, take profit 130.2', { stopLoss: decimal('90.123'), takeProfit: decimal('130.123') }],
  [
    'stop loss 90, <b>being closed</b>',
    { stopLoss: decimal('90'), fired: { by: 'stop-loss', level: decimal('90'), atMs: 1 } },
  ],
])('a line reads: %s', (words, levels) => {
  expect(stopLine({ ...PLAIN, ...levels }, decimal('0.1'))).toBe(`<b>BTCUSDT</b> LONG on binance: ${words}`);
});

it.each([
  ['stop loss 90, at the exchange: stop 90 and take profit 130', [stopAt('stop', '90'), stopAt('take-profit', '130')]],
  ['stop loss 90, guarded by Signalbox alone', []],
  [
    'stop loss 90, at the exchange: stop 90 (placed, not known yet whether it stands)',
    [{ ...stopAt('stop', '90'), isKnown: false }],
  ],
])('where the exchange keeps stops it reads: %s', (words, atVenue) => {
  const line = stopLine({ ...PLAIN, stopLoss: decimal('90') }, decimal('0.1'), atVenue);
  expect(line).toBe(`<b>BTCUSDT</b> LONG on binance: ${words}`);
});

function stopAt(kind: StopKind, price: string): ShownStop {
  const of = { share: PLAIN, by: 'stop-loss', createdAtMs: 0, isKnown: true } as const;
  return { clientStopId: 'sbx', kind, ...of, quantity: decimal('1'), triggerPrice: decimal(price) };
}

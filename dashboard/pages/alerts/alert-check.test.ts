// The words of a checked alert, and what stands for its placeholders.

import { expect, test } from 'vitest';
import type { Checked } from '../../server/setup-answers.ts';
import { orderWords, protectionWords, samplesOf } from './alert-check.ts';

type Foreseen = Checked['accounts'][number];
const ORDER = {
  ...{ leg: 'open', side: 'BUY', positionSide: 'LONG', reduceOnly: false, type: 'market', quantity: 0.01 },
  ...{ price: null, timeInForce: null, postOnly: false },
} as const;
const foreseen = (fields: object): Foreseen =>
  ({ market: 'BTCUSDT', orders: [ORDER], protection: null, ...fields }) as Foreseen;

test('what the user wrote stands for a placeholder, else an example; what nobody fills in stays', () => {
  const seen = (placeholder: string, filledBy: 'tradingview' | 'signalbox' | null, example: string | null) => ({
    ...{ placeholder, filledBy, example, value: null },
  });
  const placeholders = [
    seen('{{ticker}}', 'tradingview', 'BTCUSDT.P'),
    seen('{{ close }}', 'tradingview', '68120.3'),
    seen('{{price}}', 'signalbox', null),
    seen('{{tikcer}}', null, null),
  ];
  expect(samplesOf(placeholders, { ticker: 'ETHUSDT', gone: 'x' })).toEqual({ ticker: 'ETHUSDT', close: '68120.3' });
});

test('orders are told one by one, with what each is for', () => {
  const flatten = { ...ORDER, leg: 'flatten', side: 'BUY', positionSide: 'SHORT', reduceOnly: true } as const;
  const limit = { ...ORDER, type: 'limit', price: 60_000, postOnly: true } as const;
  expect(orderWords(foreseen({ orders: [flatten, limit] }))).toEqual([
    'first, to close the other side: buy 0.01 BTCUSDT at the market, closes SHORT',
    'buy 0.01 BTCUSDT at 60,000, only as a maker, opens LONG',
  ]);
});

test('stops are told in one line, and nothing without any', () => {
  const none = { stopLoss: null, takeProfit: null, targets: [], trailPercent: null, trailAmount: null };
  const protection = { ...none, activationPrice: null, breakEvenAfter: null, maxHoldSeconds: null };
  expect(protectionWords(foreseen({}))).toBe('');
  expect(
    protectionWords(
      foreseen({
        protection: { ...protection, stopLoss: 49_000, targets: [{ price: 55_000, share: 0.5 }], breakEvenAfter: 1 },
      }),
    ),
  ).toBe('stop 49,000, 50 % at 55,000, break-even after 1 target');
});

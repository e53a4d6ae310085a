// What stands for the placeholders of a checked alert.

import { expect, test } from 'vitest';
import { samplesOf } from './alert-check.ts';

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

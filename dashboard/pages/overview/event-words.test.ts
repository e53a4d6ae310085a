// Sentences of the desk as the overview tells them: in the words of its lists, without what is only there to look for.

import { expect, test } from 'vitest';
import { eventWords } from './event-words.ts';

test.each([
  ['trade', 'LONG 0.2 ETHUSDT on binance (paper): Submitted', 'LONG 0.2 ETHUSDT on binance (paper): resting'],
  [
    'trade',
    'CLOSE_LONG 1 BTCUSDT on binance (paper): Filled 1 at 64250.5, profit 12345.67 before fees of 2.5',
    'CLOSE_LONG 1 BTCUSDT on binance (paper): filled 1 at 64,250.5, profit 12,345.67 before fees of 2.5',
  ],
  [
    'trade',
    'LONG 1 BTCUSDT on binance (paper): Filled 1 at 900 (at 2026-11-19)',
    'LONG 1 BTCUSDT on binance (paper): filled 1 at 900 (at 2026-11-19)',
  ],
  [
    'refusal',
    'Refused: LONG NOPE of tv at /webhook: binance has no market NOPE (UNKNOWN_SYMBOL)',
    'Refused: LONG NOPE of tv: binance has no market NOPE',
  ],
  ['refusal', 'Refused: a signal of tv at /webhook/tradingview: no (INVALID_JSON)', 'Refused: a signal of tv: no'],
  ['alarm', 'It waits at 64250 (SOMETHING)', 'It waits at 64250 (SOMETHING)'],
])('%s: %s', (kind, text, words) => expect(eventWords({ kind, text })).toBe(words));

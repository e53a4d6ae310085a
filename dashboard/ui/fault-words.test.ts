// The names of fields in a refusal, as somebody reads them who has never seen the interface.

import { expect, test } from 'vitest';
import { faultWords } from './fault-words.ts';

test.each([
  ['tags.0: is no tag, send a word', 'tag 1: is no tag, send a word'],
  ['targets.1.share: is too large, send less', 'target 2, share: is too large, send less'],
  ['stopLoss: is on the wrong side', 'stop loss: is on the wrong side'],
  [
    'takeProfit.percent: is too small; maxHoldSeconds: is no number',
    'take profit, percent: is too small; max hold seconds: is no number',
  ],
  // What is no field stays.
  ['note: is too long', 'note: is too long'],
  ['the venue says: orderLimit reached', 'the venue says: orderLimit reached'],
  ['BINANCE_MODE: must be one of these', 'BINANCE_MODE: must be one of these'],
  ['There is nothing at http://localhost:8787/x: start it', 'There is nothing at http://localhost:8787/x: start it'],
])('%s', (fault, words) => {
  expect(faultWords(fault)).toBe(words);
});

// Changes of the audit in words.

import { expect, test } from 'vitest';
import { changeWords } from './change-words.ts';

test.each([
  [null, 'async', 'async'],
  ['failover', 'async', 'failover → async'],
  [{ active: false, scope: 'all' }, { active: true, scope: 'all', reason: 'news' }, 'active no → yes, reason news'],
  [[], ['tradingview'], 'none → tradingview'],
  [null, { label: 'tv', symbols: null }, 'label tv'],
  [{ symbol: 'NQ1!', market: 'BTCUSDT' }, null, 'removed: NQ1!'],
  [{ limits: { rate: 1 } }, { limits: { rate: 2 } }, 'limits {"rate":1} → {"rate":2}'],
  [{ a: 1 }, { a: 1 }, 'nothing'],
])('%j to %j: %s', (before, after, words) => {
  expect(changeWords(before, after)).toBe(words);
});

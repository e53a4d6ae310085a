// A webhook key in words.

import { expect, test } from 'vitest';
import type { Refusal, Trade } from '../../server/answers.ts';
import type { WebhookKey } from '../../server/setup-answers.ts';
import { lastUsed, scopeWords } from './key-words.ts';

const KEY: WebhookKey = {
  ...{ keyId: 'k', label: 'tv', exchanges: null, symbols: null, routes: null, createdAt: 0 },
  ...{ rotatedAt: null, previousValidUntil: null, revokedAt: null, static: false },
};

test('what it may trade, and where that goes', () => {
  expect(scopeWords(KEY)).toBe('every market on every exchange');
  const routes = [
    { account: 'main', multiplier: 1 },
    { account: 'bybit:main', multiplier: 0.5 },
  ];
  expect(scopeWords({ ...KEY, exchanges: ['binance'], symbols: ['BTCUSDT', 'ETHUSDT'], routes })).toBe(
    'BTCUSDT, ETHUSDT on binance, to main, bybit:main ×0.5',
  );
});

test('when something last came in under it, traded or refused', () => {
  const trades = [
    { keyLabel: 'tv', receivedAt: 5 },
    { keyLabel: 'other', receivedAt: 9 },
  ] as Trade[];
  const refusals = [{ key: 'tv', receivedAt: 7 }] as Refusal[];
  expect(lastUsed('tv', trades, refusals)).toBe(7);
  expect(lastUsed('new', trades, refusals)).toBeUndefined();
});

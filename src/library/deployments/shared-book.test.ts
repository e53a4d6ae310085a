// Two deployments on one book: the second is warned.

import { expect, test } from 'vitest';
import type { Deployment } from './deployment.ts';
import { sharedBookWarning } from './shared-book.ts';

const TARGET = { type: 'trade', keyId: 'k', keyLabel: 'mine', exchange: 'binance', strategy: 'shared' } as const;
const PLAN = { symbol: 'BTCUSDT', market: 'BTCUSDT', targets: [TARGET] };
const OTHER = { ...PLAN, id: 'd1', name: 'Trend' } as unknown as Deployment;

test('names the other one and what to do', () => {
  expect(sharedBookWarning(PLAN, [OTHER])).toContain('The deployment "Trend" (d1) trades on the same book');
});

test.each<[string, object]>([
  ['another key', { targets: [{ ...TARGET, keyId: 'other' }] }],
  ['another exchange', { targets: [{ ...TARGET, exchange: 'bybit' }] }],
  ['another strategy', { targets: [{ ...TARGET, strategy: 'own' }] }],
  ['a strategy of its own', { targets: [{ ...TARGET, strategy: undefined }] }],
  ['another market', { symbol: 'ETHUSDT', market: 'ETHUSDT' }],
  ['a target that trades nothing', { targets: [{ type: 'telegram' }] }],
])('is silent about %s', (_, changes) => {
  expect(sharedBookWarning({ ...PLAN, ...changes }, [OTHER])).toBeUndefined();
});

// The default quantity of a strategy against the rules of its exchange, at each limit.

import { expect, test } from 'vitest';
import type { StrategyAccount } from '../script-runner.ts';
import type { Target } from './deployment.ts';
import { quantityWarning } from './quantity-warning.ts';
import { createEngineRunner } from './testing/engine-runner.ts';
import { ANN, HOOK, openTestSetup, WANTED } from './testing/open-test-setup.ts';

const RULES = { stepSize: 0.001, minQuantity: 0.003, minNotional: 5 };
const fixed = (quantityValue: number): StrategyAccount => ({
  ...{ initialCapital: 1000, currency: 'USDT', quantityType: 'fixed', quantityValue },
});
const warned = (account: StrategyAccount, lastPrice = 10_000) =>
  quantityWarning(account, { exchange: 'binance', market: 'BTCUSDT', lastPrice, rules: RULES });

test.each([
  [fixed(0.003), 10_000, undefined],
  [fixed(0.0029), 10_000, 'binance takes no less than 0.003, so it would be refused'],
  [fixed(0.0031), 10_000, 'binance takes steps of 0.001, so it would be cut to 0.003'],
  [fixed(0.3), 10_000, undefined],
  [fixed(0.005), 1000, undefined],
  [fixed(0.004), 1000, 'worth 4 now; binance opens nothing below 5'],
  [{ ...fixed(33), quantityType: 'percent_of_equity' } as const, 10_000, undefined],
  [{ ...fixed(2), quantityType: 'percent_of_equity' } as const, 10_000, 'is 0.002 BTCUSDT; binance takes no less'],
  [{ ...fixed(29), quantityType: 'cash' } as const, 10_000, 'is 0.0029 BTCUSDT; binance takes no less'],
])('%o at %d: %s', (account, lastPrice, words) => {
  const warning = warned(account, lastPrice);
  if (words === undefined) expect(warning).toBeUndefined();
  else expect(warning).toContain(words);
});

test.each<[string, Target[], string[]]>([
  [
    'where it goes to the gateway',
    [{ type: 'trade', keyId: 'k', keyLabel: 'mine' }],
    [expect.stringContaining('An order of its default quantity is 0.0015 BTCUSDT; binance takes')],
  ],
  ['not where nothing trades', [HOOK], []],
])('the answer to a deploy says so, %s', async (_, targets, warnings) => {
  const setup = openTestSetup(1100, {
    content: '//@version=6\nstrategy("S", default_qty_value = 0.0015)\nplot(close)\n',
    newRunner: createEngineRunner,
    rules: { rulesOf: (exchange) => (exchange === 'binance' ? RULES : undefined) },
  });
  const outcome = await setup.deployments.create(ANN, { ...WANTED, targets });
  await setup.close();
  expect(outcome).toMatchObject({ kind: 'found', warnings });
});

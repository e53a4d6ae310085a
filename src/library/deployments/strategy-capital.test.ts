// Whose money a deployed strategy counts in, on the real engine: what its owner says, or its script's own, with a warning.

import { afterEach, describe, expect, test } from 'vitest';
import type { Target } from './deployment.ts';
import { createAlertSender } from './targets.ts';
import { createEngineRunner } from './testing/engine-runner.ts';
import { createHandMarket, MINUTE_MS } from './testing/hand-market.ts';
import { openTestSetup, type TestSetup } from './testing/open-test-setup.ts';

const HOUR_MS = 60 * MINUTE_MS;
const TRADE: Target = { type: 'trade', keyId: 'k', keyLabel: 'mine', exchange: 'binance' };

let setup: TestSetup;
afterEach(() => setup.close());

/** Deploys one that buys on the first bar, at 100, and gives its log's first line and the quantity it buys. */
async function bought(sizing: string, initialCapital?: number, when?: string) {
  const market = createHandMarket(1200, {
    timeframeMs: HOUR_MS,
    barAt: (time) => ({ time, volume: 1, open: 100, high: 100, low: 100, close: 100 }),
  });
  const quantities: unknown[] = [];
  const sender = createAlertSender({
    webhook: { faultOf: () => undefined, post: async () => ({ status: 200 }) },
    trades: {
      async trade({ message }) {
        quantities.push(Number(JSON.parse(message).quantity));
        return { status: 200, requestId: 'r', tradeStatus: 'Filled' };
      },
    },
  });
  const content = `//@version=6
strategy("S", ${sizing})
if ${when ?? `time == ${market.formingMs}`}
    strategy.entry("L", strategy.long)
`;
  setup = openTestSetup(0, { market, content, newRunner: createEngineRunner, sender, isUnowned: true });
  const { id } = await setup.deploy({ targets: [TRADE], interval: '1h', mode: 'trade', initialCapital });
  await setup.deployments.stop();
  setup.die();
  await setup.rise();
  await setup.closeBar();
  market.tick({ time: market.formingMs, volume: 1, open: 100, high: 100, low: 100, close: 100 });
  await setup.clock.advance(2000);
  const created = (await setup.logs(id)).find((line) => line.includes('Deployed revision'));
  const { initialCapital: kept } = (await setup.store.list('a'.repeat(32)))[0]!;
  return { quantities, created, kept };
}

const TEN_PERCENT = 'default_qty_type = strategy.percent_of_equity, default_qty_value = 10';

describe('the capital of a deployed strategy', () => {
  test('is what its owner says, also after a restart, and percent are of that', async () => {
    const { quantities, created, kept } = await bought(TEN_PERCENT, 5000);
    expect([quantities, kept]).toEqual([[5], 5000]);
    expect(created).not.toContain('own capital');
  });

  test("is the script's own where nobody says one, and that is told with the remedy", async () => {
    const { quantities, created, kept } = await bought(TEN_PERCENT);
    expect([quantities, kept]).toEqual([[1000], null]);
    expect(created).toContain(
      "Sizes are percent of the script's own capital, 1,000,000 USD; deploy it with the capital of your account, so that they match.",
    );
  });

  test('is told with the number that the script declares', async () => {
    expect((await bought(`${TEN_PERCENT}, initial_capital = 2500`)).created).toContain('own capital, 2,500 USD');
  });

  test('is told of sizes in money too', async () => {
    const { quantities, created } = await bought('default_qty_type = strategy.cash, default_qty_value = 300');
    expect(quantities).toEqual([3]);
    expect(created).toContain("amounts of money, as far as the script's own capital, 1,000,000 USD, pays for them");
  });

  test('is no matter for sizes in contracts', async () => {
    expect((await bought('default_qty_value = 2')).created).not.toContain('own capital');
  });
});

test('an account in another currency and use_bar_magnifier are not served live, and the log of the deploy says so', async () => {
  const { created } = await bought('currency = currency.EUR, use_bar_magnifier = true');
  expect(created).toContain('one USD counts as one EUR');
  expect(created).toContain('use_bar_magnifier finds no bars shorter');
});

test('orders that the account cannot pay are told at the deploy: it would never trade, and nobody would know why', async () => {
  const { created, quantities } = await bought('default_qty_value = 1000', 5000, 'true');
  expect(created).toMatch(/Over the newest bars \d+ orders were not filled: the account could not pay them\./);
  expect(quantities).toEqual([]);
});

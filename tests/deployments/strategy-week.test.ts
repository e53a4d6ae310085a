// A deployed strategy trades on paper for a week, with and without a kill every hour: the same signals, the same book.

import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { createAlertSender, type DeploymentEvent } from '../../src/library/deployments/index.ts';
import { createEngineRunner } from '../../src/library/deployments/testing/engine-runner.ts';
import { ANN, openTestSetup, type TestSetup } from '../../src/library/deployments/testing/open-test-setup.ts';
import { createWalkingMarket, type WalkingMarket } from '../../src/library/deployments/testing/walking-market.ts';
import { createAlertTrader } from '../../src/services/gateway/trade-alert.ts';
import { freshGateway } from '../webhook/answers.ts';

/** Reverses, adds no more than one position, takes profit in part, and has a bracket around every entry. */
const STRATEGY = `//@version=6
strategy("Week", margin_long = 0, margin_short = 0)
fast = ta.ema(close, 4)
slow = ta.ema(close, 11)
if ta.crossover(fast, slow)
    strategy.entry("L", strategy.long, 1)
    strategy.exit("LX", "L", stop = close * 0.99, limit = close * 1.012)
if ta.crossunder(fast, slow)
    strategy.entry("S", strategy.short, 1)
    strategy.exit("SX", "S", stop = close * 1.01, limit = close * 0.988)
if bar_index % 9 == 0 and strategy.position_size > 0.5
    strategy.close("L", qty = 0.5)
`;
const HOUR_MS = 3_600_000;
const MOVES = 3;

/** Bars of a quarter of an hour: in each of them the price moves three times. */
async function week(
  setup: TestSetup,
  market: WalkingMarket,
  traded: () => Promise<void>,
  restart: (bar: number, move: number) => Promise<void>,
): Promise<void> {
  const { timeframeMs } = market;
  for (let bar = 0; bar < (7 * 24 * HOUR_MS) / timeframeMs; bar += 1) {
    for (let move = 0; move <= MOVES; move += 1) {
      await restart(bar, move);
      market.tick(market.formingAfter(move));
      for (let turn = 0; turn < 3; turn += 1) {
        await setup.clock.advance(500);
        await traded();
      }
      if (move < MOVES) await setup.clock.advance(timeframeMs / 5);
    }
    await restart(bar, MOVES + 1);
    await setup.closeBar();
    await traded();
  }
}

async function trade(restart: (setup: TestSetup, bar: number, move: number) => Promise<void>) {
  const market = createWalkingMarket(1500);
  const prices = {
    label: 'simulated',
    lastPrice: async () => String(market.price),
    bars: async () => [],
    // Stops of the gateway's own see nothing, so that each exit is the script's.
    range: async () => undefined,
  } as const;
  const gateway = await freshGateway({ prices, positionCheck: 'refuse' });
  const [key] = gateway.keys.list();
  const trader = createAlertTrader({
    signal: gateway.webhook,
    senderOf: (keyId) => gateway.keys.find(keyId),
    journal: gateway.data.journal,
    nextRequestId: randomUUID,
    maxAgeMs: Number.POSITIVE_INFINITY,
  });
  const sender = createAlertSender({
    webhook: { faultOf: () => undefined, post: async () => ({ status: 200 }) },
    trades: { trade: (alert) => trader.trade(alert) },
  });
  let underWay: Promise<unknown> = Promise.resolve();
  const send: typeof sender.send = (...args) => {
    const sending = sender.send(...args);
    underWay = sending;
    return sending;
  };
  const setup = openTestSetup(0, {
    isUnowned: true,
    market,
    content: STRATEGY,
    newRunner: createEngineRunner,
    sender: { send },
    books: trader,
  });
  const target = { type: 'trade', keyId: key!.keyId, keyLabel: key!.label, exchange: 'binance' } as const;
  const { id } = await setup.deploy({ targets: [target], mode: 'trade', interval: '15m' });
  const traded = async (): Promise<void> => void (await underWay.catch(() => {}));
  await week(setup, market, traded, (bar, move) => restart(setup, bar, move));
  await setup.clock.advance(90_000);
  const events = new Map<string, DeploymentEvent>(setup.events().map((event) => [event.id, event]));
  const deployment = await setup.store.read(ANN, id);
  const held = await trader.held({ strategy: `deployment ${id}` });
  const lines = await setup.logs(id);
  const trades = (await gateway.data.journal.trades({ limit: 1000 })).length;
  await setup.close();
  return { events: [...events.values()], deployment, held, lines, trades };
}

const orders = (events: readonly DeploymentEvent[]) =>
  events.map(({ id, barTimeMs, order }) => ({ id, barTimeMs, order }));

it('restarted every hour it sends the signals of the run that was never interrupted, each once', async () => {
  const whole = await trade(async () => {});
  let kills = 0;
  const broken = await trade(async (setup, bar, move) => {
    // Once an hour, each time at another moment of a bar, and away for up to twenty seconds.
    if (bar % 4 !== 0 || move !== (bar / 4) % (MOVES + 2)) return;
    kills += 1;
    setup.die();
    await setup.clock.advance((bar % 5) * 5000);
    await setup.rise();
  });
  expect(kills).toBe(168);
  expect(whole.events.length).toBeGreaterThan(50);
  expect(orders(broken.events)).toEqual(orders(whole.events));
  for (const { deployment, held, lines, trades, events } of [whole, broken]) {
    expect(lines.filter((line) => /^(abandoned|missed)/.test(line))).toEqual([]);
    expect(trades).toBe(events.length);
    const total = held.reduce((sum, { quantity }) => sum + quantity, 0);
    expect(total).toBeCloseTo(deployment?.position as number, 8);
    expect(deployment?.drift).toBeNull();
  }
}, 240_000);

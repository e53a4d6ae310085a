// Deployed scripts on the real engine, tick by tick: what acts when, what is told once, what comes too late, and what drifts.

import { afterEach, describe, expect, test } from 'vitest';
import type { Target } from './deployment.ts';
import type { MarketBars } from './ports.ts';
import { createAlertSender } from './targets.ts';
import { createEngineRunner } from './testing/engine-runner.ts';
import { createHandMarket, type HandMarket, MINUTE_MS } from './testing/hand-market.ts';
import { ANN, HOOK, openTestSetup, type TestSetup, type TestSetupOptions } from './testing/open-test-setup.ts';

interface Prices {
  open: number;
  high: number;
  low: number;
  close: number;
}
const HOUR_MS = 60 * MINUTE_MS;
const FLAT: Prices = { open: 100, high: 100, low: 100, close: 100 };
const TRADE: Target = { type: 'trade', keyId: 'k', keyLabel: 'mine', exchange: 'binance' };

let setup: TestSetup;
let market: HandMarket;
/** Prices of bars by their place after the deployment; flat at 100 where a test says nothing. */
let shapes: Map<number, Prices>;
let firstMs: number;
let traded: { eventId: string; message: string }[];
let raised: string[];
let held: number;
afterEach(() => setup.close());

async function deployed(
  content: string,
  more: TestSetupOptions & { mode?: 'dry-run' | 'trade'; target?: Target; sells?: MarketBars['bars'] } = {},
) {
  shapes = new Map();
  traded = [];
  raised = [];
  held = 0;
  const placeOf = (timeMs: number): number => (timeMs - firstMs) / HOUR_MS;
  market = createHandMarket(1200, {
    timeframeMs: HOUR_MS,
    barAt: (time) => ({ time, volume: 1, ...(shapes.get(placeOf(time)) ?? FLAT) }),
  });
  firstMs = market.formingMs;
  const { sells, ...options } = more;
  const own = market;
  // Another market beside the one that is deployed on.
  const source = sells === undefined ? own : Object.create(own, { bars: { value: otherThan(own, sells) } });
  const sender = createAlertSender({
    webhook: { faultOf: () => undefined, post: async () => ({ status: 200 }) },
    trades: {
      async trade({ eventId, message }) {
        traded.push({ eventId, message });
        return { status: 200, requestId: `r${traded.length}`, tradeStatus: 'Filled' };
      },
    },
  });
  setup = openTestSetup(0, {
    ...{
      market: source,
      content: `//@version=6\n${content}\n`,
      newRunner: createEngineRunner,
      sender,
      isUnowned: true,
    },
    books: { held: async () => (held === 0 ? [] : [{ account: 'binance:main', quantity: held }]) },
    alarms: { raise: (_, text) => void raised.push(text), over: (kind) => void raised.push(`over: ${kind}`) },
    ...options,
  });
  const { mode, target = TRADE } = options;
  const deployment = await setup.deploy({ targets: [target], interval: '1h', ...(mode && { mode }) });
  await setup.deployments.stop();
  setup.die();
  await setup.rise();
  return deployment;
}

const otherThan =
  (own: HandMarket, sells: MarketBars['bars']): MarketBars['bars'] =>
  (name, ...asked) =>
    name === 'ETHUSDT' ? sells(name, ...asked) : own.bars(name, ...asked);

/** A tick of the forming bar, and everything that follows within two seconds. */
async function tick(prices: Partial<Prices> = {}): Promise<void> {
  const open = prices.open ?? 100;
  market.tick({ time: market.formingMs, volume: 1, open, high: open, low: open, close: open, ...prices });
  await setup.clock.advance(2000);
}

const signals = () => traded.map(({ message }) => JSON.parse(message));
const MARGIN = 'margin_long = 0, margin_short = 0';
/** Buys on the first bar after the deployment. */
const entering = (): string => `strategy("S", ${MARGIN})
if time == ${createHandMarket(1200, { timeframeMs: HOUR_MS }).formingMs}
    strategy.entry("L", strategy.long, 2)
    strategy.exit("X", "L", stop = 95, limit = 120)`;

describe('an order of a strategy', () => {
  test('is a signal at the first tick of the next bar, with its size, its positions and its bracket', async () => {
    const { id, mode } = await deployed(entering(), { mode: 'trade' });
    expect(mode).toBe('trade');
    await setup.closeBar();
    expect(traded).toEqual([]);
    await tick({ open: 101 });
    expect(signals()).toEqual([
      {
        exchange: 'binance',
        symbol: 'BINANCE:BTCUSDT',
        action: 'buy',
        quantity: '2',
        marketPosition: 'long',
        marketPositionSize: '2',
        prevMarketPosition: 'flat',
        prevMarketPositionSize: '0',
        strategy: `deployment ${id}`,
        comment: 'L',
        stopLoss: '95',
        takeProfit: '120',
      },
    ]);
    expect(await setup.store.read(ANN, id)).toMatchObject({ position: 2, alerts: 1 });
    await tick({ open: 101, high: 103, close: 103 });
    shapes.set(1, { open: 101, high: 103, low: 101, close: 103 });
    await setup.closeBar();
    expect(traded).toHaveLength(1);
  });

  test('is not taken before the bar that was forming when it was deployed: the strategy begins with nothing', async () => {
    const early = `strategy("S", ${MARGIN})\nif bar_index == 900\n    strategy.entry("L", strategy.long, 2)\nplot(close)`;
    const { id } = await deployed(early, { mode: 'trade' });
    await setup.closeBar();
    await tick();
    await setup.closeBar();
    expect(await setup.store.read(ANN, id)).toMatchObject({ position: 0, runs: 2 });
    expect(traded).toEqual([]);
  });

  test('closes what a tick reaches at once, and once', async () => {
    await deployed(entering(), { mode: 'trade' });
    await setup.closeBar();
    await tick();
    await tick({ low: 94, close: 94 });
    await tick({ low: 93, close: 93 });
    expect(signals().map(({ action, marketPosition, stopLoss }) => [action, marketPosition, stopLoss])).toEqual([
      ['buy', 'long', '95'],
      ['sell', 'flat', undefined],
    ]);
    shapes.set(1, { open: 100, high: 100, low: 93, close: 93 });
    await setup.closeBar();
    expect(traded).toHaveLength(2);
    expect(new Set(traded.map(({ eventId }) => eventId)).size).toBe(2);
  });

  test('is at the close of its own bar with process_orders_on_close', async () => {
    await deployed(entering().replace(MARGIN, `${MARGIN}, process_orders_on_close = true`), { mode: 'trade' });
    await tick();
    expect(traded).toEqual([]);
    await setup.closeBar();
    expect(signals()).toMatchObject([{ action: 'buy', marketPosition: 'long' }]);
  });

  test('is a dry run until its owner says otherwise: the log has what would have been sent', async () => {
    const { id, mode } = await deployed(entering());
    expect(mode).toBe('dry-run');
    await setup.closeBar();
    await tick();
    expect(traded).toEqual([]);
    const line = (await setup.logs(id)).find((each) => each.includes('dry run, not sent: '));
    expect(JSON.parse(line?.split('not sent: ')[1] ?? '')).toMatchObject({ action: 'buy', quantity: '2' });
  });

  test('tells other targets what its call or the deployment says, and nobody where it says disable_alert', async () => {
    await deployed(entering(), { target: HOOK });
    await setup.closeBar();
    await tick();
    expect(setup.arrived.map(({ event }) => [event.source, event.message])).toEqual([
      ['order', 'Order buy @ 2 filled on BTCUSDT. New strategy position is 2'],
    ]);
    await setup.close();
    await deployed(entering().replace('strategy.long, 2)', 'strategy.long, 2, disable_alert = true)'), {
      target: HOOK,
    });
    await setup.closeBar();
    await tick();
    expect(setup.arrived).toEqual([]);
  });

  test('of a strategy whose target names no venue, on a symbol without one, is refused before it is deployed', async () => {
    await deployed(entering());
    const target = { type: 'trade', keyId: 'k', keyLabel: 'mine' } as const;
    const wanted = { scriptId: 'cross', market: 'BTCUSDT', interval: '1h', timeframeMs: HOUR_MS, inputs: {} };
    const outcome = await setup.deployments.create(ANN, { ...wanted, symbol: 'BTCUSDT', targets: [target] });
    expect(outcome).toMatchObject({ kind: 'bad-target', reason: expect.stringContaining('give the trade target') });
  });
});

describe('after a restart in the middle of a bar', () => {
  const restart = async (downMs: number): Promise<void> => {
    setup.die();
    await setup.clock.advance(downMs);
    await setup.rise();
  };

  test('an entry at its open still acts within a minute of it', async () => {
    await deployed(entering(), { mode: 'trade' });
    await setup.closeBar();
    await restart(50_000);
    await tick();
    expect(signals()).toMatchObject([{ action: 'buy' }]);
  });

  test('an entry that filled longer ago is missed, and the log says so once; the exit after it acts', async () => {
    const { id } = await deployed(entering(), { mode: 'trade' });
    await setup.closeBar();
    await restart(61_000);
    await tick();
    await tick({ high: 101 });
    expect(traded).toEqual([]);
    const missed = (await setup.logs(id)).filter((line) => line.startsWith('missed'));
    expect(missed).toEqual([expect.stringContaining('L: buy 2 at 100 was missed and will not act')]);
    await tick({ low: 90, close: 90 });
    expect(signals()).toMatchObject([{ action: 'sell', marketPosition: 'flat' }]);
  });

  test('an exit that filled meanwhile acts, however long ago that was', async () => {
    await deployed(entering(), { mode: 'trade' });
    await setup.closeBar();
    await tick();
    await restart(1_800_000);
    await tick({ low: 90, close: 99 });
    expect(signals().map(({ action }) => action)).toEqual(['buy', 'sell']);
  });

  test('nothing that was told before is told again', async () => {
    await deployed(entering(), { mode: 'trade' });
    await setup.closeBar();
    await tick();
    await restart(1000);
    await tick();
    shapes.set(1, FLAT);
    await setup.closeBar();
    expect(traded).toHaveLength(1);
  });
});

describe('alerts on ticks', () => {
  const alerting = (freq: string): string =>
    `indicator("I")\nif close > 100\n    alert("up " + str.tostring(close), ${freq})`;
  const told = () => setup.arrived.map(({ event }) => event.message);

  test('once per bar come at the first tick they are true on, and not again at the close or after a restart', async () => {
    await deployed(alerting('alert.freq_once_per_bar'), { target: HOOK });
    await tick({ close: 101, high: 101 });
    await tick({ close: 102, high: 102 });
    setup.die();
    await setup.rise();
    await tick({ close: 103, high: 103 });
    shapes.set(0, { open: 100, high: 103, low: 100, close: 103 });
    await setup.closeBar();
    expect(told()).toEqual(['up 101']);
  });

  test('of every call come with every look at the bar: fifty ticks at once are two looks, a second apart', async () => {
    await deployed(alerting('alert.freq_all'), { target: HOOK });
    await tick({ close: 101, high: 101 });
    for (let count = 0; count < 50; count += 1)
      market.tick({ time: market.formingMs, volume: 1, ...FLAT, high: 102, close: 102 });
    await setup.clock.advance(2000);
    shapes.set(0, { open: 100, high: 103, low: 100, close: 103 });
    await setup.closeBar();
    expect(told()).toEqual(['up 101', 'up 102', 'up 102', 'up 103']);
  });

  test('once per bar close come at the close alone', async () => {
    await deployed(alerting('alert.freq_once_per_bar_close'), { target: HOOK });
    await tick({ close: 101, high: 101 });
    expect(told()).toEqual([]);
    shapes.set(0, { open: 100, high: 103, low: 100, close: 103 });
    await setup.closeBar();
    expect(told()).toEqual(['up 103']);
  });

  test('are kept when they cannot be stored at once', async () => {
    await deployed(alerting('alert.freq_once_per_bar'), { target: HOOK });
    let failures = 2;
    setup.onStore = (method, moment) => {
      if (method !== 'commitTick' || moment !== 'before' || failures === 0) return;
      failures -= 1;
      throw new Error('the disk is full');
    };
    await tick({ close: 101, high: 101 });
    await setup.clock.advance(10_000);
    expect(told()).toEqual(['up 101']);
  });
});

test('drift is told when two looks show the same: in the record, in the log and as an alarm, once per change', async () => {
  const { id } = await deployed(entering(), { mode: 'trade' });
  await setup.closeBar();
  await tick();
  await setup.clock.advance(40_000);
  const drift = `The script is long 2, the strategy "deployment ${id}" is flat on every account.`;
  expect(await setup.store.read(ANN, id)).toMatchObject({ drift: expect.stringContaining(drift) });
  await setup.clock.advance(300_000);
  expect(raised).toEqual([expect.stringContaining(drift)]);
  held = 2;
  await setup.clock.advance(70_000);
  expect(await setup.store.read(ANN, id)).toMatchObject({ drift: null });
  expect(raised).toHaveLength(2);
  expect((await setup.logs(id)).filter((line) => line.startsWith('drift'))).toEqual([
    expect.stringContaining(drift),
    'drift: The books agree again.',
  ]);
  held = -2;
  await setup.clock.advance(70_000);
  expect(raised.at(-1)).toContain('is short 2 on binance:main');
});

test('a bar costs one bar: its history is run when a run is opened, and never again while it goes on', async () => {
  const runners: ReturnType<typeof createEngineRunner>[] = [];
  const newRunner = () => {
    const runner = createEngineRunner();
    runners.push(runner);
    return runner;
  };
  await deployed(entering(), { newRunner });
  for (let bar = 0; bar < 5; bar += 1) {
    await tick();
    await setup.closeBar();
  }
  expect(runners.at(-1)?.replays).toBe(1);
});

test('a script sees the bars of another market that are over, at each close and on each tick', async () => {
  /** Closes at the number of its hour after the deployment. */
  const sells: MarketBars['bars'] = async (_, lengthMs, fromMs, toMs) => {
    const times = Array.from(
      { length: Math.ceil((toMs - fromMs) / lengthMs) },
      (__, place) => fromMs + place * lengthMs,
    );
    return times.map((time) => ({ time, ...FLAT, close: (time - firstMs) / HOUR_MS, volume: 1 }));
  };
  const source =
    'indicator("I")\nother = request.security("ETHUSDT", "60", close)\nalert(str.tostring(other), alert.freq_all)';
  await deployed(source, { target: HOOK, sells });
  const told = () => setup.arrived.map(({ event }) => event.message);
  await tick();
  expect(told()).toEqual(['-1']);
  await setup.closeBar();
  await setup.closeBar();
  expect(told().slice(-2)).toEqual(['0', '1']);
});

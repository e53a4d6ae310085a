// A deployed strategy on the real engine beside its backtest, fill by fill: what was told, sent, filled, missed, refused or is extra.

import { afterEach, describe, expect, test } from 'vitest';
import { createJobRunner } from '../../adapters/scripts/run-job.ts';
import type { LibrarySource } from '../../pine/index.ts';
import { MAX_STRATEGY_BARS, type Target } from '../deployments/deployment.ts';
import { tradeNameOf } from '../deployments/event-id.ts';
import { createAlertSender } from '../deployments/targets.ts';
import { createEngineRunner } from '../deployments/testing/engine-runner.ts';
import { createHandMarket, type HandMarket, MINUTE_MS } from '../deployments/testing/hand-market.ts';
import { ANN, BOB, HOOK, openTestSetup, type TestSetup } from '../deployments/testing/open-test-setup.ts';
import type { CallerRunner } from '../request-runner.ts';
import type { StrategyTrade } from './compared-fill.ts';
import { createLiveComparisons } from './live-comparisons.ts';

const HOUR_MS = 60 * MINUTE_MS;
const TRADE: Target = { type: 'trade', keyId: 'k', keyLabel: 'mine', exchange: 'binance' };

let setup: TestSetup;
let market: HandMarket;
let firstMs: number;
let trades: StrategyTrade[];
/** What the gateway makes of the next signal. */
let venue: { status: string; slip: number; part: number; error: string | null } | { refuses: string };
/** Added to every price: the bars of the past change. */
let shift: number;
let asked: object[];
afterEach(() => setup.close());

/** Opens at 100, 101, 102 … after the deployment. */
const openAt = (time: number): number => 100 + Math.max(0, (time - firstMs) / HOUR_MS) + shift;

const USUAL = { mode: 'trade' as 'trade' | 'dry-run', target: TRADE as Target, closedBars: 1200 };
/** What the user has published. */
let published: readonly LibrarySource[] = [];

async function deployed(content: string, options: Partial<typeof USUAL> = {}) {
  const { mode, target, closedBars } = { ...USUAL, ...options };
  [trades, shift, asked, venue] = [[], 0, [], { status: 'Filled', slip: 0.5, part: 1, error: null }];
  market = createHandMarket(closedBars, {
    timeframeMs: HOUR_MS,
    barAt: (time) => {
      const open = openAt(time);
      return { time, volume: 1, open, high: open + 1, low: open - 1, close: open + 0.5 };
    },
  });
  firstMs = market.formingMs;
  const sender = createAlertSender({
    webhook: { faultOf: () => undefined, post: async () => ({ status: 200 }) },
    trades: {
      async trade({ eventId, keyId, message }) {
        if ('refuses' in venue)
          return { status: 403, requestId: 'r', code: 'KILL_SWITCH_ACTIVE', error: venue.refuses };
        const { action, quantity } = JSON.parse(message) as { action: 'buy' | 'sell'; quantity: string };
        const { status, slip, part, error } = venue;
        const requestId = `r${trades.length + 1}`;
        const price = openAt(market.formingMs) + (action === 'buy' ? slip : -slip);
        const atMs = setup.clock.nowMs() + 40;
        const fill = { atMs, side: action, quantity: Number(quantity) * part, price, fee: 0.1 };
        trades.push({
          ...{ requestId, status, error, action, source: 'script', account: 'binance:main' },
          ...{ receivedAtMs: setup.clock.nowMs(), idempotencyKey: tradeNameOf(eventId, keyId) },
          fills: part === 0 ? [] : [fill],
        });
        return { status: 200, requestId, tradeStatus: status };
      },
    },
  });
  setup = openTestSetup(0, {
    ...{ market, sender, content: `//@version=6\n${content}\n`, newRunner: createEngineRunner, isUnowned: true },
    libraries: { sourcesOf: async () => published },
  });
  return (await setup.deploy({ targets: [target], interval: '1h', mode })).id;
}

const infoOf = (ticker: string) => ({ ticker });
const runJob = createJobRunner('command');
const runner: CallerRunner = {
  async runFor(_caller, { timeoutMs: _, signal: __, ...request }) {
    return runJob({ kind: 'run', ...request }) as Awaited<ReturnType<CallerRunner['runFor']>>;
  },
};

async function compare(id: string, userId?: string, completeFromMs = 0) {
  const past = async (of: object) => {
    asked.push(of);
    return trades;
  };
  const comparisons = createLiveComparisons({
    ...{ store: setup.store, market, infoOf, runner, timeoutMs: 1000 },
    trades: { past, completeFromMs: async () => completeFromMs },
  });
  return comparisons.compare(id, userId);
}

async function comparison(id: string) {
  const outcome = await compare(id);
  if (outcome.kind !== 'compared') throw new Error(JSON.stringify(outcome));
  return outcome.comparison;
}

/** The bar closes, and the first tick of the next one comes a second later. */
async function bars(count: number): Promise<void> {
  for (let bar = 0; bar < count; bar += 1) {
    await setup.closeBar();
    const open = openAt(market.formingMs);
    market.tick({ time: market.formingMs, volume: 1, open, high: open, low: open, close: open });
    await setup.clock.advance(2000);
  }
}

/** Buys 2 on the first bar after the deployment, sells on the third. */
const strategy = (more = ''): string => `strategy("S", margin_long = 0, margin_short = 0)
since = (time - ${createHandMarket(1200, { timeframeMs: HOUR_MS }).formingMs}) / ${HOUR_MS}
if since == 0
    strategy.entry("L", strategy.long, 2${more})
if since == 2
    strategy.close("L")`;

test('a script that imports is run with what its deployment has pinned', async () => {
  const source = '//@version=6\nlibrary("Tools")\nexport one() => 1';
  published = [{ namespace: 'me', name: 'Tools', version: 1, source }];
  const id = await deployed(`import me/Tools/1\n${strategy(' * Tools.one()')}`);
  await bars(5);
  expect((await comparison(id)).fills.map(({ verdict }) => verdict)).toEqual(['filled', 'filled']);
});

describe('a deployment beside its backtest', () => {
  test('has each fill with what the venue made of it, its delay and its slippage, and what both made', async () => {
    const id = await deployed(strategy());
    await bars(5);
    const { fills, totals, ...about } = await comparison(id);
    expect(about).toMatchObject({
      deploymentId: id,
      symbol: 'BINANCE:BTCUSDT',
      interval: '1h',
      mode: 'trade',
      fromMs: firstMs,
    });
    expect(fills).toMatchObject([
      {
        ...{ verdict: 'filled', reason: null, orderId: 'L', barTimeMs: firstMs + HOUR_MS, keyLabel: 'mine' },
        expected: { side: 'buy', quantity: 2, price: 101 },
        told: { side: 'buy', quantity: 2, price: 101 },
        trade: { requestId: 'r1', status: 'Filled', account: 'binance:main' },
        live: { side: 'buy', quantity: 2, price: 101.5, fee: 0.1 },
        ...{ slippage: 0.5, slippageMoney: 1 },
      },
      {
        ...{ verdict: 'filled', barTimeMs: firstMs + 3 * HOUR_MS },
        expected: { side: 'sell', quantity: 2, price: 103 },
        live: { side: 'sell', price: 102.5 },
        // Sold for less than expected is worse too.
        ...{ slippage: 0.5, slippageMoney: 1 },
      },
    ]);
    for (const { delayMs } of fills) expect(delayMs).toBeGreaterThan(0);
    expect(totals).toMatchObject({ verdicts: { filled: 2 }, slippageMoney: 2, fees: 0.2, backtestProfit: 4 });
    // Bought for 203, sold for 205, fees of 0.2.
    expect(totals.liveProfit).toBeCloseTo(1.8);
    expect(totals.meanDelayMs).toBeCloseTo((fills[0]!.delayMs! + fills[1]!.delayMs!) / 2);
    expect(asked).toEqual([{ strategy: `deployment ${id}`, market: 'BTCUSDT', sinceMs: expect.any(Number) }]);
  });

  test('values what is still held at the last close', async () => {
    const id = await deployed(strategy());
    await bars(2);
    const { totals } = await comparison(id);
    // The last closed bar is the second: it closes at 101.5.
    expect(totals.backtestProfit).toBeCloseTo(1);
    expect(totals.liveProfit).toBeCloseTo(2 * 101.5 - 203 - 0.1);
  });

  test.each([
    [{ status: 'PartiallyFilled', part: 0.5, error: null }, 'partly', null],
    [{ status: 'Canceled', part: 0.5, error: 'by hand' }, 'partly', 'by hand'],
    [{ status: 'Submitted', part: 0, error: null }, 'waiting', null],
    [{ status: 'Rejected', part: 0, error: 'too small' }, 'refused', 'too small'],
    [{ status: 'Expired', part: 0, error: null }, 'refused', 'Expired'],
  ])('of a trade that is %j is %s', async (outcome, verdict, reason) => {
    const id = await deployed(strategy());
    venue = { slip: 0, ...outcome };
    await bars(2);
    expect((await comparison(id)).fills).toMatchObject([{ verdict, reason }]);
  });

  test('has the words of the gate that refused', async () => {
    const id = await deployed(strategy());
    venue = { refuses: 'the kill switch is on' };
    await bars(2);
    expect((await comparison(id)).fills).toMatchObject([
      { verdict: 'refused', reason: expect.stringContaining('the kill switch is on'), live: null, trade: null },
    ]);
  });

  test('of a dry run has what would have been sent, and no trades', async () => {
    const id = await deployed(strategy(), { mode: 'dry-run' });
    await bars(5);
    const { fills, totals, mode } = await comparison(id);
    expect(mode).toBe('dry-run');
    expect(fills.map(({ verdict, told }) => [verdict, told?.side])).toEqual([
      ['dry-run', 'buy'],
      ['dry-run', 'sell'],
    ]);
    expect(totals).toMatchObject({ verdicts: { 'dry-run': 2 }, liveProfit: 0, backtestProfit: 4, meanDelayMs: null });
    expect(asked).toEqual([]);
  });

  test('without a target that trades has what was told', async () => {
    const id = await deployed(strategy(), { target: HOOK });
    await bars(2);
    expect((await comparison(id)).fills).toMatchObject([{ verdict: 'told', keyLabel: null }]);
  });

  test('says where the script itself said nothing', async () => {
    const id = await deployed(strategy(', disable_alert = true'));
    await bars(2);
    expect((await comparison(id)).fills).toMatchObject([{ verdict: 'silent', told: null }]);
  });

  test('names fills of bars that were missed', async () => {
    const id = await deployed(strategy());
    await setup.crash(4 * HOUR_MS);
    await bars(2);
    const { fills, totals } = await comparison(id);
    expect(fills.map(({ verdict }) => verdict)).toContain('missing');
    expect(fills.find(({ verdict }) => verdict === 'missing')?.reason).toContain('it was never told');
    expect(totals.verdicts.filled ?? 0).toBeLessThan(2);
  });

  test('names what was told and is not in the backtest of the bars as they are now', async () => {
    const id = await deployed(
      `strategy("S", margin_long = 0)\nif close == 100.5\n    strategy.entry("L", strategy.long, 2)`,
    );
    await bars(3);
    expect((await comparison(id)).fills).toMatchObject([{ verdict: 'filled' }]);
    shift = 7;
    expect((await comparison(id)).fills).toMatchObject([
      {
        ...{ verdict: 'extra', expected: null, told: { side: 'buy', price: 101 } },
        reason: expect.stringContaining('bars have changed'),
      },
    ]);
  });

  test('names a fill that was told with another size', async () => {
    const atMs = createHandMarket(1200, { timeframeMs: HOUR_MS }).formingMs;
    const entry = 'strategy.entry("L", strategy.long, math.round(open / 50))';
    const id = await deployed(`strategy("S", margin_long = 0)\nif time == ${atMs}\n    ${entry}`);
    await bars(2);
    shift = 100;
    expect((await comparison(id)).fills).toMatchObject([
      { verdict: 'different', expected: { quantity: 4 }, told: { quantity: 2 }, reason: 'it was told as buy 2 at 101' },
    ]);
  });

  test('names trades of its book that no fill of the script asked for', async () => {
    const id = await deployed(strategy());
    await bars(2);
    const stop = {
      ...{ requestId: 's1', status: 'Filled', error: null, action: 'close_long' },
      ...{ source: 'stop', account: 'binance:main' },
    };
    const fill = { atMs: setup.clock.nowMs(), side: 'sell' as const, quantity: 2, price: 99, fee: 0.1 };
    const stoppedAtMs = firstMs + HOUR_MS + 30 * MINUTE_MS;
    trades.push({ ...stop, receivedAtMs: stoppedAtMs, idempotencyKey: null, fills: [fill] });
    trades.push({ ...stop, requestId: 's2', receivedAtMs: stoppedAtMs, idempotencyKey: 'mine', fills: [] });
    // While the third bar forms: it is not over.
    trades.push({ ...stop, requestId: 's3', receivedAtMs: setup.clock.nowMs(), idempotencyKey: null, fills: [fill] });
    const { fills, totals } = await comparison(id);
    expect(fills.map(({ verdict, orderId }) => [verdict, orderId])).toEqual([
      ['filled', 'L'],
      ['extra', 'stop close_long'],
    ]);
    expect(totals.liveProfit).toBeCloseTo(2 * 99 - 203 - 0.2);
  });

  test('begins where the journal is whole: what is archived is not missing', async () => {
    const id = await deployed(strategy());
    await bars(5);
    const whole = await comparison(id);
    trades.shift();
    const { barTimeMs } = whole.fills[0]!;
    expect(await compare(id, undefined, barTimeMs + 1)).toMatchObject({
      comparison: { fromMs: barTimeMs + HOUR_MS, fills: whole.fills.slice(1) },
    });
    expect(await compare(id, undefined, setup.clock.nowMs())).toMatchObject({ kind: 'too-early' });
  });

  test('knows a trade also when the event of it is forgotten', async () => {
    const id = await deployed(strategy());
    await bars(2);
    const store = { ...setup.store, orderEvents: async () => [] };
    const comparisons = createLiveComparisons({
      ...{ store, market, infoOf, runner, timeoutMs: 1000 },
      trades: { past: async () => trades, completeFromMs: async () => 0 },
    });
    expect(await comparisons.compare(id)).toMatchObject({ comparison: { fills: [{ verdict: 'filled', told: null }] } });
  });

  test('leaves out what a bar made that is not over', async () => {
    const id = await deployed(strategy());
    await bars(1);
    // The tick of the second bar has bought, and that bar is forming.
    expect(trades).toHaveLength(1);
    const nothing = { verdicts: {}, liveProfit: 0, backtestProfit: 0 };
    expect(await comparison(id)).toMatchObject({ fills: [], totals: nothing });
    await bars(1);
    expect((await comparison(id)).totals.verdicts).toEqual({ filled: 1 });
  });

  test('is the same after a restart', async () => {
    const id = await deployed(strategy());
    await bars(5);
    const before = await comparison(id);
    await setup.crash();
    expect(await comparison(id)).toEqual(before);
  });
});

describe('a deployment whose runs begin later now, because 100,000 bars were reached', () => {
  /** Buys 2 every sixth hour, and sells an hour later. */
  const content = `strategy("S", margin_long = 0)
hours = time / ${HOUR_MS}
if hours % 6 == 0
    strategy.entry("L", strategy.long, 2)
if hours % 6 == 1
    strategy.close("L")`;

  /** As if it had been made 99,000 bars ago. */
  async function oldDeployment(): Promise<string> {
    const id = await deployed(content, { closedBars: MAX_STRATEGY_BARS + 500 });
    await setup.deployments.pause(ANN, id);
    const found = (await setup.store.current(id))!;
    const [anchorMs, createdAtMs] = [100_000, 99_000].map((back) => firstMs - back * HOUR_MS) as [number, number];
    const old = { ...found.deployment, id: 'old', anchorMs, createdAtMs, position: 0, state: 'running' as const };
    await setup.store.create(old, found.source, { atMs: 1, kind: 'created', message: '' });
    await setup.crash();
    return 'old';
  }

  test('is compared from the bar after the one on which they were moved, and its profit is that of these bars', async () => {
    const id = await oldDeployment();
    const past = {
      ...{ requestId: 'r0', status: 'Filled', error: null, action: 'buy', source: 'script', account: 'binance:main' },
      ...{ receivedAtMs: firstMs - 50 * HOUR_MS, idempotencyKey: `script/forgotten/k` },
      fills: [{ atMs: firstMs - 50 * HOUR_MS, side: 'buy' as const, quantity: 7, price: 100, fee: 1 }],
    };
    await bars(1);
    trades.push(past);
    expect((await setup.store.current(id))?.deployment.anchorMs).toBe(firstMs - 9_999 * HOUR_MS);
    expect(await compare(id)).toMatchObject({
      kind: 'too-early',
      reason: expect.stringMatching(/100000 bars were reached, and no bar has closed since/),
    });
    await bars(12);
    const { fills, totals, fromMs, toMs } = await comparison(id);
    expect([fromMs, toMs]).toEqual([firstMs + HOUR_MS, firstMs + 12 * HOUR_MS]);
    expect(asked.at(-1)).toMatchObject({ sinceMs: fromMs });
    expect(fills.length).toBeGreaterThanOrEqual(4);
    expect(fills.map(({ verdict, expected }) => [verdict, expected?.side])).toEqual(
      fills.map((_, place) => ['filled', place % 2 === 0 ? 'buy' : 'sell']),
    );
    expect(fills.every(({ barTimeMs }) => barTimeMs >= fromMs)).toBe(true);
    // Each round buys 2 and sells them an hour later, a point higher; live half a point worse on both sides, and 0.2 of fees.
    const rounds = fills.length / 2;
    expect(totals.backtestProfit).toBeCloseTo(2 * rounds);
    expect(totals.liveProfit).toBeCloseTo(-0.2 * rounds);
  }, 60_000);
});

describe('what cannot be compared', () => {
  test('is a deployment of somebody else, or none at all', async () => {
    const id = await deployed(strategy());
    await bars(1);
    expect(await compare(id, BOB)).toEqual({ kind: 'missing' });
    expect(await compare('none', ANN)).toEqual({ kind: 'missing' });
    expect((await compare(id, ANN)).kind).toBe('compared');
  });

  test('is one on which no bar has closed, and an indicator', async () => {
    const id = await deployed(strategy());
    expect(await compare(id)).toMatchObject({ kind: 'too-early' });
    await setup.close();
    const indicator = await deployed('indicator("x")\nalert("x")', { target: HOOK });
    await bars(1);
    expect(await compare(indicator)).toMatchObject({ kind: 'no-strategy' });
  });

  test('is one whose bars cannot be read just now', async () => {
    const id = await deployed(strategy());
    await bars(1);
    market.fault = new Error('the venue is away');
    expect(await compare(id)).toMatchObject({
      kind: 'unavailable',
      reason: expect.stringContaining('the venue is away'),
    });
    market.fault = undefined;
  });
});

// A deployed script beside TradingView's own alerts, on the real engine: what is named when, and what is never said.

import { afterEach, describe, expect, test } from 'vitest';
import type { Target } from '../deployment.ts';
import { createEngineRunner } from '../testing/engine-runner.ts';
import { createHandMarket, type HandMarket, MINUTE_MS } from '../testing/hand-market.ts';
import { ANN, openTestSetup, type TestSetup } from '../testing/open-test-setup.ts';
import type { AlertArrival, OpinionTarget } from './opinion.ts';

interface Prices {
  open: number;
  high: number;
  low: number;
  close: number;
}
/** Short ones, because the watch looks every second of them. */
const BAR_MS = 5 * MINUTE_MS;
const FLAT: Prices = { open: 100, high: 100, low: 100, close: 100 };
const OPINION: OpinionTarget = {
  ...{ type: 'second-opinion', keyId: 'k', keyLabel: 'tv', exchange: 'binance', alertName: 'mine', sendMissing: false },
  ...{ lateAfterSeconds: 15, sendAfterSeconds: 25, quantityTolerancePercent: 1, priceTolerancePercent: 0.5 },
};

let setup: TestSetup;
let market: HandMarket;
let shapes: Map<number, Prices>;
let firstMs: number;
let arrivals: AlertArrival[];
let traded: { eventId: string; message: string; createdAtMs: number }[];
let answer: () => { status: number; requestId: string; code?: string; error?: string; originalRequestId?: string };
let raised: string[];
let id: string;
afterEach(() => setup.close());

async function deployed(content: string, more: Partial<OpinionTarget> = {}, mode: 'dry-run' | 'trade' = 'trade') {
  shapes = new Map();
  arrivals = [];
  traded = [];
  raised = [];
  answer = () => ({ status: 200, requestId: `r${traded.length}` });
  const placeOf = (timeMs: number): number => (timeMs - firstMs) / BAR_MS;
  market = createHandMarket(1200, {
    timeframeMs: BAR_MS,
    barAt: (time) => ({ time, volume: 1, ...(shapes.get(placeOf(time)) ?? FLAT) }),
  });
  firstMs = market.formingMs;
  setup = openTestSetup(0, {
    ...{ market, content: `//@version=6\n${content}\n`, newRunner: createEngineRunner, isUnowned: true },
    alarms: { raise: (_, text) => void raised.push(text), over: (kind) => void raised.push(`over: ${kind}`) },
    gateway: {
      arrived: async ({ sinceMs }) => arrivals.filter(({ receivedAtMs }) => receivedAtMs >= sinceMs),
      async trade(alert) {
        traded.push(alert);
        return answer();
      },
    },
  });
  const targets: Target[] = [{ ...OPINION, ...more }];
  ({ id } = await setup.deploy({ targets, interval: '5m', mode }));
  setup.die();
  await setup.rise();
}

/** A tick of the forming bar, and everything that follows within two seconds. */
async function tick(prices: Partial<Prices> = {}): Promise<void> {
  const open = prices.open ?? 100;
  market.tick({ time: market.formingMs, volume: 1, open, high: open, low: open, close: open, ...prices });
  await setup.clock.advance(2000);
}

const iso = (timeMs: number): string => new Date(timeMs).toISOString().replace('.000', '');
const entryId = (timeMs = firstMs + BAR_MS): string => `mine/L/buy/long/${iso(timeMs)}`;
const exitId = (timeMs = firstMs + BAR_MS): string => `mine/X/sell/flat/${iso(timeMs)}`;

/** As TradingView's alert of the entry comes in, now. */
const arrives = (more: Partial<AlertArrival> = {}): void =>
  void arrivals.push({
    ...{
      requestId: `a${arrivals.length}`,
      alertId: entryId(),
      receivedAtMs: setup.clock.nowMs(),
      decision: 'accepted',
    },
    ...{ market: 'BTCUSDT', action: 'LONG', quantity: 2, before: { position: 'flat', size: null }, comment: 'L @ 100' },
    ...more,
  });

const states = async () => (await opinions()).opinions.map(({ alertId, state }) => [alertId, state] as const).reverse();
async function opinions() {
  const found = await setup.deployments.opinions(ANN, id, 100);
  if (found.kind !== 'opinions') throw new Error('no deployment');
  return found;
}
const only = async () => (await opinions()).opinions[0]!;
const said = async () => (await setup.logs(id)).filter((line) => line.startsWith('opinion: '));

const START_MS = createHandMarket(1200, { timeframeMs: BAR_MS }).formingMs;
const MARGIN = 'margin_long = 0, margin_short = 0';
const entering = (): string => `strategy("S", ${MARGIN})
if time == ${START_MS}
    strategy.entry("L", strategy.long, 2)
    strategy.exit("X", "L", stop = 95, limit = 120)`;

/** The entry fills at the first tick of the second bar. */
async function entered(more: Partial<OpinionTarget> = {}, mode?: 'dry-run' | 'trade'): Promise<void> {
  await deployed(entering(), more, mode);
  await setup.closeBar();
  await tick();
}

describe("TradingView's alert of a fill", () => {
  test('that comes in time confirms it, and nobody hears of it', async () => {
    await entered();
    expect(await states()).toEqual([[entryId(), 'expected']]);
    arrives();
    await setup.clock.advance(2000);
    expect(await states()).toEqual([[entryId(), 'confirmed']]);
    expect((await opinions()).counts).toEqual({ confirmed: 1 });
    expect([raised.filter((text) => !text.startsWith('over')), await said(), traded]).toEqual([[], [], []]);
  });

  test('that comes first is no accusation, and is confirmed when our script has it', async () => {
    await deployed(entering());
    await setup.closeBar();
    arrives();
    await setup.clock.advance(5000);
    expect(await states()).toEqual([[entryId(), 'arrived']]);
    await tick();
    expect(await states()).toEqual([[entryId(), 'confirmed']]);
  });

  test('that is as late as it may be is in time, and a second later it is late', async () => {
    for (const [afterMs, state] of [
      [15_000, 'confirmed'],
      [15_001, 'late'],
    ] as const) {
      await entered();
      const { expected } = await only();
      arrives({ receivedAtMs: expected!.atMs + afterMs });
      await setup.clock.advance(30_000);
      expect((await only()).state).toBe(state);
      await setup.close();
    }
    await entered();
  });

  test('that does not come is named missing within seconds, once: in the record, the log, the counts, as an alarm', async () => {
    await entered();
    await setup.clock.advance(13_000);
    expect(raised).toEqual([]);
    await setup.clock.advance(5000);
    const words = `${entryId()} is missing. It did not come within 15.0 s.`;
    expect(await only()).toMatchObject({ state: 'missing', sent: 'not sent: sendMissing is off' });
    await setup.clock.advance(100_000);
    expect(await said()).toEqual([`opinion: ${words}`]);
    expect(raised).toEqual([`Second opinion on "Cross" (BINANCE:BTCUSDT 5m): ${words}`]);
    expect(traded).toEqual([]);
    arrives();
    await setup.clock.advance(2000);
    expect(await only()).toMatchObject({ state: 'late' });
    expect((await opinions()).counts).toEqual({ missing: 1, late: 1 });
  });

  test.each([
    ['another side', { action: 'SHORT' }, 'it says SHORT, our script LONG'],
    ['a quantity beyond the tolerance', { quantity: 2.021 }, 'its quantity is 2.021, ours 2'],
    ['a price beyond the tolerance', { comment: 'L @ 100.51' }, 'its price is 100.51, ours 100'],
    ['another position before it', { before: { position: 'short', size: 1 } }, 'it was short before, our script flat'],
  ] as const)('that has %s is different', async (_, more, words) => {
    await entered();
    arrives(more);
    await setup.clock.advance(2000);
    expect(await only()).toMatchObject({ state: 'different', words: expect.stringContaining(words) });
    expect(raised).toHaveLength(1);
  });

  test.each([
    ['sizes at the tolerance', { quantity: 2.02 }],
    ['prices at the tolerance', { comment: 'L @ 100.5' }],
    ['sizes that cannot be compared', { quantity: null, comment: null, before: null }],
  ] as const)('agrees with %s', async (_, more) => {
    await entered();
    arrives(more);
    await setup.clock.advance(2000);
    expect((await only()).state).toBe('confirmed');
  });

  test.each([
    ['another order id', `mine/Long/buy/long/`, 0],
    ['another side', `mine/L/sell/short/`, 0],
    ['the bar before', 'mine/L/buy/long/', -BAR_MS],
  ])('under a name that differs in %s alone is taken for it, so that nothing is sent', async (_, name, offMs) => {
    await entered({ sendMissing: true });
    arrives({ alertId: `${name}${iso(firstMs + BAR_MS + offMs)}` });
    await setup.clock.advance(60_000);
    expect(await states()).toEqual([[entryId(), 'different']]);
    expect((await only()).words).toContain(`its name is "${name}`);
    expect(traded).toEqual([]);
  });

  test('under a name like that which comes first is taken for it too', async () => {
    await deployed(entering(), { sendMissing: true });
    await setup.closeBar();
    arrives({ alertId: entryId().replace('/L/', '/Long/') });
    await setup.clock.advance(3000);
    await tick();
    await setup.clock.advance(60_000);
    expect(await states()).toEqual([[entryId(), 'different']]);
    expect(traded).toEqual([]);
  });

  test('that the gates refused has come, and what became of it is told', async () => {
    await entered({ sendMissing: true });
    arrives({ decision: 'KILL_SWITCH', quantity: null, before: null, comment: null });
    await setup.clock.advance(60_000);
    expect(await only()).toMatchObject({ state: 'confirmed', words: 'The gateway refused it: KILL_SWITCH.' });
    expect(traded).toEqual([]);
  });
});

describe('an alert that our script does not have', () => {
  const other = (): string => `mine/Z/sell/short/${iso(market.formingMs)}`;

  test('is named extra within seconds, and put right if our script has it after all', async () => {
    await deployed(entering());
    await setup.closeBar();
    await setup.clock.advance(20_000);
    arrives({ alertId: exitId() });
    await tick();
    await setup.clock.advance(10_000);
    expect((await states()).at(-1)).toEqual([exitId(), 'arrived']);
    await setup.clock.advance(5000);
    expect((await states()).find(([name]) => name === exitId())).toEqual([exitId(), 'extra']);
    expect(raised.some((text) => text.includes('our script does not have it'))).toBe(true);
    await tick({ low: 94, close: 94 });
    expect((await states()).find(([name]) => name === exitId())?.[1]).not.toBe('extra');
  });

  test('of another deployment, or without our name, is nobody’s business here', async () => {
    await deployed(entering());
    await setup.closeBar();
    arrives({ alertId: `others/L/buy/long/${iso(market.formingMs)}` });
    await setup.clock.advance(60_000);
    expect(await states()).toEqual([]);
  });

  test('is no opinion while our own bars are missing', async () => {
    await deployed(entering());
    await setup.closeBar();
    await tick();
    market.state('reconnecting');
    market.fault = new Error('away');
    await setup.clock.advance(2 * BAR_MS);
    arrives({ alertId: other() });
    await setup.clock.advance(30_000);
    const found = (await opinions()).opinions.find(({ alertId }) => alertId === other());
    expect(found).toMatchObject({ state: 'no-opinion', words: expect.stringContaining('our own bars stop at') });
    expect(raised.filter((text) => text.includes(other()))).toEqual([]);
  });

  test('is no opinion while our market has not moved since, on a bar that is forming', async () => {
    await deployed(entering());
    await setup.closeBar();
    await setup.clock.advance(20_000);
    arrives({ alertId: other() });
    await setup.clock.advance(30_000);
    expect(await only()).toMatchObject({ state: 'no-opinion', words: expect.stringContaining('has not moved since') });
  });

  test('is no opinion of a bar that was missed, or before our script ran', async () => {
    await deployed(entering());
    arrives({ alertId: other() });
    await tick();
    await setup.clock.advance(20_000);
    expect(await only()).toMatchObject({ state: 'no-opinion', words: expect.stringContaining('not running yet') });
    await setup.crash(2 * BAR_MS);
    await setup.closeBar();
    arrives({ alertId: `mine/Y/sell/short/${iso(firstMs)}` });
    await tick();
    await setup.clock.advance(20_000);
    expect(await only()).toMatchObject({ state: 'no-opinion', words: expect.stringContaining('missed that bar') });
    expect(raised).toEqual([]);
  });
});

describe('a fill that only a tick had', () => {
  test('is repainted when the bar closes without it, whether its alert came or not', async () => {
    for (const comes of [true, false]) {
      await entered();
      arrives();
      await tick({ low: 94, close: 94 });
      if (comes) arrives({ alertId: exitId(), action: 'CLOSE_LONG', comment: 'X @ 95', before: null });
      await setup.clock.advance(2000);
      expect((await states()).at(-1)).toEqual([exitId(), comes ? 'confirmed' : 'expected']);
      // The venue corrects the bar: it never was so low.
      shapes.set(1, { open: 100, high: 100, low: 96, close: 96 });
      await setup.closeBar();
      await setup.clock.advance(2000);
      expect((await states()).at(-1)).toEqual([exitId(), comes ? 'repainted' : expect.stringMatching(/repainted/)]);
      expect((await states())[0]).toEqual([entryId(), 'confirmed']);
      await setup.close();
    }
    await entered();
  });
});

describe('a missing alert', () => {
  test('is sent by setting, under the very name it would have had; once, also after a crash', async () => {
    await entered({ sendMissing: true });
    await setup.clock.advance(22_000);
    expect(traded).toEqual([]);
    await setup.clock.advance(3000);
    expect(traded).toHaveLength(1);
    expect(JSON.parse(traded[0]!.message)).toEqual({
      ...{ exchange: 'binance', symbol: 'BINANCE:BTCUSDT', action: 'buy', quantity: '2', comment: 'L @ 100' },
      ...{ marketPosition: 'long', marketPositionSize: '2', prevMarketPosition: 'flat', prevMarketPositionSize: '0' },
      alertId: entryId(),
    });
    expect(await only()).toMatchObject({ state: 'missing', sent: 'sent by us: Enqueued as r1' });
    expect((await opinions()).counts).toEqual({ missing: 1, sent: 1 });
    await setup.crash(5000);
    await setup.clock.advance(60_000);
    expect(traded).toHaveLength(1);
    arrives({ decision: 'DUPLICATE_SIGNAL', quantity: null, before: null, comment: null });
    await setup.clock.advance(2000);
    expect(await only()).toMatchObject({ state: 'late', words: expect.stringContaining('not traded again') });
  });

  test('whose sending nobody knows the end of is sent again, under the same id of its event', async () => {
    await entered({ sendMissing: true });
    answer = () => {
      if (traded.length === 1) throw new Error('the gateway is away');
      return { status: 409, requestId: 'x', code: 'DUPLICATE_SIGNAL', originalRequestId: 'r1' };
    };
    await setup.clock.advance(40_000);
    expect(new Set(traded.map(({ eventId }) => eventId)).size).toBe(1);
    expect(traded).toHaveLength(2);
    expect(await only()).toMatchObject({ sent: 'sent by us as r1' });
  });

  test('that came at the same moment is not sent, and is late then', async () => {
    await entered({ sendMissing: true });
    answer = () => {
      arrives();
      return { status: 409, requestId: 'x', code: 'DUPLICATE_SIGNAL' };
    };
    await setup.clock.advance(40_000);
    expect(await only()).toMatchObject({ state: 'late', sent: "not sent: TradingView's alert came first" });
    expect((await opinions()).counts).toEqual({ missing: 1, late: 1 });
  });

  test('that may not be traded is told so and left', async () => {
    await entered({ sendMissing: true });
    answer = () => ({ status: 503, requestId: 'x', code: 'KILL_SWITCH', error: 'the kill switch is on' });
    await setup.clock.advance(60_000);
    expect(traded).toHaveLength(1);
    expect((await only()).sent).toBe('not sent under the key "tv": the kill switch is on');
  });

  test('is only written down in a dry run', async () => {
    await entered({ sendMissing: true }, 'dry-run');
    await setup.clock.advance(60_000);
    expect(traded).toEqual([]);
    expect((await only()).sent).toContain('dry run, not sent: {');
  });

  test('is not sent while its deployment is paused', async () => {
    await entered({ sendMissing: true });
    await setup.deployments.pause(ANN, id);
    await setup.clock.advance(60_000);
    expect(traded).toEqual([]);
  });
});

describe('a restart', () => {
  test('judges what was expected before it, by what came meanwhile, and alarms nothing twice', async () => {
    await entered();
    setup.die();
    await setup.clock.advance(5000);
    arrives();
    await setup.clock.advance(1_200_000);
    await setup.rise();
    await setup.clock.advance(3000);
    expect((await states())[0]).toEqual([entryId(), 'confirmed']);
    expect(raised.filter((text) => text.includes(entryId()))).toEqual([]);
  });

  test('names what is missing, and the next one does not name it again', async () => {
    await entered();
    await setup.crash(60_000);
    await setup.clock.advance(3000);
    expect(raised).toHaveLength(1);
    await setup.crash(1000);
    await setup.clock.advance(60_000);
    expect(raised).toHaveLength(1);
    expect((await opinions()).counts).toEqual({ missing: 1 });
  });
});

describe('the alert of an indicator', () => {
  const alerting = (freq: string): string =>
    `indicator("I")\nif close > 100\n    alert('{"action":"LONG","quantity":1,"alertId":"up-' + str.format_time(time, "yyyy-MM-dd'T'HH:mm:ss'Z'", "UTC") + '"}', ${freq})`;
  const upId = (timeMs: number): string => `up-${iso(timeMs)}`;
  const RISEN = { open: 100, high: 103, low: 100, close: 103 };

  test('is known by the alertId in its message, and confirmed at the close', async () => {
    await deployed(alerting('alert.freq_once_per_bar_close'));
    await setup.closeBar();
    shapes.set(1, RISEN);
    await setup.closeBar();
    arrives({ alertId: upId(firstMs + BAR_MS), quantity: 1, before: null, comment: null });
    await setup.clock.advance(2000);
    expect(await states()).toEqual([[upId(firstMs + BAR_MS), 'confirmed']]);
  });

  test('on an open bar waits for the close: confirmed where it has it, repainted where it does not', async () => {
    for (const [close, state] of [
      [103, 'confirmed'],
      [100, 'repainted'],
    ] as const) {
      await deployed(alerting('alert.freq_once_per_bar'));
      await setup.closeBar();
      await tick({ high: 103, close: 103 });
      arrives({ alertId: upId(firstMs + BAR_MS), quantity: 1, before: null, comment: null });
      await setup.clock.advance(60_000);
      expect(await states()).toEqual([[upId(firstMs + BAR_MS), 'arrived']]);
      shapes.set(1, { ...RISEN, close });
      await setup.closeBar();
      await setup.clock.advance(20_000);
      expect(await states()).toEqual([[upId(firstMs + BAR_MS), state]]);
      await setup.close();
    }
    await deployed(alerting('alert.freq_all'));
  });

  test('without a name is no opinion, and the log says what to do', async () => {
    await deployed('indicator("I")\nalert("up", alert.freq_once_per_bar_close)');
    await setup.closeBar();
    expect(await states()).toEqual([]);
    expect((await setup.logs(id)).some((line) => line.includes('no JSON with an "alertId"'))).toBe(true);
  });
});

test('two fills of one bar under one name are one alert, and the log says so', async () => {
  await deployed(`strategy("S", ${MARGIN}, pyramiding = 3)
if time == ${START_MS}
    for name in array.from("A", "B", "C")
        strategy.entry(name, strategy.long, 2)
strategy.exit("X", stop = 95)`);
  await setup.closeBar();
  await tick();
  await setup.closeBar();
  await tick({ low: 94, close: 94 });
  const exits = (await states()).map(([name]) => name).filter((name) => name.startsWith('mine/X'));
  const atMs = firstMs + 2 * BAR_MS;
  expect(exits).toEqual([`mine/X/sell/long/${iso(atMs)}`, `mine/X/sell/flat/${iso(atMs)}`]);
  expect((await setup.logs(id)).some((line) => line.includes('another event of this bar has the name mine/X'))).toBe(
    true,
  );
});

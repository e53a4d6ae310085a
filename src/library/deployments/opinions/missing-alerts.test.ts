// What a second opinion sends in TradingView's place, what it knows after a restart, and how it knows the alerts of indicators.

import { afterEach, describe, expect, test } from 'vitest';
import { ANN } from '../testing/open-test-setup.ts';
import {
  answering,
  arrives,
  BAR_MS,
  deployed,
  entered,
  entryId,
  firstMs,
  id,
  iso,
  MARGIN,
  only,
  opinions,
  raised,
  START_MS,
  setup,
  shapes,
  states,
  tick,
  traded,
} from './testing/opinion-setup.ts';

afterEach(() => setup.close());

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

  test("has the owner's own fields, and then sizes are not compared", async () => {
    await entered({ sendMissing: true, fields: { quantity: 0.5, leverage: 3 } });
    await setup.clock.advance(30_000);
    expect(JSON.parse(traded[0]!.message)).toMatchObject({ quantity: 0.5, ownQuantity: true, leverage: 3 });
    arrives({ quantity: 0.5 });
    await setup.clock.advance(2000);
    expect((await only()).state).toBe('late');
  });

  test('whose sending nobody knows the end of is sent again, under the same id of its event', async () => {
    await entered({ sendMissing: true });
    answering(() => {
      if (traded.length === 1) throw new Error('the gateway is away');
      return { status: 409, requestId: 'x', code: 'DUPLICATE_SIGNAL', originalRequestId: 'r1' };
    });
    await setup.clock.advance(40_000);
    expect(new Set(traded.map(({ eventId }) => eventId)).size).toBe(1);
    expect(traded).toHaveLength(2);
    expect(await only()).toMatchObject({ sent: 'sent by us as r1' });
  });

  test('that came at the same moment is not sent, and is late then', async () => {
    await entered({ sendMissing: true });
    answering(() => {
      arrives();
      return { status: 409, requestId: 'x', code: 'DUPLICATE_SIGNAL' };
    });
    await setup.clock.advance(40_000);
    expect(await only()).toMatchObject({ state: 'late', sent: "not sent: TradingView's alert came first" });
    expect((await opinions()).counts).toEqual({ missing: 1, late: 1 });
  });

  test('that may not be traded is told so and left', async () => {
    await entered({ sendMissing: true });
    answering(() => ({ status: 503, requestId: 'x', code: 'KILL_SWITCH', error: 'the kill switch is on' }));
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

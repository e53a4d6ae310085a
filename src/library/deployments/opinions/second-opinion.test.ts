// A deployed script beside TradingView's own alerts, on the real engine: what is named when, and what is never said.

import { afterEach, describe, expect, test } from 'vitest';
import {
  arrives,
  BAR_MS,
  deployed,
  entered,
  entering,
  entryId,
  exitId,
  firstMs,
  iso,
  market,
  only,
  opinions,
  raised,
  said,
  setup,
  shapes,
  states,
  tick,
  traded,
} from './testing/opinion-setup.ts';

afterEach(() => setup.close());

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
      expect((await states()).at(-1)).toEqual([exitId(), 'repainted']);
      expect((await states())[0]).toEqual([entryId(), 'confirmed']);
      arrives({ alertId: exitId(), action: 'CLOSE_LONG', comment: 'X @ 95', before: null });
      await setup.clock.advance(2000);
      expect((await opinions()).counts.repainted).toBe(1);
      expect(raised.filter((text) => text.includes('repainted'))).toHaveLength(1);
      await setup.close();
    }
    await entered();
  });
});

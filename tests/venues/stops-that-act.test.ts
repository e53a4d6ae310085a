// Stops that act at emulated venues, through the whole gateway, and those that do not although they should: whatever happens, the share is
// closed once, booked once, and told.

import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { decimal } from '../../src/trading/decimal.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import { Refusal } from '../support/emulated-venues/futures-order.ts';
import { MARKET } from '../support/live-gateway.ts';
import { startWebReceiver } from '../support/notice-receivers.ts';
import { STOP_VENUES } from '../support/stop-venues.ts';
import { eventually, openStopsGateway, type StopsGateway } from '../support/stops-gateway.ts';

/** Stops are looked at every second. */
const LOOKS_MS = 2_500;
const NEVER_MS = 3_600_000;
const BOUGHT = 'webhook LONG 0.01 Filled';
const STOPPED = 'stop-loss CLOSE_LONG 0.01 Filled';
const body = (value: object): RequestInit => ({ body: JSON.stringify(value) });

/** It is closed, once, and stays so. */
async function expectClosed(gateway: StopsGateway, trades: readonly string[] = [BOUGHT, STOPPED]): Promise<void> {
  await eventually(async () => expect(await gateway.trades()).toEqual(trades));
  await gateway.expectStops();
  await wait(LOOKS_MS);
  expect([gateway.held(), await gateway.booked(), gateway.stops()]).toEqual(['', [], []]);
  expect(await gateway.trades()).toEqual(trades);
}

describe.concurrent.each(STOP_VENUES)('$exchange', (row) => {
  const { exchange, stops: placing } = row;
  const setStop = (gateway: StopsGateway, stopLoss: number) =>
    gateway.ask(`/positions/${exchange}:${MARKET}:LONG/protection`, { method: 'PUT', ...body({ stopLoss }) });
  const guarded = async (options: Parameters<typeof openStopsGateway>[1] = {}): Promise<StopsGateway> => {
    const gateway = await openStopsGateway(row, options);
    await gateway.send({ stopLoss: 49000 });
    await gateway.expectStops('SELL 0.01 at 49000');
    return gateway;
  };

  test('a stop that acts is a trade of its strategy, closes once, and is told once', async () => {
    const receiver = await startWebReceiver();
    closeAtEnd(() => receiver.close());
    const gateway = await openStopsGateway(row, {
      settings: { NOTIFY_WEBHOOK_URL: `${receiver.url}/notices`, NOTIFY_WEBHOOK_SECRET: 'k'.repeat(32) },
    });
    await gateway.send({ stopLoss: 49000, takeProfit: 51000, strategy: 'trend' });
    await gateway.expectStops('SELL 0.01 at 49000', 'SELL 0.01 at 51000');
    gateway.trade(48990);
    await expectClosed(gateway, [`${BOUGHT} trend`, `${STOPPED} trend`]);
    expect(gateway.orders()).toEqual(['BUY 0.01 FILLED', 'SELL 0.01 FILLED']);
    expect(await gateway.ask('/protections')).toMatchObject({ result: [] });
    const told = (words: string) =>
      receiver.taken('/notices').filter((notice) => JSON.stringify(notice).includes(words));
    await eventually(() => expect(told('CLOSE_LONG')).toHaveLength(1));
    expect(told('reached its stop loss')).toHaveLength(1);
  });

  test('a take profit that acts takes its stop along', async () => {
    const gateway = await openStopsGateway(row);
    await gateway.send({ stopLoss: 49000, takeProfit: 51000 });
    await gateway.expectStops('SELL 0.01 at 49000', 'SELL 0.01 at 51000');
    gateway.trade(51010);
    await expectClosed(gateway, [BOUGHT, 'take-profit CLOSE_LONG 0.01 Filled']);
  });

  test('a stop that acts while we are down is in the books after the start', async () => {
    const gateway = await guarded();
    await gateway.stop();
    gateway.trade(48990);
    gateway.trade(50000);
    await gateway.restart();
    await expectClosed(gateway);
    // Told, and over when what it closed is in the books.
    await eventually(() => expect(gateway.alarms()).toBe(''));
  });

  test('a stop that acts while the streams are cut is found', async () => {
    const gateway = await guarded();
    gateway.emulated.faults.refusedStreams = '';
    gateway.emulated.faults.cutStreams();
    gateway.trade(48990);
    await expectClosed(gateway);
  });

  test('what a stop leaves of its share is closed by us', async () => {
    const gateway = await guarded();
    gateway.emulated.market.setLiquidity(MARKET, '0.004');
    gateway.trade(48990);
    gateway.emulated.market.setLiquidity(MARKET);
    await eventually(() => expect(gateway.held()).toBe(''));
    await eventually(async () => expect(await gateway.booked()).toEqual([]));
    await gateway.expectStops();
    const [, ...closes] = await gateway.trades();
    expect(closes).toEqual([
      expect.stringMatching(/^stop-loss CLOSE_LONG 0\.004 /),
      'stop-loss CLOSE_LONG 0.006 Filled',
    ]);
  });

  test('what a stop has left while we were down is closed at the start', async () => {
    const gateway = await guarded();
    await gateway.stop();
    gateway.emulated.market.setLiquidity(MARKET, '0.004');
    gateway.trade(48990);
    gateway.emulated.market.setLiquidity(MARKET);
    await gateway.restart();
    await eventually(() => expect(gateway.held()).toBe(''));
    await eventually(async () => expect(await gateway.booked()).toEqual([]));
    await gateway.expectStops();
  });

  test.each([
    ['CLOSE_LONG', ''],
    ['SHORT', 'SHORT 0.01'],
  ])('a stop that acts at the moment of a %s has closed its share, and nothing else', async (action, held) => {
    const gateway = await guarded();
    gateway.trade(48990);
    await gateway.send({ action });
    await eventually(() => expect(gateway.held()).toBe(held));
    await wait(LOOKS_MS);
    expect([gateway.held(), (await gateway.booked()).join()]).toEqual([held, held]);
    expect(await gateway.trades()).toContain(STOPPED);
  });

  test.each<[string, (faults: StopsGateway['emulated']['faults']) => void]>([
    ['breaks off', (faults) => faults.dropAnswerAfterAccept(placing)],
    ['is a 502', (faults) => faults.statusAfterAccept(placing, 502)],
    ['is garbage', (faults) => faults.garbage(placing, true)],
    ['says that nobody knows', (faults) => faults.unknownOutcome(placing, true)],
  ])('where the answer to a new stop %s there is one, and it acts', async (_, plan) => {
    const gateway = await openStopsGateway(row);
    await gateway.send();
    plan(gateway.emulated.faults);
    await setStop(gateway, 49000);
    await gateway.expectStops('SELL 0.01 at 49000');
    await wait(LOOKS_MS);
    expect(gateway.everTaken()).toBe(1);
    gateway.trade(48990);
    await expectClosed(gateway);
    expect(gateway.everTaken()).toBe(1);
  });

  test('a stop that the venue refuses is told, and our own guard closes at its level', async () => {
    const gateway = await openStopsGateway(row);
    const refusing = vi.spyOn(gateway.emulated.market, 'placeStop').mockImplementation(() => {
      throw new Refusal('insufficient-margin');
    });
    await gateway.send({ stopLoss: 49000 });
    await eventually(() => expect(gateway.alarms()).toContain('has no stop at the venue since'));
    expect(await gateway.atVenue()).toEqual([]);
    gateway.trade(49000.1);
    await wait(LOOKS_MS);
    expect(gateway.held()).toBe('LONG 0.01');
    gateway.trade(48990);
    await expectClosed(gateway);
    expect(gateway.alarms()).not.toContain('has no stop at the venue since');
    refusing.mockRestore();
  });

  test('a stop that the venue refuses at first is placed when it takes stops again', async () => {
    const gateway = await openStopsGateway(row);
    const refusing = vi.spyOn(gateway.emulated.market, 'placeStop').mockImplementation(() => {
      throw new Refusal('insufficient-margin');
    });
    await gateway.send({ stopLoss: 49000 });
    await eventually(() => expect(gateway.alarms()).toContain('has no stop at the venue since'));
    refusing.mockRestore();
    await gateway.expectStops('SELL 0.01 at 49000');
    // The venue shows it before its answer is here.
    await eventually(() => expect(gateway.alarms()).not.toContain('has no stop at the venue since'));
    expect(gateway.everTaken()).toBe(1);
  });

  test('a stop that the market has passed before it is placed is closed at once', async () => {
    const gateway = await openStopsGateway(row);
    const { market } = gateway.emulated;
    const placeStop = market.placeStop.bind(market);
    vi.spyOn(market, 'placeStop').mockImplementation((stop) => {
      gateway.trade(48990);
      return placeStop(stop);
    });
    await gateway.send({ stopLoss: 49000 });
    await expectClosed(gateway);
    expect(gateway.everTaken()).toBe(0);
  });

  test('a stop that is canceled by hand at the venue is placed again', async () => {
    const gateway = await guarded();
    const { stops } = gateway.emulated.market;
    for (const stop of stops.waiting(MARKET)) stops.cancel(stop);
    await eventually(() => expect(gateway.alarms()).toContain('it was canceled or dropped there'));
    await gateway.expectStops('SELL 0.01 at 49000');
    await eventually(() => expect([gateway.everTaken(), gateway.alarms()]).toEqual([2, '']));
    gateway.trade(48990);
    await expectClosed(gateway);
  });

  test('a stop that the venue refuses is alarmed until its owner wants it no more', async () => {
    const gateway = await openStopsGateway(row);
    vi.spyOn(gateway.emulated.market, 'placeStop').mockImplementation(() => {
      throw new Refusal('insufficient-margin');
    });
    await gateway.send({ stopLoss: 49000 });
    await eventually(() => expect(gateway.alarms()).toContain('has no stop at the venue since'));
    await gateway.ask(`/positions/${exchange}:${MARKET}:LONG/protection`, { method: 'DELETE' });
    await eventually(() => expect(gateway.alarms()).toBe(''));
  });

  test('stops that the owner has placed by hand, in whatever form, do not hide ours', async () => {
    const gateway = await openStopsGateway(row);
    await gateway.send();
    gateway.emulated.market.placeStop({
      ...{ clientStopId: 'web_1', symbol: MARKET, side: 'SELL', positionSide: 'BOTH', triggerPrice: decimal('40000') },
      ...{ waitsFor: 'fall', triggerBy: 'MARK', reduceOnly: true, venueType: '', timeInForce: 'IOC' },
    });
    await setStop(gateway, 49000);
    await eventually(async () => expect(await gateway.atVenue()).toEqual(['SELL 0.01 at 49000']));
    await gateway.stop();
    gateway.trade(48990);
    await gateway.restart();
    await eventually(async () => expect(await gateway.trades()).toEqual([BOUGHT, STOPPED]));
  });

  test('a stop that does not act at its price is taken away after five seconds, and the share is closed by us', async () => {
    const gateway = await guarded();
    const hanging = vi.spyOn(gateway.emulated.market.stops, 'pricesMoved').mockReturnValue();
    const began = Date.now();
    gateway.trade(48990);
    await eventually(() => expect(gateway.held()).toBe(''));
    expect(Date.now() - began).toBeGreaterThanOrEqual(5000);
    await expectClosed(gateway);
    hanging.mockRestore();
    gateway.trade(48980);
    expect(gateway.orders()).toEqual(['BUY 0.01 FILLED', 'SELL 0.01 FILLED']);
  });

  test('a stop whose order fills late, when our own close waits behind it, has closed the share once', async () => {
    const gateway = await guarded();
    gateway.emulated.market.fillDelayMs = 8_000;
    gateway.trade(48990);
    gateway.emulated.market.fillDelayMs = 0;
    await eventually(() => expect(gateway.held()).toBe(''));
    await eventually(async () => expect(await gateway.booked()).toEqual([]));
    await gateway.expectStops();
    await wait(LOOKS_MS);
    // At Bybit our own close can still take it away.
    const filled = (each: string): boolean => /filled$/i.test(each);
    expect(gateway.orders().filter(filled)).toEqual(['BUY 0.01 FILLED', 'SELL 0.01 FILLED']);
    expect((await gateway.trades()).filter(filled)).toEqual([BOUGHT, STOPPED]);
  });

  /** Its order is taken by the venue and meets the market only when the test says so. */
  const sentAndOpen = async (): Promise<StopsGateway> => {
    const gateway = await guarded();
    const { market } = gateway.emulated;
    market.fillDelayMs = NEVER_MS;
    gateway.trade(48990);
    market.fillDelayMs = 0;
    return gateway;
  };

  test('a stop whose order stays open is taken back after five seconds, and the share is closed by us', async () => {
    const gateway = await sentAndOpen();
    await eventually(() => expect(gateway.held()).toBe(''));
    await eventually(async () => expect(await gateway.booked()).toEqual([]));
    await gateway.expectStops();
    await wait(LOOKS_MS);
    expect(gateway.orders().map((each) => each.replace('EXPIRED', 'CANCELED'))).toEqual([
      ...['BUY 0.01 FILLED', 'SELL 0 CANCELED', 'SELL 0.01 FILLED'],
    ]);
    expect((await gateway.trades()).filter((each) => each.endsWith('Filled'))).toEqual([BOUGHT, STOPPED]);
  });

  test('the same where the price has come back meanwhile', async () => {
    const gateway = await sentAndOpen();
    gateway.trade(50000);
    await eventually(() => expect(gateway.held()).toBe(''));
    await eventually(async () => expect(await gateway.booked()).toEqual([]));
    await gateway.expectStops();
  });

  test('a stop whose order fills while it is taken back has closed the share once', async () => {
    const gateway = await sentAndOpen();
    const { market } = gateway.emulated;
    const cancel = market.cancel.bind(market);
    const filling = vi.spyOn(market, 'cancel').mockImplementation((order) => {
      market.matchNow(order);
      cancel(order);
    });
    await eventually(() => expect(gateway.held()).toBe(''));
    await eventually(async () => expect(await gateway.booked()).toEqual([]));
    await gateway.expectStops();
    await wait(LOOKS_MS);
    expect(gateway.orders()).toEqual(['BUY 0.01 FILLED', 'SELL 0.01 FILLED']);
    // At Bybit our own close may have taken it back, and has found nothing more to close.
    expect((await gateway.trades()).filter((each) => each.endsWith('Filled'))).toEqual([BOUGHT, STOPPED]);
    expect(filling).toHaveBeenCalledOnce();
  });
});

describe.each(STOP_VENUES)('$exchange', (row) => {
  afterEach(() => vi.restoreAllMocks());

  test.each([
    ['close', ''],
    ['keep', 'LONG 0.01'],
  ])('a share without a stop for a minute, where UNPROTECTED_POSITIONS=%s', async (setting, held) => {
    const gateway = await openStopsGateway(row, { settings: { UNPROTECTED_POSITIONS: setting } });
    vi.spyOn(gateway.emulated.market, 'placeStop').mockImplementation(() => {
      throw new Refusal('insufficient-margin');
    });
    await gateway.send({ stopLoss: 49000 });
    await eventually(() => expect(gateway.alarms()).toContain('has no stop at the venue since'));
    await wait(LOOKS_MS);
    expect(gateway.held()).toBe('LONG 0.01');
    const elapsed = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => elapsed() + 60_000);
    await wait(LOOKS_MS);
    await eventually(() => expect(gateway.held()).toBe(held));
    if (held === '') await expectClosed(gateway);
  });
});

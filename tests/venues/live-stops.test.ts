// Stops that wait at a real venue, against emulated ones over real HTTP: what is known of them, and what is told when they act.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LiveAccounts, type LiveAccountsOptions } from '../../src/adapters/venues/live-accounts.ts';
import { venueFolder } from '../../src/composition/venue-folders.ts';
import type { Exchange } from '../../src/exchanges/exchange.ts';
import { foregroundTimers } from '../../src/timing/timers.ts';
import { decimal, toText } from '../../src/trading/decimal.ts';
import {
  type OrderReport,
  StopPassed,
  type StopRequest,
  type Venue,
  type VenueStops,
} from '../../src/trading/venue.ts';
import { startBinance } from '../support/emulated-venues/binance/venue.ts';
import { type BybitVenue, startBybitVenue } from '../support/emulated-venues/bybit/bybit-venue.ts';
import type { EmulatedVenue, EmulatedVenueOptions } from '../support/emulated-venues/emulated-venue.ts';
import type { FaultMatch } from '../support/emulated-venues/faults.ts';
import { DEFAULT_MARKETS } from '../support/emulated-venues/market-spec.ts';
import { MexcClient } from '../support/emulated-venues/mexc/mexc-client.ts';
import { type MexcVenue, startMexcVenue } from '../support/emulated-venues/mexc/mexc-venue.ts';
import { STOP_VENUES, type StopVenueRow } from '../support/stop-venues.ts';

const MARKET = 'BTCUSDT';
const OTHER_MARKET = 'ETHUSDT';
/** Differs from ours by far more than any venue forgives. */
const CLOCK_AHEAD_MS = 600_000;
const NEVER_MS = 600_000;

async function opened(
  exchange: Exchange,
  { baseUrl, credentials }: EmulatedVenue,
  pace: Pick<LiveAccountsOptions, 'nowMs' | 'monotonicMs' | 'lookEveryMs'>,
): Promise<[Venue, VenueStops]> {
  const { venue } = await new LiveAccounts({
    ...{ timers: foregroundTimers, folderOf: venueFolder, random: Math.random, ...pace },
    ...{ onTrouble: () => {}, log: { warn() {} } },
  }).open({ exchange, account: 'main', mode: 'live', baseUrl, credentials });
  if (venue.stops === undefined) throw new Error('this venue has no stops');
  return [venue, venue.stops];
}

describe.each(STOP_VENUES)('$exchange', ({ exchange, start, stops: path, waitings, cancels, canceled, setMode }) => {
  let emulated: EmulatedVenue;
  let venue: Venue;
  let stops: VenueStops;
  let told: OrderReport[];
  let clockAheadMs: number;
  /** Added to the clock that never jumps. */
  let elapsedMs: number;
  let ids: number;

  beforeEach(async () => {
    [told, clockAheadMs, elapsedMs, ids] = [[], CLOCK_AHEAD_MS, 0, 0];
    emulated = await start({ nowMs: () => Date.now() + clockAheadMs });
    emulated.market.setPrice(MARKET, '50000');
    emulated.market.setPrice(OTHER_MARKET, '3000');
    await setMode(emulated, false);
    await reopen(50);
  });

  afterEach(async () => {
    await venue.close();
    await emulated.close();
  });

  const reopen = async (lookEveryMs: number): Promise<void> => {
    await venue?.close();
    // MEXC tells its contracts once in five seconds.
    clockAheadMs += 6_000;
    const monotonicMs = () => performance.now() + elapsedMs;
    [venue, stops] = await opened(exchange, emulated, { nowMs: Date.now, monotonicMs, lookEveryMs });
    venue.watchOrders((report) => void told.push(report));
  };

  const trade = async (changes: Partial<Parameters<Venue['placeOrder']>[0]> = {}): Promise<OrderReport> => {
    ids += 1;
    return venue.placeOrder({
      ...{ clientOrderId: `sbx-order-${ids}`, market: MARKET, side: 'BUY', positionSide: 'LONG', reduceOnly: false },
      ...{ quantity: decimal('0.01'), ...changes },
    });
  };
  const stop = (changes: Partial<StopRequest> = {}): StopRequest => {
    ids += 1;
    return {
      ...{ clientStopId: `sbx-stop-${ids}`, market: MARKET, kind: 'stop', positionSide: 'LONG' },
      ...{ quantity: decimal('0.01'), triggerPrice: decimal('49000'), ...changes },
    };
  };
  const placed = async (changes: Partial<StopRequest> = {}): Promise<StopRequest> => {
    const request = stop(changes);
    await stops.place(request);
    return request;
  };
  const stateOf = async ({ market, clientStopId }: StopRequest): Promise<string> => {
    const lookup = await stops.find(market, clientStopId);
    return lookup.found ? lookup.stop.state : lookup.certain ? 'not there' : 'in doubt';
  };
  const orderOf = async ({ market, clientStopId }: StopRequest): Promise<OrderReport | undefined> => {
    const lookup = await venue.findOrder(market, clientStopId);
    return lookup.found ? lookup.order : undefined;
  };
  const waitingIds = async (market?: string): Promise<readonly string[]> =>
    (await stops.waiting(market)).map(({ clientStopId }) => clientStopId).toSorted();
  const held = async (): Promise<string> =>
    (await venue.positions(MARKET)).map(({ side, quantity }) => `${side} ${toText(quantity)}`).join(', ');
  const openHedge = async (): Promise<void> => {
    await setMode(emulated, true);
    await reopen(50);
  };

  describe('a stop that is placed', () => {
    test('waits for as long as it is said to live there', async () => {
      const MONTH_MS = 30 * 24 * 3_600_000;
      const { livesForMs = MONTH_MS } = stops;
      expect(livesForMs).toBe(exchange === 'mexc' ? 7 * 24 * 3_600_000 : MONTH_MS);
      await trade();
      const request = await placed();
      clockAheadMs += livesForMs - 60_000;
      expect(await stateOf(request)).toBe('waiting');
      clockAheadMs += 120_000;
      expect(await stateOf(request)).toBe(exchange === 'mexc' ? 'ended' : 'waiting');
    });

    test('waits at the venue for the last price, closes only, and is no order', async () => {
      await trade();
      const request = await placed();
      expect(emulated.market.stops.waiting(MARKET)).toMatchObject([
        {
          ...{ side: 'SELL', positionSide: 'BOTH', reduceOnly: true, triggerBy: 'LAST', waitsFor: 'fall' },
          ...{ quantity: decimal('0.01'), triggerPrice: decimal('49000') },
        },
      ]);
      expect(await stops.find(MARKET, request.clientStopId)).toEqual({
        found: true,
        stop: { ...request, state: 'waiting' },
      });
      expect(await stops.waiting(MARKET)).toEqual([{ ...request, state: 'waiting' }]);
      expect(await venue.openOrders(MARKET)).toEqual([]);
      expect(await orderOf(request)).toBeUndefined();
      emulated.market.setPrice(MARKET, { last: '49000.1', mark: '40000' });
      expect(await stateOf(request)).toBe('waiting');
    });

    test.each([
      ['a long', 'stop', 'LONG', 'BUY', '49000', 'fall'],
      ['a long', 'take-profit', 'LONG', 'BUY', '51000', 'rise'],
      ['a short', 'stop', 'SHORT', 'SELL', '51000', 'rise'],
      ['a short', 'take-profit', 'SHORT', 'SELL', '49000', 'fall'],
    ] as const)(
      'of %s, as a %s, acts on the right side, one-way and hedge',
      async (_, kind, side, opens, price, way) => {
        for (const isHedge of [false, true]) {
          emulated.market.setPrice(MARKET, '50000');
          if (isHedge) await openHedge();
          // In hedge mode something is held on both sides: only its own may shrink.
          for (const each of isHedge ? (['BUY', 'SELL'] as const) : [opens])
            await trade({ side: each, positionSide: each === 'BUY' ? 'LONG' : 'SHORT' });
          const request = await placed({ kind, positionSide: side, triggerPrice: decimal(price) });
          const [waiting] = emulated.market.stops.waiting(MARKET);
          expect([waiting?.waitsFor, waiting?.positionSide]).toEqual([way, isHedge ? side : 'BOTH']);
          expect(await stops.waiting()).toEqual([{ ...request, state: 'waiting' }]);
          emulated.market.setPrice(MARKET, price);
          expect(await orderOf(request)).toMatchObject({ status: 'filled', positionSide: side, reduceOnly: true });
          expect(await held()).toBe(isHedge ? `${side === 'LONG' ? 'SHORT' : 'LONG'} 0.01` : '');
        }
      },
    );

    test('twice is one stop', async () => {
      await trade();
      const request = await placed();
      await stops.place(request);
      expect(emulated.market.stops.all).toHaveLength(1);
    });

    test('at a price that the market is past is told so, and nothing waits', async () => {
      await trade();
      const request = stop({ triggerPrice: decimal('50000') });
      await expect(stops.place(request)).rejects.toThrow(StopPassed);
      await expect(stops.place({ ...request, kind: 'take-profit' })).rejects.toMatchObject({ failure: 'rejected' });
      expect(emulated.market.stops.all).toEqual([]);
      expect(await waitingIds()).toEqual([]);
    });

    test('in a market that there is not is refused', async () => {
      await expect(stops.place(stop({ market: 'NOSUCHUSDT' }))).rejects.toMatchObject({ name: 'UnknownMarket' });
    });

    test('after the mode was changed is not sent once, then goes as it is now', async () => {
      await trade();
      await trade({ side: 'SELL', reduceOnly: true });
      await setMode(emulated, true);
      await expect(stops.place(stop())).rejects.toMatchObject({ failure: 'not-sent' });
      await trade();
      await placed();
      expect(emulated.market.stops.all).toMatchObject([{ positionSide: 'LONG' }]);
    });
  });

  describe('when an answer is lost', () => {
    beforeEach(() => trade());

    test.each<[string, (match: FaultMatch) => void]>([
      ['breaks off', (match) => emulated.faults.dropAnswerAfterAccept(match)],
      ['is a 502', (match) => emulated.faults.statusAfterAccept(match, 502)],
      ['says that nobody knows', (match) => emulated.faults.unknownOutcome(match, true)],
      ['is garbage', (match) => emulated.faults.garbage(match, true)],
    ])('%s: it is unknown, the stop is there, and there is one', async (_, plan) => {
      plan(path);
      const request = stop();
      await expect(stops.place(request)).rejects.toMatchObject({ failure: 'unknown' });
      expect(await stops.find(MARKET, request.clientStopId)).toEqual({
        found: true,
        stop: { ...request, state: 'waiting' },
      });
      await stops.place(request);
      expect(emulated.market.stops.all).toHaveLength(1);
      await stops.cancel(MARKET, request.clientStopId);
      expect(emulated.market.stops.waiting()).toEqual([]);
    });

    test('and the stop never arrived, it is in doubt for as long as it might appear, and cannot be canceled', async () => {
      emulated.faults.dropBefore(path);
      const request = stop();
      await expect(stops.place(request)).rejects.toMatchObject({ failure: 'unknown' });
      expect(await stateOf(request)).toBe('in doubt');
      await expect(stops.cancel(MARKET, request.clientStopId)).rejects.toMatchObject({ failure: 'unknown' });
      elapsedMs = 60_000;
      expect(await stateOf(request)).toBe('in doubt');
      elapsedMs = 75_000;
      expect(await stateOf(request)).toBe('not there');
      await stops.cancel(MARKET, request.clientStopId);
    });

    test('of a question that comes before the stop, it was not sent', async () => {
      await reopen(NEVER_MS);
      emulated.faults.dropBefore({ method: 'GET' }, 1);
      const request = stop();
      await expect(stops.place(request)).rejects.toMatchObject({ failure: 'not-sent' });
      expect(emulated.market.stops.all).toEqual([]);
      await stops.place(request);
      expect(await stateOf(request)).toBe('waiting');
    });

    test('of a cancel, it is unknown, and canceling again is no fault', async () => {
      const request = await placed();
      emulated.faults.dropAnswerAfterAccept(cancels);
      await expect(stops.cancel(MARKET, request.clientStopId)).rejects.toMatchObject({ failure: 'unknown' });
      await stops.cancel(MARKET, request.clientStopId);
      expect(await stateOf(request)).toBe('ended');
    });

    test('a cancel that is taken is not believed while the stop still waits', async () => {
      const request = await placed();
      const reply = { status: 200, text: canceled };
      emulated.faults.plan(cancels, { type: 'answer', when: 'before', reply });
      await expect(stops.cancel(MARKET, request.clientStopId)).rejects.toMatchObject({ failure: 'unknown' });
      await stops.cancel(MARKET, request.clientStopId);
      expect(emulated.market.stops.waiting()).toEqual([]);
    });

    test('too many requests mean that it was not sent', async () => {
      emulated.faults.tooManyRequests(path, 429, 1);
      await expect(stops.place(stop())).rejects.toMatchObject({ failure: 'not-sent' });
      expect(emulated.market.stops.all).toEqual([]);
    });

    test('a clock that has moved is read again, and the stop goes through once', async () => {
      clockAheadMs = -CLOCK_AHEAD_MS;
      const request = await placed();
      expect(await stateOf(request)).toBe('waiting');
      expect(emulated.market.stops.all).toHaveLength(1);
    });
  });

  describe('a stop that acts', () => {
    beforeEach(() => trade());

    test('is found as an order with its fills under its own id, and told to whoever listens, once', async () => {
      emulated.market.setMaxTrade(MARKET, '0.004');
      const request = await placed();
      emulated.market.setPrice(MARKET, '48990');
      const { clientStopId } = request;
      const whole = { clientOrderId: clientStopId, status: 'filled', side: 'SELL', executedQuantity: decimal('0.01') };
      await expect.poll(() => told.at(-1), { timeout: 3000 }).toMatchObject({ ...whole, fills: [{}, {}, {}] });
      expect(await orderOf(request)).toMatchObject({
        ...whole,
        market: MARKET,
        positionSide: 'LONG',
        reduceOnly: true,
      });
      expect(await stateOf(request)).toBe('sent');
      expect(await waitingIds()).toEqual([]);
      await new Promise((done) => setTimeout(done, 200));
      expect(told).toHaveLength(1);
      expect(await venue.forcedOrders?.()).toEqual([]);
    });

    test.each<[string, 'before' | 'after']>([
      ['from before it acted', 'after'],
      ['from after that', 'before'],
    ])('is told once where an answer %s comes late', async (_, when) => {
      const { clientStopId } = await placed();
      emulated.faults.delay(waitings, 700, when);
      await expect.poll(() => emulated.requests.filter(({ path: each }) => each === waitings.path)).not.toEqual([]);
      await new Promise((done) => setTimeout(done, 200));
      emulated.market.setPrice(MARKET, '48990');
      await expect.poll(() => told, { timeout: 3000 }).toMatchObject([{ clientOrderId: clientStopId }]);
      await new Promise((done) => setTimeout(done, 1_000));
      expect(told).toHaveLength(1);
    });

    test('is told by the stream alone', async () => {
      await reopen(NEVER_MS);
      await new Promise((done) => setTimeout(done, 300));
      const { clientStopId } = await placed();
      emulated.market.setPrice(MARKET, '48990');
      await expect
        .poll(() => told.at(-1), { timeout: 3000 })
        .toMatchObject({ clientOrderId: clientStopId, status: 'filled' });
    });

    test('while the stream is cut is found when it is back', async () => {
      await reopen(NEVER_MS);
      await new Promise((done) => setTimeout(done, 300));
      const { clientStopId } = await placed();
      emulated.faults.cutStreams();
      emulated.market.setPrice(MARKET, '48990');
      await expect
        .poll(() => told.at(-1), { timeout: 5000 })
        .toMatchObject({ clientOrderId: clientStopId, status: 'filled' });
    });

    test('is found by the look alone', async () => {
      emulated.faults.loseEvents = 1000;
      const { clientStopId } = await placed();
      emulated.market.setPrice(MARKET, '48990');
      await expect
        .poll(() => told.at(-1), { timeout: 3000 })
        .toMatchObject({ clientOrderId: clientStopId, status: 'filled' });
    });

    test('although its answer was lost is told too', async () => {
      emulated.faults.dropAnswerAfterAccept(path);
      const request = stop();
      await expect(stops.place(request)).rejects.toMatchObject({ failure: 'unknown' });
      emulated.market.setPrice(MARKET, '48990');
      await expect
        .poll(() => told.at(-1), { timeout: 3000 })
        .toMatchObject({ clientOrderId: request.clientStopId, status: 'filled' });
      expect(emulated.market.stops.all).toHaveLength(1);
    });

    test('although its answer was lost and a second attempt was not sent is told too', async () => {
      emulated.faults.dropAnswerAfterAccept(path);
      const request = stop();
      await expect(stops.place(request)).rejects.toMatchObject({ failure: 'unknown' });
      if (exchange !== 'mexc') emulated.faults.tooManyRequests(path, 429, 1);
      await stops.place(request).catch(() => undefined);
      emulated.market.setPrice(MARKET, '48990');
      await expect
        .poll(() => told.at(-1), { timeout: 5000 })
        .toMatchObject({ clientOrderId: request.clientStopId, status: 'filled' });
    });

    test('in steps is told until its end', async () => {
      emulated.market.fillDelayMs = 1_000;
      const request = await placed();
      emulated.market.setPrice(MARKET, '48990');
      expect(await waitingIds()).toEqual([]);
      await expect.poll(() => told.map(({ status }) => status), { timeout: 3000 }).toEqual(['submitted', 'filled']);
      expect(await stateOf(request)).toBe('sent');
    });

    test('and cannot be filled whole has expired with what it filled', async () => {
      emulated.market.setLiquidity(MARKET, '0.006');
      const request = await placed();
      emulated.market.setPrice(MARKET, '48990');
      const order = await orderOf(request);
      expect([order?.status, toText(order?.executedQuantity ?? decimal(0))]).toEqual(['expired', '0.006']);
      expect(await held()).toBe('LONG 0.004');
    });

    test('before it is canceled is told by its order, and the cancel is no fault', async () => {
      const request = await placed();
      emulated.market.setPrice(MARKET, '48990');
      await stops.cancel(MARKET, request.clientStopId);
      expect(await stateOf(request)).toBe('sent');
      await expect.poll(() => told.at(-1), { timeout: 3000 }).toMatchObject({ status: 'filled' });
    });

    test('finds nothing to reduce: it ends without a fill, and nothing is opened', async () => {
      const request = await placed();
      await trade({ side: 'SELL', reduceOnly: true });
      told = [];
      emulated.market.setPrice(MARKET, '48990');
      expect(await stateOf(request)).toBe('ended');
      expect(await orderOf(request)).toBeUndefined();
      expect(await held()).toBe('');
      await new Promise((done) => setTimeout(done, 200));
      expect(told).toEqual([]);
    });

    test('of another process may still appear after a take-over, however long this venue has been open', async () => {
      elapsedMs = 3_600_000;
      const lookup = () => venue.findOrder(MARKET, 'sbx-of-another-process');
      expect(await lookup()).toEqual({ found: false, certain: true });
      venue.takeOver?.();
      elapsedMs += 3000;
      expect(await lookup()).toEqual({ found: false, certain: false });
      elapsedMs += 75_000;
      expect(await lookup()).toEqual({ found: false, certain: true });
    });

    test('may do so at any time: no order of it is certain never to be while it waits', async () => {
      const request = await placed();
      elapsedMs = 3_600_000;
      expect(await venue.findOrder(MARKET, request.clientStopId)).toEqual({ found: false, certain: false });
      await stops.cancel(MARKET, request.clientStopId);
      expect(await venue.findOrder(MARKET, request.clientStopId)).toEqual({ found: false, certain: true });
      expect(await venue.findOrder(MARKET, 'sbx-never-sent')).toEqual({ found: false, certain: true });
    });
  });

  test('a stop that is canceled has ended, and never acts', async () => {
    await trade();
    const request = await placed();
    await stops.cancel(MARKET, request.clientStopId);
    expect(await stateOf(request)).toBe('ended');
    await stops.cancel(MARKET, request.clientStopId);
    emulated.market.setPrice(MARKET, '48990');
    expect(await held()).toBe('LONG 0.01');
    expect(await orderOf(request)).toBeUndefined();
  });

  test('those that wait are ours alone, in one market or in all', async () => {
    await trade();
    await trade({ market: OTHER_MARKET, quantity: decimal('0.1') });
    const first = await placed();
    const second = await placed({ kind: 'take-profit', triggerPrice: decimal('52000') });
    const third = await placed({
      ...{ market: OTHER_MARKET, quantity: decimal('0.1'), triggerPrice: decimal('2900') },
    });
    const [made] = emulated.market.stops.all;
    emulated.market.placeStop({ ...made!, clientStopId: 'owner-1', triggerPrice: decimal('48000') });
    // Whatever the venue lists besides.
    emulated.market.placeStop({ ...made!, clientStopId: 'owner-2', triggerPrice: decimal('47000'), venueType: '' });
    const names = (...requests: readonly StopRequest[]) => requests.map(({ clientStopId }) => clientStopId).toSorted();
    expect(await waitingIds(MARKET)).toEqual(names(first, second));
    expect(await waitingIds(OTHER_MARKET)).toEqual(names(third));
    expect(await waitingIds()).toEqual(names(first, second, third));
    await stops.cancel(MARKET, first.clientStopId);
    expect(await waitingIds()).toEqual(names(second, third));
  });

  test('more than one page of them is listed, and those alike are each their own', async () => {
    await trade();
    const first = await placed();
    const second = await placed();
    const [made] = emulated.market.stops.all;
    for (let n = 0; n < 110; n += 1) emulated.market.placeStop({ ...made!, clientStopId: `owner-${n}` });
    expect(await waitingIds(MARKET)).toEqual([first.clientStopId, second.clientStopId].toSorted());
    await stops.cancel(MARKET, second.clientStopId);
    expect([await stateOf(first), await stateOf(second)]).toEqual(['waiting', 'ended']);
  });

  describe('after a restart', () => {
    let request: StopRequest;
    beforeEach(async () => {
      await trade();
      request = await placed();
    });

    const restart = async (): Promise<void> => {
      await reopen(50);
      await stops.recall?.(request, Date.now() - 1_000);
    };

    test('a stop is found by its id, listed, and told when it acts', async () => {
      await restart();
      expect(await stops.find(MARKET, request.clientStopId)).toEqual({
        found: true,
        stop: { ...request, state: 'waiting' },
      });
      expect(await waitingIds()).toEqual([request.clientStopId]);
      emulated.market.setPrice(MARKET, '48990');
      await expect
        .poll(() => told.at(-1), { timeout: 3000 })
        .toMatchObject({ clientOrderId: request.clientStopId, status: 'filled' });
    });

    test('one that has acted meanwhile is found with its order, and told', async () => {
      emulated.market.setPrice(MARKET, '48990');
      told = [];
      await restart();
      expect(await stateOf(request)).toBe('sent');
      expect(await orderOf(request)).toMatchObject({ clientOrderId: request.clientStopId, status: 'filled' });
      await expect.poll(() => told.at(-1), { timeout: 3000 }).toMatchObject({ clientOrderId: request.clientStopId });
    });

    test('it is canceled, and placed again it is not doubled', async () => {
      await restart();
      await stops.place(request);
      expect(emulated.market.stops.all).toHaveLength(1);
      await stops.cancel(MARKET, request.clientStopId);
      expect(emulated.market.stops.waiting()).toEqual([]);
    });

    test('one that was never sent is certain when it cannot appear any more', async () => {
      await restart();
      const unsent = stop({ triggerPrice: decimal('47000') });
      await stops.recall?.(unsent, Date.now());
      expect(await stateOf(unsent)).toBe('in doubt');
      elapsedMs = 75_000;
      expect(await stateOf(unsent)).toBe('not there');
    });
  });

  test.each<[string, () => Promise<unknown>]>([
    ['was canceled', async () => stops.cancel(MARKET, (await placed()).clientStopId)],
    ['was refused', () => stops.place(stop({ triggerPrice: decimal('50000') }))],
    [
      'never arrived and cannot any more',
      async () => {
        emulated.faults.dropBefore(path);
        await stops.place(stop()).catch(() => undefined);
        elapsedMs = 75_000;
      },
    ],
  ])('nobody asks about a stop that %s', async (_, end) => {
    await trade();
    await end().catch(() => undefined);
    // Whatever was under way may still arrive on a slow machine; whoever asks again and again never gives such a pause.
    const askedIn = async (ms: number): Promise<number> => {
      const before = emulated.requests.length;
      await new Promise((done) => setTimeout(done, ms));
      return emulated.requests.length - before;
    };
    await expect.poll(() => askedIn(500), { timeout: 15_000 }).toBe(0);
  });
});

describe('what is special', () => {
  let emulated: EmulatedVenue;
  let venue: Venue;
  let stops: VenueStops;
  let aheadMs = 0;
  let elapsedMs = 0;
  let ourAheadMs = 0;

  const open = async (exchange: Exchange, start: StopVenueRow['start'], specs?: EmulatedVenueOptions['specs']) => {
    emulated = await start({ nowMs: () => Date.now() + aheadMs, ...(specs !== undefined && { specs }) });
    for (const symbol of emulated.market.specs.keys()) emulated.market.setPrice(symbol, '50000');
    await reopen(exchange);
  };
  const reopen = async (exchange: Exchange, lookEveryMs = 50) => {
    await venue?.close();
    aheadMs += 6_000;
    const monotonicMs = () => performance.now() + elapsedMs;
    [venue, stops] = await opened(exchange, emulated, {
      ...{ nowMs: () => Date.now() + ourAheadMs, monotonicMs, lookEveryMs },
    });
  };
  afterEach(async () => {
    await venue.close();
    await emulated.close();
    [aheadMs, elapsedMs, ourAheadMs] = [0, 0, 0];
  });

  const buy = (clientOrderId = 'sbx-entry', market = MARKET) =>
    venue.placeOrder({
      ...{ clientOrderId, market, side: 'BUY', positionSide: 'LONG', reduceOnly: false, quantity: decimal('0.01') },
    });
  const STOP: StopRequest = {
    ...{ clientStopId: 'sbx-stop', market: MARKET, kind: 'stop', positionSide: 'LONG' },
    ...{ quantity: decimal('0.01'), triggerPrice: decimal('49000') },
  };
  const sentTo = (path: string) => emulated.requests.filter((request) => request.path === path);

  test('at Binance: the order of a stop is found although it has another id than the stop', async () => {
    await open('binance', startBinance);
    await reopen('binance', NEVER_MS);
    await buy();
    await new Promise((done) => setTimeout(done, 300));
    const told: OrderReport[] = [];
    venue.watchOrders((report) => void told.push(report));
    await stops.place(STOP);
    const place = emulated.market.place.bind(emulated.market);
    emulated.market.place = (request, origin) => place({ ...request, clientOrderId: 'venue-7' }, origin);
    emulated.market.setPrice(MARKET, '48990');
    const whole = { clientOrderId: 'sbx-stop', status: 'filled', fills: [{ quantity: decimal('0.01') }] };
    await expect.poll(() => told.at(-1), { timeout: 3000 }).toMatchObject(whole);
    expect(await venue.findOrder(MARKET, 'sbx-stop')).toMatchObject({ found: true, order: whole });
  });

  test('at Binance: the open order of a stop is canceled although it has another id than the stop', async () => {
    await open('binance', startBinance);
    await buy();
    await stops.place(STOP);
    const place = emulated.market.place.bind(emulated.market);
    emulated.market.place = (request, origin) => place({ ...request, clientOrderId: 'venue-7' }, origin);
    emulated.market.fillDelayMs = NEVER_MS;
    emulated.market.setPrice(MARKET, '48990');
    const canceled = { clientOrderId: 'sbx-stop', status: 'canceled', fills: [] };
    expect(await venue.cancelOrder(MARKET, 'sbx-stop')).toMatchObject(canceled);
    await expect(venue.cancelOrder(MARKET, 'sbx-nobody')).rejects.toMatchObject({ failure: 'rejected' });
  });

  test('at Binance: stops in many markets are looked at with one question', async () => {
    const [spec] = DEFAULT_MARKETS;
    const specs = Array.from({ length: 21 }, (_, n) => ({ ...spec!, symbol: `M${n}USDT`, base: `M${n}` }));
    await open('binance', startBinance, specs);
    for (const { symbol } of specs) {
      await buy(`sbx-entry-${symbol}`, symbol);
      await stops.place({ ...STOP, market: symbol, clientStopId: `sbx-stop-${symbol}` });
    }
    const listed = () => sentTo('/fapi/v1/openAlgoOrders').at(-1)?.rawQuery ?? 'symbol';
    await expect.poll(listed, { timeout: 3000 }).not.toContain('symbol');
  });

  test('at Bybit: a stop that ended is found when the venue has moved it to its history', async () => {
    await open('bybit', startBybitVenue);
    await buy();
    await stops.place(STOP);
    emulated.market.setPrice(MARKET, '48990');
    (emulated as BybitVenue).forgetClosedOrders();
    expect(await stops.find(MARKET, 'sbx-stop')).toMatchObject({ found: true, stop: { state: 'sent' } });
    expect(await venue.findOrder(MARKET, 'sbx-stop')).toMatchObject({ found: true, order: { status: 'filled' } });
    expect(await stops.find(MARKET, 'sbx-entry')).toMatchObject({ found: false });
  });

  test('at Bybit: a stop too many is refused, and the remedy is told', async () => {
    await open('bybit', startBybitVenue);
    await buy();
    await stops.place({ ...STOP, clientStopId: 'sbx-first' });
    const [made] = emulated.market.stops.all;
    for (let n = 1; n < 10; n += 1) emulated.market.placeStop({ ...made!, clientStopId: `owner-${n}` });
    await expect(stops.place(STOP)).rejects.toMatchObject({
      failure: 'rejected',
      message: expect.stringContaining('cancel a stop of this market'),
    });
  });

  describe('at MEXC', () => {
    const PLACE = '/api/v1/private/planorder/place';
    beforeEach(async () => {
      await open('mexc', startMexcVenue);
      await buy();
    });

    test('a stop is counted in contracts, is at market, and waits for a week', async () => {
      await stops.place(STOP);
      const sent = JSON.parse(sentTo(PLACE)[0]?.body ?? '');
      expect(sent).toMatchObject({ symbol: 'BTC_USDT', side: 4, vol: '100', orderType: 5, executeCycle: 2, trend: 1 });
      aheadMs += 7 * 86_400_000;
      await expect.poll(() => stops.waiting(), { timeout: 3000 }).toEqual([]);
      expect(await stops.find(MARKET, 'sbx-stop')).toMatchObject({ found: true, stop: { state: 'ended' } });
    });

    test('a trigger price that MEXC does not like is passed only where the market says so', async () => {
      const text = '{"success":false,"code":3004,"message":"Trigger price error"}';
      const reply = { status: 200, text };
      emulated.faults.plan({ method: 'POST', path: PLACE }, { type: 'answer', when: 'before', reply });
      const error = await stops.place(STOP).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ failure: 'rejected' });
      expect(error).not.toBeInstanceOf(StopPassed);
      await stops.place(STOP);
    });

    test('a stop of an earlier process that nobody has told of is in doubt for ever, and not listed', async () => {
      await stops.place(STOP);
      await reopen('mexc');
      elapsedMs = 3_600_000;
      expect(await stops.find(MARKET, 'sbx-stop')).toEqual({ found: false, certain: false });
      expect(await stops.waiting()).toEqual([]);
      await expect(stops.cancel(MARKET, 'sbx-stop')).rejects.toMatchObject({ failure: 'unknown' });
    });

    test('questions about stops wait for their turn like all others', async () => {
      await stops.place(STOP);
      const asked = Array.from({ length: 40 }, () => stops.find(MARKET, 'sbx-stop').catch(() => undefined));
      await new Promise((done) => setTimeout(done, 500));
      const listed = sentTo('/api/v1/private/planorder/list/orders').length;
      expect([listed > 0, listed <= 20]).toEqual([true, true]);
      await venue.close();
      await Promise.all(asked);
    });

    test('a stop that may still appear is not sent again, since MEXC would take it twice', async () => {
      emulated.faults.dropBefore({ method: 'POST', path: PLACE });
      for (let n = 0; n < 2; n += 1) await expect(stops.place(STOP)).rejects.toMatchObject({ failure: 'unknown' });
      emulated.faults.tooManyRequests({ method: 'GET', path: '/api/v1/private/planorder/list/orders' }, 429, 1);
      await expect(stops.place(STOP)).rejects.toMatchObject({ failure: 'unknown' });
      expect(sentTo(PLACE)).toHaveLength(1);
    });

    test('a stop before which MEXC answers with nonsense was not sent', async () => {
      const reply = { status: 200, text: '{"success":true,"code":0,"data":[]}' };
      const match = { method: 'GET', path: '/api/v1/private/position/leverage' };
      emulated.faults.plan(match, { type: 'answer', when: 'before', reply });
      await expect(stops.place(STOP)).rejects.toMatchObject({ failure: 'not-sent' });
      expect(sentTo(PLACE)).toEqual([]);
    });

    test('a stop that never arrived is not taken for one that is alike and being placed', async () => {
      emulated.faults.dropBefore({ method: 'POST', path: PLACE });
      await expect(stops.place(STOP)).rejects.toMatchObject({ failure: 'unknown' });
      emulated.faults.delay({ method: 'POST', path: PLACE }, 300, 'after');
      const second = stops.place({ ...STOP, clientStopId: 'sbx-second' });
      await expect.poll(() => emulated.market.stops.all.length).toBe(1);
      expect(await stops.find(MARKET, 'sbx-stop')).toMatchObject({ found: false });
      await second;
      expect(await stops.find(MARKET, 'sbx-second')).toMatchObject({ found: true });
    });

    test('a stop that has waited too long behind others is not sent', async () => {
      emulated.faults.delay({ method: 'POST', path: PLACE }, 300, 'before');
      const first = stops.place(STOP);
      const second = stops.place({ ...STOP, clientStopId: 'sbx-second' });
      const refused = expect(second).rejects.toMatchObject({ failure: 'not-sent' });
      await expect.poll(() => sentTo(PLACE).length).toBe(1);
      ourAheadMs = 16_000;
      await Promise.all([first, refused]);
      expect(emulated.market.stops.all).toHaveLength(1);
      expect(await stops.waiting()).toEqual([{ ...STOP, state: 'waiting' }]);
    });

    test('two stops that are alike, with both answers lost, are two', async () => {
      emulated.faults.dropAnswerAfterAccept({ method: 'POST', path: PLACE }, 2);
      const other = { ...STOP, clientStopId: 'sbx-other' };
      await Promise.allSettled([stops.place(STOP), stops.place(other)]);
      expect((await stops.waiting()).map(({ clientStopId }) => clientStopId).toSorted()).toEqual([
        'sbx-other',
        'sbx-stop',
      ]);
      await stops.cancel(MARKET, 'sbx-stop');
      expect(await stops.waiting()).toEqual([{ ...other, state: 'waiting' }]);
      expect(emulated.market.stops.waiting()).toHaveLength(1);
    });

    test('what differs in price, volume, side, direction or time is not taken for a stop whose answer was lost', async () => {
      const owner = new MexcClient(emulated as MexcVenue);
      const alike = {
        ...{ symbol: 'BTC_USDT', side: 4, vol: 100, openType: 2, orderType: 5, executeCycle: 2, trend: 1 },
        ...{ triggerPrice: 49000, triggerType: 2 },
      };
      emulated.market.setPrice(MARKET, '48500');
      const { data: orderId } = await owner.post('planorder/place', { ...alike, triggerType: 1 });
      await owner.post('planorder/cancel', [{ symbol: 'BTC_USDT', orderId }]);
      emulated.market.setPrice(MARKET, '50000');
      for (const other of [{ vol: 50 }, { triggerPrice: 48999 }, { side: 2 }])
        await owner.post('planorder/place', { ...alike, ...other });
      expect(emulated.market.stops.waiting()).toHaveLength(3);
      emulated.faults.dropBefore({ method: 'POST', path: PLACE });
      await expect(stops.place(STOP)).rejects.toMatchObject({ failure: 'unknown' });
      expect(await stops.find(MARKET, 'sbx-stop')).toEqual({ found: false, certain: false });
      aheadMs += 200_000;
      await owner.post('planorder/place', alike);
      expect(await stops.find(MARKET, 'sbx-stop')).toEqual({ found: false, certain: false });
    });

    test('a plan order of the owner that cannot be read is taken for ours only while ours is not found', async () => {
      const strange = { id: '77', symbol: 'BTC_USDT', side: 4, triggerType: 2, triggerPrice: 'soon', state: 1 };
      emulated.faults.editAnswer({ method: 'GET', path: '/api/v1/private/planorder/list/orders' }, (body) => ({
        ...{ ...body, data: [strange, ...body.data] },
      }));
      emulated.faults.dropAnswerAfterAccept({ method: 'POST', path: PLACE });
      await expect(stops.place(STOP)).rejects.toMatchObject({ failure: 'unknown' });
      expect(await stops.find(MARKET, 'sbx-stop')).toMatchObject({ found: true, stop: { state: 'waiting' } });
      expect(await stops.waiting()).toEqual([{ ...STOP, state: 'waiting' }]);
      const lost = { ...STOP, clientStopId: 'sbx-lost' };
      emulated.faults.dropBefore({ method: 'POST', path: PLACE });
      await expect(stops.place(lost)).rejects.toMatchObject({ failure: 'unknown' });
      await expect(stops.find(MARKET, 'sbx-lost')).rejects.toMatchObject({ failure: 'unknown' });
    });

    test('of two that are alike, an earlier process meant the one that was made when it sent it', async () => {
      const firstAtMs = Date.now();
      await stops.place(STOP);
      await stops.cancel(MARKET, 'sbx-stop');
      [aheadMs, ourAheadMs] = [aheadMs + 30_000, 30_000];
      const second = { ...STOP, clientStopId: 'sbx-second' };
      await stops.place(second);
      await reopen('mexc');
      await stops.recall?.(STOP, firstAtMs);
      expect(await stops.find(MARKET, 'sbx-stop')).toMatchObject({ stop: { state: 'ended' } });
      await stops.recall?.(second, firstAtMs + 30_000);
      expect(await stops.waiting()).toEqual([{ ...second, state: 'waiting' }]);
    });
  });
});

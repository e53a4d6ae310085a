// Whatever orders come and whatever fails, the paper venue's books add up, in memory and after a reload.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Decimal, decimal, floorTo, times } from '../../../trading/decimal.ts';
import { type OrderRequest, type PositionMode, type PositionSide, VenueError } from '../../../trading/venue.ts';
import type { PaperFillRow } from './ledger.ts';
import type { PaperVenue } from './paper-venue.ts';
import { openTestVenue, order, type TestVenue } from './testing/open-test-venue.ts';

const MARKETS = ['BTCUSDT', 'ETHUSDT'] as const;
const SIDES = ['LONG', 'SHORT'] as const;
const START = decimal('10000');

type Step =
  | { kind: 'order'; market: string; side: PositionSide; reduceOnly: boolean; milli: number; offset: number | null }
  | { kind: 'burst'; steps: Extract<Step, { kind: 'order' }>[] }
  | { kind: 'move'; market: string; percent: number }
  | { kind: 'leverage'; market: string; leverage: number }
  | { kind: 'cancel'; market: string }
  | { kind: 'fail'; count: number }
  | { kind: 'reopen' };

const anOrder = fc.record({
  kind: fc.constant('order' as const),
  market: fc.constantFrom(...MARKETS),
  side: fc.constantFrom(...SIDES),
  reduceOnly: fc.boolean(),
  milli: fc.integer({ min: 0, max: 900 }),
  /** Percent from the market of a limit order; null is a market order. */
  offset: fc.option(fc.integer({ min: -3, max: 3 }), { nil: null }),
});

const aStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: anOrder },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('burst' as const), steps: fc.array(anOrder, { maxLength: 6 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('move' as const),
      market: fc.constantFrom(...MARKETS),
      percent: fc.integer({ min: -5, max: 5 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('leverage' as const),
      market: fc.constantFrom(...MARKETS),
      leverage: fc.integer({ min: 0, max: 130 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), market: fc.constantFrom(...MARKETS) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail' as const), count: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'reopen' as const }) },
);

interface Run extends TestVenue {
  venue: PaperVenue;
  readonly asked: Map<string, OrderRequest>;
}

/** Refusals and failed commits are ordinary; anything else is a fault of the venue. */
async function mayFail(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof VenueError) || error.failure === 'unknown') throw error;
  });
}

async function send(run: Run, step: Extract<Step, { kind: 'order' }>): Promise<void> {
  const last = decimal(await run.prices.lastPrice(step.market));
  const limit =
    step.offset === null ? undefined : floorTo(times(last, decimal(`${1 + step.offset / 100}`)), decimal('0.1'));
  const quantity = `${step.milli / 1000}`;
  const request = order(step.side, quantity, {
    market: step.market,
    reduceOnly: step.reduceOnly,
    ...(limit === undefined ? {} : { price: limit }),
  });
  run.asked.set(request.clientOrderId, request);
  await mayFail(run.venue.placeOrder(request));
}

async function take(run: Run, step: Step): Promise<void> {
  run.prices.advance(7);
  switch (step.kind) {
    case 'order':
      return send(run, step);
    case 'burst':
      await Promise.all(step.steps.map((each) => send(run, each)));
      return;
    case 'move': {
      const last = Number(await run.prices.lastPrice(step.market));
      run.prices.trade(step.market, (last * (1 + step.percent / 100)).toFixed(1));
      run.prices.advance(7);
      return mayFail(run.venue.matchNow());
    }
    case 'leverage':
      return mayFail(run.venue.ensureLeverage(step.market, step.leverage));
    case 'cancel': {
      const [first] = await run.venue.openOrders(step.market).catch(() => []);
      return first && mayFail(run.venue.cancelOrder(step.market, first.clientOrderId));
    }
    case 'fail':
      return run.ledger.failCommits(step.count);
    case 'reopen':
      run.ledger.failCommits(0);
      await run.venue.close();
      run.venue = await run.reopen();
  }
}

function heldAfter(run: Run, market: string, side: PositionSide, fills: readonly PaperFillRow[]): bigint {
  let held = 0n;
  for (const fill of fills) {
    const request = run.asked.get(fill.clientOrderId)!;
    if (request.market !== market || request.positionSide !== side) continue;
    held += request.reduceOnly ? -decimal(fill.quantity) : decimal(fill.quantity);
    expect(held).toBeGreaterThanOrEqual(0n);
  }
  return held;
}

async function everything(venue: PaperVenue) {
  const account = await venue.summary();
  const markets = await Promise.all(
    MARKETS.map(async (market) => ({
      positions: await venue.positions(market),
      orders: await venue.openOrders(market),
    })),
  );
  return { account, markets };
}

async function expectBooksAddUp(run: Run, positionMode: PositionMode): Promise<void> {
  run.ledger.failCommits(0);
  const { account, markets } = await everything(run.venue);
  const { fills } = run.ledger;
  const earned = fills.reduce((sum, fill) => sum + decimal(fill.realizedPnl) - decimal(fill.fee), 0n);
  expect(account.balance).toBe(START + earned);
  MARKETS.forEach((market, i) => {
    const { positions } = markets[i]!;
    if (positionMode === 'one-way') expect(positions.length).toBeLessThanOrEqual(1);
    for (const side of SIDES) {
      const shown = positions.find((position) => position.side === side)?.quantity ?? (0n as Decimal);
      expect(shown).toBe(heldAfter(run, market, side, fills));
    }
  });
  expect(account.available).toBe(account.balance + account.unrealizedPnl - account.marginInUse);
  expect(account.marginInUse).toBeGreaterThanOrEqual(0n);
  expect(await everything(await run.reopen())).toEqual({ account, markets });
}

test.each(['one-way', 'hedge'] as const)('the books of a %s account add up after every step', async (positionMode) => {
  await fc.assert(
    fc.asyncProperty(fc.array(aStep, { maxLength: 30 }), async (steps) => {
      const run: Run = { ...(await openTestVenue({ positionMode })), asked: new Map() };
      for (const step of steps) {
        await take(run, step);
        if (step.kind !== 'fail') await expectBooksAddUp(run, positionMode);
      }
    }),
    { numRuns: 150 },
  );
});

// A liquidation and funding through the front door: in the journal once, in positions, shares, account and performance, with an
// alarm, and over restarts and crashes at any step.

import { afterEach, describe, expect, it } from 'vitest';
import { decimal } from '../../src/trading/decimal.ts';
import { type WrittenMarket, writtenMarket } from '../protection/written-market.ts';
import { openGateway, type Sent, type TestGateway } from '../support/gateway.ts';
import { freshDataDir } from '../support/process.ts';
import { eventually } from '../webhook/answers.ts';

const HOUR_MS = 3_600_000;

interface World {
  readonly gateway: TestGateway;
  readonly market: WrittenMarket;
  readonly dataDir: string;
}

const open: TestGateway[] = [];
afterEach(async () => {
  for (const gateway of open.splice(0)) await gateway.close();
});

/** A long of 35 BTC at 50,000 on 100,000 USDT: a fall of five per cent ends it. */
async function openRisky(send: object = {}): Promise<World> {
  const dataDir = freshDataDir();
  const market = writtenMarket(50_000);
  const gateway = await openOver(dataDir, market);
  const sent = await gateway.send({ quantity: 35, leverage: 20, ...send });
  expect([sent.status, sent.body.error]).toEqual([200, undefined]);
  return { gateway, market, dataDir };
}

async function openOver(dataDir: string, market: WrittenMarket, afterCrash = false): Promise<TestGateway> {
  const gateway = await openGateway({ dataDir, prices: market, afterCrash });
  market.nowMs = () => Date.now() + gateway.clock.offsetMs;
  open.push(gateway);
  return gateway;
}

const get = async (gateway: TestGateway, path: string): Promise<Sent['body']> =>
  (await gateway.request('GET', path)).body.result;
const venueOf = (gateway: TestGateway) => gateway.venues.find(({ exchange }) => exchange === 'binance')!;

async function fallTo(world: World, price: number): Promise<void> {
  world.market.trade(price);
  world.gateway.clock.offsetMs += 1000;
  await (venueOf(world.gateway) as unknown as { matchNow(): Promise<number> }).matchNow();
}

describe('a liquidation', () => {
  it('is told at the first tick at which it happens, where a venue tells its price with more digits', async () => {
    const { gateway } = await openRisky();
    const venue = venueOf(gateway);
    const told = venue.positions.bind(venue);
    const liquidationPrice = decimal('47512.381234');
    venue.positions = async (market) => (await told(market)).map((each) => ({ ...each, liquidationPrice }));
    expect(await get(gateway, '/positions')).toMatchObject([{ liquidationPrice: 47_512.3 }]);
  });

  it('is a trade of the journal, with its fill, its fee, an alarm, and no position left', async () => {
    const world = await openRisky();
    const [position] = await get(world.gateway, '/positions');
    expect(position.liquidationPrice).toBeGreaterThan(47_000);
    expect(position.liquidationPrice).toBeLessThan(48_500);
    await fallTo(world, position.liquidationPrice);
    const newest = async () => (await get(world.gateway, '/trades?limit=1'))[0];
    await eventually(newest, (trade) => trade?.source === 'liquidation' && trade.status === 'Filled');
    const trade = await newest();
    expect(trade).toMatchObject({ action: 'CLOSE_LONG', symbol: 'BTCUSDT', averagePrice: position.liquidationPrice });
    expect(await get(world.gateway, '/positions')).toEqual([]);
    expect(world.gateway.deskAlarms.join()).toMatch(/binance was liquidated: LONG 35 BTCUSDT at/);
    const [account] = await get(world.gateway, '/account?exchange=binance');
    expect(account.balance).toBeCloseTo(100_000 + account.realizedTotal - account.feesTotal + account.fundingTotal, 6);
    expect(account.balance).toBeGreaterThanOrEqual(0);
    const { total } = await get(world.gateway, '/performance');
    expect([total.pnl, total.fees]).toEqual([account.realizedTotal, account.feesTotal]);
  });

  it('is taken out of every strategy’s share', async () => {
    const world = await openRisky({ strategy: 'trend', quantity: 20 });
    await world.gateway.send({ strategy: 'range', quantity: 15 });
    const [position] = await get(world.gateway, '/positions');
    expect(position.strategies).toHaveLength(2);
    await fallTo(world, position.liquidationPrice);
    await eventually(
      () => get(world.gateway, '/positions'),
      (positions: Sent['body']) => positions.length === 0,
    );
    const closed = await world.gateway.send({ strategy: 'trend', action: 'CLOSE_LONG', quantity: 20 });
    expect(closed.status).toBe(422);
  });

  it('that happened while nobody ran is taken up once at the start, however often that is', async () => {
    const world = await openRisky();
    const [position] = await get(world.gateway, '/positions');
    await world.gateway.close();
    open.length = 0;
    world.market.trade(position.liquidationPrice - 50);
    for (const crash of [true, false, true]) {
      const gateway = await openOver(world.dataDir, world.market, crash);
      gateway.clock.offsetMs += 5000;
      await (venueOf(gateway) as unknown as { matchNow(): Promise<number> }).matchNow();
      await eventually(
        () => get(gateway, '/positions'),
        (positions: Sent['body']) => positions.length === 0,
      );
      const trades = await get(gateway, '/trades');
      expect(trades.map(({ source, status }: { source: string; status: string }) => [source, status])).toEqual([
        ['liquidation', 'Filled'],
        ['webhook', 'Filled'],
      ]);
      const [account] = await get(gateway, '/account?exchange=binance');
      expect(account.balance).toBeCloseTo(100_000 + account.realizedTotal - account.feesTotal, 6);
      await gateway.close();
      open.length = 0;
    }
  });
});

describe('funding', () => {
  it('is in the account, in performance and in the balance, today and in all', async () => {
    const world = await openRisky({ quantity: 10 });
    const { gateway, market } = world;
    const nowMs = market.nowMs();
    gateway.clock.offsetMs += 8 * HOUR_MS - (nowMs % (8 * HOUR_MS)) + 1000;
    await fallTo(world, 50_000);
    const [account] = await get(gateway, '/account?exchange=binance');
    expect(account.fundingTotal).toBe(-50);
    expect(account.balance).toBeCloseTo(100_000 + account.realizedTotal - account.feesTotal + account.fundingTotal, 6);
    const { total, groups } = await get(gateway, '/performance?by=symbol');
    expect([total.funding, groups[0].funding, groups[0].group]).toEqual([-50, -50, 'BTCUSDT']);
    expect(total.net).toBeCloseTo(total.pnl - total.fees - 50, 6);
    expect((await get(gateway, '/performance?by=key')).groups[0].funding).toBeNull();
  });
});

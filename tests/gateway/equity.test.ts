// GET /equity through the front door: samples on the clock and after fills, thinned with age, over restarts.

import { beforeAll, describe, expect, it } from 'vitest';
import { decimal } from '../../src/trading/decimal.ts';
import { VenueError } from '../../src/trading/venue.ts';
import { type WrittenMarket, writtenMarket } from '../protection/written-market.ts';
import type { Sent, TestGateway } from '../support/gateway.ts';
import { expectFilled, expectRefusal, freshGateway } from '../webhook/answers.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const MAIN = { exchange: 'binance', mode: 'paper', account: 'main' } as const;

interface Point {
  readonly at: number;
  readonly equity: number;
  readonly balance: number;
}
const pointsOf = async (gateway: TestGateway, query = ''): Promise<Point[]> => {
  const { status, body } = await gateway.request('GET', `/equity?exchange=binance&account=main${query}`);
  expect([status, body.error]).toEqual([200, undefined]);
  return body.result[0].points;
};

describe('samples', () => {
  let gateway: TestGateway;
  let market: WrittenMarket;
  const look = async (afterMs: number): Promise<Point[]> => {
    gateway.clock.offsetMs += afterMs;
    await gateway.equity.look();
    return pointsOf(gateway);
  };
  beforeAll(async () => {
    market = writtenMarket(1000);
    gateway = await freshGateway({ prices: market });
  });

  it('are taken every five minutes, of every account', async () => {
    expect(await pointsOf(gateway)).toEqual([]);
    expect(await look(0)).toHaveLength(1);
    expect(await look(4 * MINUTE_MS)).toHaveLength(1);
    const points = await look(MINUTE_MS + 1);
    expect(points).toHaveLength(2);
    expect(points[1]).toMatchObject({ equity: 100_000, balance: 100_000 });
    const { body } = await gateway.request('GET', '/equity');
    expect(body.result.map((row: Sent['body']) => [row.exchange, row.prices, row.points.length])).toEqual([
      ['binance', market.label, 2],
      ['bybit', market.label, 2],
      ['mexc', market.label, 2],
    ]);
  });

  it('are taken after a fill, once, of its account alone', async () => {
    expectFilled(await gateway.send({ symbol: 'ETHUSDT', quantity: 1 }));
    const points = await look(5000);
    expect(points).toHaveLength(3);
    expect(points[2]?.balance).toBeLessThan(100_000);
    expect(await look(5000)).toHaveLength(3);
    expect((await gateway.request('GET', '/equity?exchange=bybit')).body.result[0].points).toHaveLength(2);
    market.trade(1100);
    const later = await look(5 * MINUTE_MS);
    expect(later).toHaveLength(4);
    expect((later[3]?.equity ?? 0) - (points[2]?.equity ?? 0)).toBeGreaterThan(90);
    expect(later[3]?.balance).toBe(points[2]?.balance);
  });

  it('that cannot be taken are taken later, and no fill is forgotten by it', async () => {
    const venue = gateway.venues[0] as TestGateway['venues'][number];
    const { summary } = venue;
    expectFilled(await gateway.send({ symbol: 'ETHUSDT', quantity: 1, action: 'CLOSE_LONG' }));
    Object.assign(venue, {
      summary: async () => {
        throw new VenueError('not-sent', 'no price');
      },
    });
    expect(await look(5000)).toHaveLength(4);
    Object.assign(venue, { summary });
    const points = await look(5000);
    expect(points).toHaveLength(5);
    expect(points[4]?.equity).toBe(points[4]?.balance);
    expect(gateway.troubles).toEqual([]);
  });

  it('cost no write while nothing is due', async () => {
    const before = gateway.data.commits();
    await look(1000);
    expect(gateway.data.commits()).toBe(before);
  });

  it('are there after a restart', async () => {
    const before = await pointsOf(gateway);
    await gateway.close();
    const again = await freshGateway({ prices: market, dataDir: gateway.dataDir });
    expect(await pointsOf(again)).toEqual(before);
  });
});

describe('GET /equity', () => {
  let gateway: TestGateway;
  const first = Date.UTC(2026, 0, 1);
  beforeAll(async () => {
    gateway = await freshGateway();
    const samples = Array.from({ length: 101 }, (_, number) => ({
      ...MAIN,
      ...{ atMs: first + number * MINUTE_MS, equity: decimal(1000 + number), balance: decimal(1000) },
    }));
    await gateway.data.equity.add(samples, []);
  });

  it('takes a range with its first moment and without its last', async () => {
    expect(await pointsOf(gateway)).toHaveLength(101);
    const range = await pointsOf(gateway, `&from=${first + MINUTE_MS}&to=${first + 3 * MINUTE_MS}`);
    expect(range.map(({ equity }) => equity)).toEqual([1001, 1002]);
    expect(await pointsOf(gateway, '&from=2026-01-02')).toEqual([]);
    expect(await pointsOf(gateway, '&from=2026-01-01&to=2026-01-01T00:01:00Z')).toHaveLength(1);
  });

  it('with a limit gives the last point of each stretch, and always the newest', async () => {
    for (const limit of [1, 2, 3, 10, 100]) {
      const points = await pointsOf(gateway, `&limit=${limit}`);
      expect(points.length).toBeLessThanOrEqual(limit);
      expect(points.length).toBeGreaterThan(limit / 2);
      expect(points.at(-1)?.equity).toBe(1100);
      expect(points.map(({ at }) => at)).toEqual(points.map(({ at }) => at).sort((a, b) => a - b));
    }
    expect(await pointsOf(gateway, '&limit=101')).toHaveLength(101);
  });

  it('refuses what it does not know', async () => {
    const wrong = (query: string): Promise<Sent> => gateway.request('GET', `/equity?${query}`);
    for (const query of ['limit=0', 'limit=5001', 'from=x', 'from=2026-01-02&to=2026-01-01', 'by=day'])
      expectRefusal(await wrong(query), 'INVALID_QUERY');
    expect((await wrong('limit=5000')).status).toBe(200);
    expectRefusal(await wrong('account=nobody'), 'UNKNOWN_ACCOUNT');
    const stranger = await gateway.request('GET', '/equity', undefined, { peer: '198.51.100.1' });
    expectRefusal(stranger, 'UNAUTHORIZED');
  });

  it('keeps all of a week, the last of each hour for two months, of each day for 400 days, and nothing older', async () => {
    const fresh = await freshGateway();
    const now = Date.now();
    const dayStart = Math.floor(now / DAY_MS) * DAY_MS;
    const sample = (atMs: number) => ({ ...MAIN, atMs, equity: decimal(1), balance: decimal(1) });
    const at = (days: number): number[] =>
      [0, 10, 20, 70].map((minutes) => dayStart - days * DAY_MS + minutes * MINUTE_MS);
    await fresh.data.equity.add([1, 10, 100, 399, 402].flatMap(at).map(sample), []);
    await fresh.equity.look();
    // A day at a time: over more than a year a limit thins the answer too.
    const left = async (days: number): Promise<number[]> =>
      (await pointsOf(fresh, `&from=${at(days)[0]}&to=${at(days - 1)[0]}`)).map((point) => point.at);
    expect(await left(402)).toEqual([]);
    expect(await left(399)).toEqual(at(399).slice(3));
    expect(await left(100)).toEqual(at(100).slice(3));
    expect(await left(10)).toEqual(at(10).slice(2));
    expect(await left(1)).toEqual(at(1));
  });
});

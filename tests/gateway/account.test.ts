// GET /account and what GET /positions tells beside our own books: through the front door, in the chat, after a restart.

import { describe, expect, it } from 'vitest';
import { decimal } from '../../src/trading/decimal.ts';
import { VenueError } from '../../src/trading/venue.ts';
import { writtenMarket } from '../protection/written-market.ts';
import type { Sent, TestGateway } from '../support/gateway.ts';
import { ask, openBot } from '../telegram/talk.ts';
import { expectFilled, expectRefusal, freshGateway } from '../webhook/answers.ts';

const DAY_MS = 86_400_000;
const accountOf = async (gateway: TestGateway, query = '?exchange=binance&account=main'): Promise<Sent['body']> => {
  const { status, body } = await gateway.request('GET', `/account${query}`);
  expect(status).toBe(200);
  return body.result[0];
};
/** Fees and profits as the fills of GET /trades/{requestId} have them, in units of the last digit. */
const sumOf = async (gateway: TestGateway, field: 'fee' | 'realizedPnl', requestIds: string[]): Promise<number> => {
  const trades = await Promise.all(requestIds.map((requestId) => gateway.trade(requestId)));
  const amounts = trades.flatMap(({ fills }) => fills.map((fill: Record<string, number>) => fill[field] as number));
  return Number(amounts.reduce((sum, amount) => sum + decimal(amount), 0n)) / 1e12;
};

describe('GET /account', () => {
  it('of an account that never traded is its balance and nothing else', async () => {
    const gateway = await freshGateway();
    const { body } = await gateway.request('GET', '/account');
    expect(body.result.map((row: Sent['body']) => `${row.exchange}:${row.account}`)).toEqual([
      ...['binance:main', 'bybit:main', 'mexc:main'],
    ]);
    expect(body.result[0]).toEqual({
      ...{ exchange: 'binance', account: 'main', mode: 'paper', positionMode: 'one-way' },
      ...{ balance: 100_000, equity: 100_000, usedMargin: 0, freeMargin: 100_000, unrealizedPnl: 0 },
      ...{
        realizedToday: 0,
        realizedTotal: 0,
        feesToday: 0,
        feesTotal: 0,
        fundingToday: 0,
        fundingTotal: 0,
        leverageInUse: 0,
        prices: 'simulated',
      },
    });
  });

  it('tells worth, margin, leverage in use, profits and fees as the fills made them', async () => {
    const market = writtenMarket(1000);
    const gateway = await freshGateway({ prices: market });
    const opened = await gateway.send({ symbol: 'ETHUSDT', quantity: 10, leverage: 5 });
    expectFilled(opened);
    market.trade(1100);
    const closed = await gateway.send({ symbol: 'ETHUSDT', quantity: 4, action: 'CLOSE_LONG' });
    expectFilled(closed);
    const account = await accountOf(gateway);
    const ids = [opened.body.requestId, closed.body.requestId];
    const fees = await sumOf(gateway, 'fee', ids);
    const realized = await sumOf(gateway, 'realizedPnl', ids);
    expect(realized).toBeGreaterThan(390);
    expect([account.feesToday, account.feesTotal]).toEqual([fees, fees]);
    expect([account.realizedToday, account.realizedTotal]).toEqual([realized, realized]);
    expect(account.balance).toBeCloseTo(100_000 + realized - fees, 8);
    expect(account.equity).toBeCloseTo(account.balance + account.unrealizedPnl, 8);
    expect(account.freeMargin).toBeCloseTo(account.equity - account.usedMargin, 8);
    const [position] = (await gateway.request('GET', '/positions')).body.result;
    expect(position).toMatchObject({ leverage: 5, margin: account.usedMargin, liquidationPrice: null });
    expect(position.margin).toBeCloseTo((6 * position.entryPrice) / 5, 6);
    expect(account.unrealizedPnl).toBe(position.unrealizedPnl);
    expect(account.leverageInUse).toBeCloseTo((6 * position.markPrice) / account.equity, 2);
  });

  it('begins a new day at midnight UTC, and keeps the total', async () => {
    const gateway = await freshGateway({ prices: writtenMarket(1000) });
    // To the last moment of a UTC day: what is traded now belongs to it, a second later nothing does.
    gateway.clock.offsetMs = DAY_MS - (Date.now() % DAY_MS) - 30_000;
    expectFilled(await gateway.send({ symbol: 'ETHUSDT', quantity: 1 }));
    const before = await accountOf(gateway);
    expect(before.feesToday).toBeGreaterThan(0);
    gateway.clock.offsetMs += 31_000;
    expect(await accountOf(gateway)).toMatchObject({ feesToday: 0, feesTotal: before.feesTotal, realizedToday: 0 });
    expectFilled(await gateway.send({ symbol: 'ETHUSDT', quantity: 1, action: 'CLOSE_LONG' }));
    const after = await accountOf(gateway);
    expect(after.feesToday).toBeGreaterThan(0);
    expect(after.feesToday).toBeLessThan(after.feesTotal);
    await gateway.close();
    const again = await freshGateway({ prices: writtenMarket(1000), dataDir: gateway.dataDir });
    expect((await accountOf(again)).feesTotal).toBe(after.feesTotal);
  });

  it('keeps accounts apart, finds one by its name, and refuses what it does not know', async () => {
    const gateway = await freshGateway({ accounts: ['scalp'] });
    expectFilled(await gateway.send({ account: 'scalp' }));
    expect((await accountOf(gateway)).feesTotal).toBe(0);
    expect((await accountOf(gateway, '?account=scalp')).feesTotal).toBeGreaterThan(0);
    const names = (await gateway.request('GET', '/account?exchange=binance')).body.result;
    expect(names.map((row: Sent['body']) => row.account)).toEqual(['main', 'scalp']);
    const wrong = (query: string): Promise<Sent> => gateway.request('GET', `/account?${query}`);
    expectRefusal(await wrong('account=nobody'), 'UNKNOWN_ACCOUNT');
    expectRefusal(await wrong('exchange=bybit&account=scalp'), 'UNKNOWN_ACCOUNT');
    expect((await wrong('exchange=bybit&account=scalp')).body.error).toContain('bybit has no account "scalp"');
    expectRefusal(await wrong('exchange=kraken'), 'INVALID_QUERY');
    expectRefusal(await wrong('acount=main'), 'INVALID_QUERY');
    expectRefusal(await wrong('account=main&account=main'), 'INVALID_QUERY');
    expectRefusal(await gateway.request('GET', '/account', undefined, { peer: '198.51.100.1' }), 'UNAUTHORIZED');
  });

  it('shows an account whose venue does not answer, without its money', async () => {
    const gateway = await freshGateway();
    expectFilled(await gateway.send());
    const [venue] = gateway.venues;
    if (venue)
      Object.assign(venue, {
        summary: async () => {
          throw new VenueError('not-sent', 'no price');
        },
        positions: async () => {
          throw new VenueError('not-sent', 'away');
        },
      });
    const account = await accountOf(gateway);
    expect(account).toMatchObject({ balance: null, equity: null, freeMargin: null, leverageInUse: null });
    expect(account.feesTotal).toBeGreaterThan(0);
    const [position] = (await gateway.request('GET', '/positions')).body.result;
    expect(position).toMatchObject({ leverage: null, margin: null, quantity: 0.01 });
  });
});

describe('GET /positions', () => {
  it('shows the stops that guard a position, and none once they are taken away', async () => {
    const gateway = await freshGateway({ prices: writtenMarket(1000), accounts: ['scalp'] });
    const symbol = 'ETHUSDT';
    expectFilled(await gateway.send({ symbol, quantity: 1, stopLoss: 900, takeProfit: 1200 }));
    expectFilled(await gateway.send({ symbol, quantity: 1, account: 'scalp', trailPercent: 10 }));
    const guards = async (): Promise<Sent['body'][]> =>
      (await gateway.request('GET', '/positions')).body.result.map((row: Sent['body']) => row.protection);
    const [main, scalp] = await guards();
    const nothing = { stopLoss: null, takeProfit: null, trailPercent: null, trailAmount: null, stopPrice: null };
    expect(main).toEqual({ ...nothing, status: 'active', stopLoss: 900, takeProfit: 1200 });
    expect(scalp).toMatchObject({
      ...nothing,
      status: expect.any(String),
      trailPercent: 10,
      stopPrice: expect.anything(),
    });
    await gateway.request('DELETE', '/agent/trailing-stops/binance:ETHUSDT:LONG');
    expect((await guards())[0]).toBeNull();
  });
});

it('/account in the chat tells worth and result of every account', async () => {
  const chat = await openBot();
  expectFilled(await chat.gateway.send({ symbol: 'ETHUSDT', quantity: 2 }));
  const { text } = await ask(chat, '/account');
  const [head, binance, bybit] = text.split('\n');
  expect(head).toBe('Accounts (USDT, prices: simulated)');
  const { equity, feesToday } = await accountOf(chat.gateway);
  expect(Number(/equity ([\d.]+)/.exec(binance as string)?.[1])).toBeCloseTo(equity, -1);
  expect(binance).toMatch(
    /^binance \(paper\): equity [\d.]+, balance [\d.]+, unrealised [+−][\d.]+, free [\d.]+, [\d.]+x in use; /,
  );
  expect(binance).toContain(`realised after fees −${feesToday.toFixed(2).replace(/\.?0+$/, '')} today`);
  expect(bybit).toBe(
    'bybit (paper): equity 100000, balance 100000, unrealised +0, free 100000, 0x in use; realised after fees +0 today, +0 in all',
  );
});

// GET /performance through the front door: real fills in groups, ranges, strategies and accounts, in the chat and after a restart.

import { beforeAll, describe, expect, it } from 'vitest';
import { createPerformanceReports, TooManyFills } from '../../src/trading/books/performance-reports.ts';
import { decimal } from '../../src/trading/decimal.ts';
import { type WrittenMarket, writtenMarket } from '../protection/written-market.ts';
import type { Sent, TestGateway } from '../support/gateway.ts';
import { ask, openBot } from '../telegram/talk.ts';
import { expectFilled, expectRefusal, freshGateway } from '../webhook/answers.ts';

let gateway: TestGateway;
let market: WrittenMarket;
const requestIds: string[] = [];

const performanceOf = async (query = '', of: TestGateway = gateway): Promise<Sent['body']> => {
  const { status, body } = await of.request('GET', `/performance${query}`);
  expect([status, body.error]).toEqual([200, undefined]);
  return body.result;
};
const groupsOf = async (query: string): Promise<Record<string, Sent['body']>> =>
  Object.fromEntries((await performanceOf(query)).groups.map((row: Sent['body']) => [row.group, row]));

async function trade(fields: Record<string, unknown>): Promise<void> {
  const sent = await gateway.send({ symbol: 'ETHUSDT', quantity: 1, ...fields });
  expectFilled(sent);
  requestIds.push(sent.body.requestId);
}
/** Of all fills that GET /trades/{requestId} shows. */
async function sumOf(field: 'fee' | 'realizedPnl'): Promise<number> {
  const trades = await Promise.all(requestIds.map((requestId) => gateway.trade(requestId)));
  const amounts = trades.flatMap(({ fills }) => fills.map((fill: Record<string, number>) => fill[field] as number));
  return Number(amounts.reduce((sum, amount) => sum + decimal(amount), 0n)) / 1e12;
}

beforeAll(async () => {
  market = writtenMarket(1000);
  gateway = await freshGateway({ prices: market, accounts: ['scalp'] });
  expect((await performanceOf()).groups).toEqual([]);
  expect((await performanceOf()).total).toEqual({
    ...{ trades: 0, wins: 0, losses: 0, winRate: null, profitFactor: null, pnl: 0, fees: 0, funding: 0, net: 0 },
    ...{ expectancy: null, maxDrawdown: 0, averageHoldingSeconds: null },
  });
  await trade({ quantity: 2, strategy: 'trend' });
  market.trade(1100);
  await trade({ action: 'CLOSE_LONG', strategy: 'trend' });
  gateway.clock.offsetMs += 60_000;
  market.trade(900);
  await trade({ action: 'CLOSE_LONG', strategy: 'trend' });
  await trade({ action: 'SHORT', account: 'scalp', quantity: 3 });
  market.trade(890);
  // Turns around: closes three and opens one.
  await trade({ action: 'LONG', account: 'scalp', quantity: 1 });
});

describe('GET /performance', () => {
  it('counts closing fills, and its sums are those of the fills', async () => {
    const { by, total, totals, groups } = await performanceOf();
    expect(by).toBe('day');
    expect(totals).toEqual([{ mode: 'paper', ...total }]);
    expect(await performanceOf('?mode=paper')).toEqual({ by, archivedBefore: null, total, totals, groups });
    expect(groups.length).toBeGreaterThan(0);
    expect(total).toMatchObject({ trades: 3, wins: 2, losses: 1, winRate: 0.6667 });
    expect(total.pnl).toBe(await sumOf('realizedPnl'));
    expect(total.fees).toBe(await sumOf('fee'));
    expect(total.net).toBeCloseTo(total.pnl - total.fees, 8);
    expect(total.profitFactor).toBeGreaterThan(1);
    expect(total.maxDrawdown).toBeGreaterThan(90);
    expect(total.expectancy * 3).toBeGreaterThan(total.net);
    // The second close came a minute after the first.
    expect(total.averageHoldingSeconds).toBeGreaterThanOrEqual(20);
  });

  it.each(['key', 'strategy', 'symbol', 'account', 'day'])('by %s the groups add up to the total', async (by) => {
    const { total, groups } = await performanceOf(`?by=${by}`);
    for (const field of ['trades', 'wins', 'losses', 'pnl', 'fees', 'net'])
      expect(groups.reduce((sum: number, row: Sent['body']) => sum + row[field], 0)).toBeCloseTo(total[field], 8);
    expect(total.fees).toBe(await sumOf('fee'));
  });

  it('names its groups', async () => {
    expect(Object.keys(await groupsOf('?by=key'))).toEqual(['test-0']);
    expect(Object.keys(await groupsOf('?by=symbol'))).toEqual(['ETHUSDT']);
    expect(Object.keys(await groupsOf('?by=account'))).toEqual(['binance', 'binance:scalp']);
    const { groups } = await performanceOf('?by=strategy');
    expect(groups.map((row: Sent['body']) => [row.group, row.trades])).toEqual([
      [null, 1],
      ['trend', 2],
    ]);
  });

  it('takes an exchange and an account', async () => {
    expect((await performanceOf('?exchange=binance&account=scalp')).total.trades).toBe(1);
    expect((await performanceOf('?account=main')).total.trades).toBe(2);
    expect((await performanceOf('?exchange=bybit')).total.trades).toBe(0);
  });

  it('takes a range with its first moment and without its last', async () => {
    const { fills } = await gateway.trade(requestIds[1] as string);
    const at: number = fills[0].at;
    expect((await performanceOf(`?from=${at}&to=${at}`)).total.trades).toBe(0);
    expect((await performanceOf(`?to=${at}`)).total.trades).toBe(0);
    expect((await performanceOf(`?from=${at}&to=${at + 1}`)).total).toMatchObject({ trades: 1, wins: 1 });
    expect((await performanceOf(`?from=${at + 1}`)).total.trades).toBe(2);
    expect((await performanceOf('?to=2020-01-01')).total.trades).toBe(0);
  });

  it('refuses what it does not know', async () => {
    const wrong = (query: string): Promise<Sent> => gateway.request('GET', `/performance?${query}`);
    for (const query of [
      'mode=real',
      'by=week',
      'from=yesterday',
      'from=2026-03-02&to=2026-03-01',
      'account=',
      'since=1',
    ])
      expectRefusal(await wrong(query), 'INVALID_QUERY');
    expectRefusal(await wrong('account=nobody'), 'UNKNOWN_ACCOUNT');
    const live = await wrong('mode=live');
    expectRefusal(live, 'UNKNOWN_ACCOUNT');
    expect(live.body.error).toBe('account: no exchange has an account in mode live; GET /accounts lists them');
    const stranger = await gateway.request('GET', '/performance', undefined, { peer: '198.51.100.1' });
    expectRefusal(stranger, 'UNAUTHORIZED');
  });

  it('is refused in words when there are too many fills', async () => {
    const { accounts } = gateway.desk;
    const { history } = gateway.data;
    const fills = 6;
    const range = { by: 'day', fromMs: 0, toMs: Number.POSITIVE_INFINITY } as const;
    const allowed = createPerformanceReports({ accounts, history, maxFills: fills });
    expect((await allowed({}, range)).map(({ mode, total }) => [mode, total.trades])).toEqual([['paper', 3]]);
    await expect(createPerformanceReports({ accounts, history, maxFills: fills - 1 })({}, range)).rejects.toThrow(
      TooManyFills,
    );
  });
});

it('reads more orders than fit into one page, each once', async () => {
  const many = await freshGateway({ prices: writtenMarket(1000) });
  await many.request('PUT', '/admin/queue-mode', { mode: 'direct' });
  for (let count = 0; count < 260; count++)
    await Promise.all([many.send({ symbol: 'ETHUSDT', quantity: 0.1 }), many.send({ symbol: 'SOLUSDT', quantity: 1 })]);
  const { total } = await performanceOf('?by=symbol', many);
  const [fees] = (await many.request('POST', '/query', { query: 'SELECT count(*) AS fills FROM fills' })).body.results;
  expect(Number(fees.fills)).toBe(520);
  const account = (await many.request('GET', '/account?exchange=binance')).body.result[0];
  expect([total.fees, total.trades]).toEqual([account.feesTotal, 0]);
  expect(account.feesToday).toBe(account.feesTotal);
});

it('/performance in the chat tells the total and the groups', async () => {
  const chat = await openBot();
  expect((await ask(chat, '/performance')).text).toBe('Performance by day (USDT, after fees)\nNothing was traded yet.');
  expectFilled(await chat.gateway.send({ symbol: 'ETHUSDT', quantity: 2 }));
  expectFilled(await chat.gateway.send({ symbol: 'ETHUSDT', quantity: 2, action: 'CLOSE_LONG' }));
  const lines = (await ask(chat, '/performance symbol')).text.split('\n');
  expect(lines[0]).toBe('Performance by symbol (USDT, after fees)');
  expect(lines[1]).toMatch(/^In all: −[\d.]+, 1 trade, (0|100) % won, fees [\d.]+, drawdown [\d.]+$/);
  expect(lines[2]?.replace('ETHUSDT', 'In all')).toBe(lines[1]);
  expect((await ask(chat, '/performance tag')).text).toContain('no tag: −');
  expect((await ask(chat, '/performance week')).text).toBe(
    'Send one of key, strategy, symbol, account, day, tag, twin, or none.',
  );
});

describe('GET /performance/twin', () => {
  it('is empty where no account has a twin, and the chat says how to get one', async () => {
    const { status, body } = await gateway.request('GET', '/performance/twin?strategy=trend&from=2026-11-01');
    expect([status, body.result]).toEqual([200, []]);
    const { text } = await ask(await openBot(), '/performance twin');
    expect(text).toMatch(/^Beside the paper twin \(USDT\)\nNo account has .*PAPER_TWIN/);
  });

  it('refuses what it does not know', async () => {
    const wrong = (query: string) => gateway.request('GET', `/performance/twin?${query}`);
    expectRefusal(await wrong('by=day'), 'INVALID_QUERY');
    expectRefusal(await wrong('from=2026-11-02&to=2026-11-01'), 'INVALID_QUERY');
    expectRefusal(await wrong('account=nobody'), 'UNKNOWN_ACCOUNT');
  });
});

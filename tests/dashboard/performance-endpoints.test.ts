// GET /performance/trades, /performance/drawdown and /performance/latency, and days of a time zone, over real fills.

import { beforeAll, describe, expect, it } from 'vitest';
import { type WrittenMarket, writtenMarket } from '../protection/written-market.ts';
import type { Sent, TestGateway } from '../support/gateway.ts';
import { expectFilled, expectRefusal, freshGateway } from '../webhook/answers.ts';

const MINUTE_MS = 60_000;
let gateway: TestGateway;
let market: WrittenMarket;
let entryMs = 0;
let exitMs = 0;
const ids: string[] = [];

const get = async (path: string): Promise<Sent['body']> => {
  const { status, body } = await gateway.request('GET', path);
  expect([status, body.error]).toEqual([200, undefined]);
  return body.result;
};
async function trade(fields: Record<string, unknown>): Promise<void> {
  const sent = await gateway.send({ symbol: 'ETHUSDT', quantity: 1, ...fields });
  expectFilled(sent);
  ids.push(sent.body.requestId);
}
const minute = (atMs: number): number => Math.floor(atMs / MINUTE_MS) * MINUTE_MS;

beforeAll(async () => {
  market = writtenMarket(1000);
  gateway = await freshGateway({ prices: market, accounts: ['scalp'] });
  market.nowMs = () => Date.now() + gateway.clock.offsetMs;
  // 0 and 1: with a stop 100 below, closed in two halves.
  await trade({ quantity: 2, strategy: 'trend', stopLoss: 900 });
  entryMs = (await gateway.trade(ids[0] as string)).fills[0].at;
  gateway.clock.offsetMs += 10 * MINUTE_MS;
  market.trade(1100);
  await trade({ action: 'CLOSE_LONG', strategy: 'trend' });
  exitMs = (await gateway.trade(ids[1] as string)).fills[0].at;
  market.trade(950);
  await trade({ action: 'CLOSE_LONG', strategy: 'trend' });
  // 3 and 4: a short with a stop of 2 %, and 5 and 6: one without a stop.
  market.trade(1000);
  await trade({ action: 'SHORT', account: 'scalp', stopLoss: { percent: 2 } });
  market.trade(980);
  await trade({ action: 'CLOSE_SHORT', account: 'scalp' });
  await trade({ symbol: 'SOLUSDT' });
  await trade({ symbol: 'SOLUSDT', action: 'CLOSE_LONG' });
});

describe('GET /performance/trades', () => {
  it('has every closed trade by itself, newest first, and its sums are those of GET /performance', async () => {
    const trades = await get('/performance/trades');
    expect(trades.map(({ requestId }: Sent['body']) => requestId)).toEqual([ids[6], ids[4], ids[2], ids[1]]);
    expect(trades.map(({ entryRequestId }: Sent['body']) => entryRequestId)).toEqual([ids[5], ids[3], ids[0], ids[0]]);
    const { total } = await get('/performance');
    const sum = (field: string) => trades.reduce((all: number, row: Sent['body']) => all + row[field], 0);
    expect(sum('pnl')).toBeCloseTo(total.pnl, 7);
    expect(sum('fees')).toBeCloseTo(total.fees, 7);
    expect(sum('net')).toBeCloseTo(total.net, 7);
    expect(trades.at(-1)).toMatchObject({
      ...{ exchange: 'binance', account: 'main', mode: 'paper', market: 'ETHUSDT', side: 'LONG', quantity: 1 },
      ...{ openedAt: entryMs, closedAt: exitMs, strategy: 'trend', keyLabel: 'test-0' },
      ...{ mae: null, mfe: null, resolution: null },
    });
  });

  it('measures each by what was at risk when it was entered, and those without a stop by nothing', async () => {
    const [none, percent, second, first] = await get('/performance/trades');
    expect([none.atRisk, none.r]).toEqual([null, null]);
    for (const { atRisk, r, net, entryPrice } of [first, second]) {
      expect(atRisk).toBeCloseTo(entryPrice - 900, 4);
      expect(r).toBeCloseTo(net / atRisk, 2);
    }
    expect(first.r).toBeGreaterThan(0.9);
    expect(second.r).toBeLessThan(-0.4);
    expect(percent.atRisk).toBeCloseTo(percent.entryPrice * 0.02, 4);
    expect(percent.side).toBe('SHORT');
    expect(percent.r).toBeGreaterThan(0.5);
  });

  it('tells how far a trade was ahead and behind by the bars within its time, and by no others', async () => {
    const first = minute(entryMs);
    const bars = [
      { time: first, high: 9000, low: 1 },
      { time: first + MINUTE_MS, high: 1150, low: 940 },
      { time: first + 2 * MINUTE_MS, high: 1300, low: 1000 },
      { time: minute(exitMs), high: 9000, low: 1 },
    ];
    const asked: unknown[][] = [];
    market.bars = async (...args) => {
      asked.push(args);
      return bars.map((bar) => ({ ...bar, open: 1000, close: 1000, volume: 1 }));
    };
    try {
      const before = (await get('/performance/trades?limit=3')).at(-1).id;
      const [trade] = await get(`/performance/trades?excursions=yes&limit=1&before=${encodeURIComponent(before)}`);
      expect(trade.resolution).toBe('1m');
      expect(trade.mfe).toBeCloseTo(1300 - trade.entryPrice, 4);
      expect(trade.mae).toBeCloseTo(940 - trade.entryPrice, 4);
      expect(asked).toEqual([['ETHUSDT', MINUTE_MS, entryMs, exitMs]]);
      // Of a trade that lasted for less than a bar nothing is known.
      const [short] = await get('/performance/trades?excursions=yes&limit=1');
      expect([short.mae, short.mfe, short.resolution]).toEqual([null, null, null]);
      market.bars = async () => {
        throw new Error('the venue is away');
      };
      // It is known from before.
      const [again] = await get(`/performance/trades?excursions=yes&limit=1&before=${encodeURIComponent(before)}`);
      expect(again).toEqual(trade);
      const [away] = await get('/performance/trades?excursions=yes&limit=1');
      expect(away.mae).toBeNull();
    } finally {
      market.bars = async () => [];
    }
  });

  it.each([
    ['symbol=SOL/USDT', [6]],
    ['strategy=trend', [2, 1]],
    ['strategy=', [6, 4]],
    ['account=scalp', [4]],
    ['key=nobody', []],
    ['limit=2', [6, 4]],
    ['mode=paper&exchange=bybit', []],
  ] as const)('?%s picks', async (query, places) => {
    const trades = await get(`/performance/trades?${query}`);
    expect(trades.map(({ requestId }: Sent['body']) => requestId)).toEqual(places.map((place) => ids[place]));
  });

  it('picks what a trade has closed, and what was closed of the position that it opened', async () => {
    const of = async (place: number) =>
      (await get(`/performance/trades?requestId=${ids[place]}`)).map(({ requestId }: Sent['body']) => requestId);
    expect(await of(0)).toEqual([ids[2], ids[1]]);
    expect(await of(1)).toEqual([ids[1]]);
    expect(await of(5)).toEqual([ids[6]]);
    expect(await get('/performance/trades?requestId=nobody')).toEqual([]);
    expectRefusal(await gateway.request('GET', '/performance/trades?requestId='), 'INVALID_QUERY');
  });

  it('takes a range with its first moment and without its last, and pages', async () => {
    expect(await get(`/performance/trades?from=${exitMs}&to=${exitMs + 1}`)).toHaveLength(1);
    expect(await get(`/performance/trades?to=${exitMs}`)).toHaveLength(0);
    const [, second] = await get('/performance/trades');
    const rest = await get(`/performance/trades?before=${encodeURIComponent(second.id)}`);
    expect(rest.map(({ requestId }: Sent['body']) => requestId)).toEqual([ids[2], ids[1]]);
  });

  it('is CSV too', async () => {
    const init = { headers: { host: 'localhost', accept: 'text/csv' } };
    const text = await (await gateway.app.request('/performance/trades', init, { peer: '127.0.0.1' })).text();
    expect(text.split('\r\n')).toHaveLength(6);
    expect(text).toMatch(/^id,exchange,account,/);
  });

  it('refuses what it does not know', async () => {
    for (const query of ['before=nobody', 'excursions=maybe', 'excursions=yes&limit=101', 'limit=501', 'since=1'])
      expectRefusal(await gateway.request('GET', `/performance/trades?${query}`), 'INVALID_QUERY');
    expectRefusal(await gateway.request('GET', '/performance/trades?account=nobody'), 'UNKNOWN_ACCOUNT');
  });
});

describe('GET /performance/drawdown', () => {
  it('ends at the result of GET /performance, and its deepest point is the drawdown there', async () => {
    const [{ mode, points }] = await get('/performance/drawdown');
    const { total } = await get('/performance');
    expect(mode).toBe('paper');
    expect(points).toHaveLength(7);
    expect(points.at(-1).net).toBeCloseTo(total.net, 7);
    expect(Math.max(...points.map(({ drawdown }: Sent['body']) => drawdown))).toBeCloseTo(total.maxDrawdown, 7);
    expect(points.map(({ at }: Sent['body']) => at)).toEqual(points.map(({ at }: Sent['body']) => at).toSorted());
  });

  it('keeps the deepest point, however few are asked for', async () => {
    const { total } = await get('/performance');
    const [{ points }] = await get('/performance/drawdown?limit=2');
    expect(points.length).toBeLessThanOrEqual(2);
    expect(Math.max(...points.map(({ drawdown }: Sent['body']) => drawdown))).toBeCloseTo(total.maxDrawdown, 7);
    expect(points.at(-1).net).toBeCloseTo(total.net, 7);
    expectRefusal(await gateway.request('GET', '/performance/drawdown?limit=1'), 'INVALID_QUERY');
    expectRefusal(await gateway.request('GET', '/performance/drawdown?mode=live'), 'UNKNOWN_ACCOUNT');
  });
});

describe('GET /performance/latency', () => {
  it('counts each step of each trade once, at its exchange', async () => {
    const { boundsMs, trades, steps } = await get('/performance/latency');
    expect(trades).toBe(7);
    expect(steps.map(({ step }: Sent['body']) => step)).toEqual([
      ...['received_to_sent', 'sent_to_answered', 'answered_to_filled', 'received_to_filled'],
    ]);
    for (const { exchange, mode, count, counts, p50Ms, p95Ms, p99Ms, maxMs } of steps) {
      expect([exchange, mode, count]).toEqual(['binance', 'paper', 7]);
      expect(counts).toHaveLength(boundsMs.length + 1);
      expect(counts.reduce((sum: number, each: number) => sum + each, 0)).toBe(7);
      expect([p50Ms, p95Ms, p99Ms, maxMs]).toEqual([p50Ms, p95Ms, p99Ms, maxMs].toSorted((a, b) => a - b));
    }
  });

  it('tells the times of the trade’s own story', async () => {
    const story = await gateway.trade(ids[1] as string);
    const at = (kind: string): number => story.events.find((event: Sent['body']) => event.kind === kind).at;
    const { receivedAt } = story;
    const { steps } = await get(`/performance/latency?from=${receivedAt}&to=${receivedAt + 1}`);
    const maxOf = (step: string): number => steps.find((each: Sent['body']) => each.step === step).maxMs;
    expect(maxOf('received_to_sent')).toBe(at('sending') - at('accepted'));
    expect(maxOf('sent_to_answered')).toBe(at('filled') - at('sending'));
    expect(maxOf('received_to_filled')).toBe(at('filled') - at('accepted'));
    expect(maxOf('answered_to_filled')).toBe(0);
  });

  it('of an order that waits for its price tells only how long the answer took', async () => {
    const own = await freshGateway({ prices: writtenMarket(1000) });
    await own.send({ symbol: 'ETHUSDT', quantity: 1, price: 500 });
    const { body } = await own.request('GET', '/performance/latency');
    expect(body.result.steps.map(({ step }: Sent['body']) => step)).toEqual(['received_to_sent', 'sent_to_answered']);
  });

  it('takes a stretch of time, and says nothing of nothing', async () => {
    expect(await get('/performance/latency?to=2020-01-01')).toMatchObject({ trades: 0, steps: [] });
    expect(await get('/performance/latency?exchange=bybit')).toMatchObject({ trades: 0, steps: [] });
    expectRefusal(await gateway.request('GET', '/performance/latency?from=soon'), 'INVALID_QUERY');
  });
});

describe('GET /performance by tag', () => {
  it('counts a trade for each of its tags, whether it opened or closed something, and leads to the closed trades', async () => {
    const tag = (place: number, ...tags: string[]) =>
      gateway.request('PATCH', `/trades/${ids[place]}`, { tags }).then(({ status }) => expect(status).toBe(200));
    await tag(0, 'breakout', 'a-setup');
    await tag(2, 'too late');
    await tag(6, 'too late');
    try {
      const { total, groups } = await get('/performance?by=tag');
      expect(groups.map(({ group, trades }: Sent['body']) => [group, trades])).toEqual([
        [null, 1],
        ['a-setup', 2],
        ['breakout', 2],
        ['too late', 2],
      ]);
      expect(total).toEqual((await get('/performance')).total);
      for (const { group, pnl, expectancy, funding } of groups) {
        const closed = await get(`/performance/trades?tag=${encodeURIComponent(group ?? '')}`);
        const sum = (field: string) => closed.reduce((all: number, row: Sent['body']) => all + row[field], 0);
        expect(pnl).toBeCloseTo(sum('pnl'), 7);
        expect(expectancy).toBeCloseTo(sum('net') / closed.length, 7);
        expect(funding).toBeNull();
      }
      expect((await get('/performance/trades?tag=breakout')).map(({ requestId }: Sent['body']) => requestId)).toEqual([
        ids[2],
        ids[1],
      ]);
      expectRefusal(await gateway.request('GET', '/performance/trades?tag=a,b'), 'INVALID_QUERY');
    } finally {
      for (const place of [0, 2, 6]) await tag(place);
    }
    expect((await get('/performance?by=tag')).groups.map(({ group }: Sent['body']) => group)).toEqual([null]);
  });
});

describe('GET /performance by day', () => {
  it('goes by the calendar of a time zone', async () => {
    const days = async (zone: string): Promise<string[]> =>
      (await get(`/performance?by=day&zone=${encodeURIComponent(zone)}`)).groups.map(
        ({ group }: Sent['body']) => group,
      );
    const { fills } = await gateway.trade(ids[6] as string);
    for (const zone of ['UTC', 'Asia/Tokyo', 'Pacific/Kiritimati', 'America/Adak', 'Asia/Kathmandu']) {
      const day = new Date(fills[0].at).toLocaleDateString('en-CA', { timeZone: zone });
      expect((await days(zone)).at(-1)).toBe(day);
    }
    // The two are a whole day apart at any moment.
    expect((await days('Pacific/Kiritimati')).at(-1)).not.toBe((await days('Pacific/Niue')).at(-1));
    const refusal = await gateway.request('GET', '/performance?zone=Mars/Olympus');
    expectRefusal(refusal, 'INVALID_QUERY');
    expect(refusal.body.error).toContain('zone');
  });
});

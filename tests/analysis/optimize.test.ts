// POST /optimize over real threads: what a search finds, what it refuses, what it costs, and how it ends early.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openScriptPool } from '../../src/composition/script-pool.ts';
import { StorageError } from '../../src/errors/storage-error.ts';
import type { Tier } from '../../src/keys/tiers.ts';
import type { SearchAnswer } from '../../src/library/search/search-answer.ts';
import type { SearchJob } from '../../src/library/search/search-jobs.ts';
import { type AnalysisApp, barsOf, openAnalysis, START_MS } from '../../src/services/analysis/testing/analysis-app.ts';

const MINUTE_MS = 60_000;
/** Bars open at 1, 2, 3…: bought and sold at the next open, a trade makes as much as it has bars. */
const SCRIPT = `//@version=6
strategy("Held", initial_capital = 100)
from = input.int(0, "From", minval = 0, maxval = 8)
to = input.int(9, "To", maxval = 15)
side = input.string("long", "Side", options = ["long", "short"])
if bar_index == from
    strategy.entry("E", side == "long" ? strategy.long : strategy.short, 1)
if bar_index == to
    strategy.close("E")`;
const REQUEST = { script: SCRIPT, data: barsOf(20), vary: { From: { from: 0, to: 3 }, To: [9, 10, 11] } };

/** Half a minute of work, in loops as long as the language allows. */
const LOOP = `
    letters = 0
    for i = 0 to 9000000
        letters += str.length(str.tostring(i))
    log.info(str.tostring(letters))`;

interface Shown {
  readonly status: string;
  readonly code: string;
  readonly message: string;
  readonly id: string;
  readonly state: SearchJob['state'];
  readonly progress: SearchJob['progress'];
  readonly best: SearchAnswer['top'][number] | null;
  readonly result: SearchAnswer;
  readonly backtests: number;
  readonly tier_info: { readonly calls_used: number };
}

let pool: ReturnType<typeof openScriptPool>;
let app: AnalysisApp;
beforeAll(() => {
  pool = openScriptPool({ size: 2, timeoutMs: 60_000, maxWaitMs: 120_000 });
  app = openAnalysis(pool);
});
afterAll(() => pool.close());

const as = (apiKey: string) => ({ headers: { authorization: `Bearer ${apiKey}` } });
const newKey = async (tier: Tier = 'pro', on = app): Promise<string> => (await on.keys.mint(tier)).apiKey;

async function begin(body: object, apiKey: string, on = app): Promise<{ status: number; body: Shown }> {
  const { status, body: answer } = await on.post('/optimize', body, as(apiKey));
  return { status, body: answer as unknown as Shown };
}

async function call(method: string, id: string, apiKey: string, on = app): Promise<{ status: number; body: Shown }> {
  const answer = await on.app.request(`/optimize/${id}`, { method, ...as(apiKey) }, { peer: '198.51.100.1' });
  return { status: answer.status, body: (await answer.json()) as Shown };
}

async function ended(id: string, apiKey: string, on = app): Promise<Shown> {
  let shown: Shown | undefined;
  await expect
    .poll(async () => {
      ({ body: shown } = await call('GET', id, apiKey, on));
      return shown.state;
    })
    .not.toBe('running');
  return shown!;
}

/** The whole way, as one client goes it. */
async function search(body: object, tier: Tier = 'pro', on = app): Promise<SearchAnswer> {
  const apiKey = await newKey(tier, on);
  const begun = await begin(body, apiKey, on);
  expect(begun.body.message).toBeUndefined();
  expect(begun.status).toBe(202);
  return (await ended(begun.body.id, apiKey, on)).result;
}

async function refusalOf(body: object): Promise<[status: number, code: string, message: string]> {
  const { status, body: answer } = await begin(body, await newKey());
  return [status, answer.code, answer.message];
}

describe('a search over a grid', () => {
  it('tries every combination and ranks them, the first of equals first', async () => {
    const found = await search(REQUEST);
    expect(found).toMatchObject({
      script_name: 'Held',
      method: 'grid',
      seed: null,
      objective: { metric: 'net_profit', goal: 'maximize', combine: 'mean' },
      inputs: [
        { title: 'From', values: [0, 1, 2, 3] },
        { title: 'To', values: [9, 10, 11] },
      ],
      markets: [{ market: 'chart 1', bars: 20 }],
      combinations: 12,
      backtests: { done: 12, total: 12, failed: 0 },
      failures: [],
      stopped: null,
    });
    expect(found.top.map(({ inputs, value }) => [inputs.From, inputs.To, value]).slice(0, 5)).toEqual([
      [0, 11, 11],
      [0, 10, 10],
      [1, 11, 10],
      [0, 9, 9],
      [1, 10, 9],
    ]);
    expect(found.heat_map).toEqual({
      x: { title: 'From', values: [0, 1, 2, 3] },
      y: { title: 'To', values: [9, 10, 11] },
      values: [
        [9, 8, 7, 6],
        [10, 9, 8, 7],
        [11, 10, 9, 8],
      ],
    });
  });

  it('has the figures of a backtest with the same inputs', async () => {
    const [best] = (await search(REQUEST)).top;
    const backtest = await app.post(
      '/backtest/quick',
      { script: SCRIPT, data: REQUEST.data, inputs: best?.inputs },
      as(await newKey()),
    );
    const { figures } = best!.markets[0]!;
    expect(figures.net_profit).toBe(11);
    const { total_profit, return_over_drawdown, ...told } = figures;
    expect(backtest.body.summary).toMatchObject(told);
    expect([total_profit, return_over_drawdown]).toEqual([11, 11]);
  });

  it('finds the same with one thread as with two', async () => {
    const alone = openScriptPool({ size: 1, maxWaitMs: 120_000 });
    try {
      const one = await search(REQUEST, 'pro', openAnalysis(alone));
      expect(one).toEqual(await search(REQUEST));
    } finally {
      await alone.close();
    }
  });

  it('takes inputs by variable, choices, all of them, and what every run has in common', async () => {
    const found = await search({ ...REQUEST, vary: { side: 'all', to: [12, 13] }, inputs: { from: 1 } });
    expect(found.inputs).toEqual([
      { title: 'Side', values: ['long', 'short'] },
      { title: 'To', values: [12, 13] },
    ]);
    expect(found.fixed_inputs).toEqual({ From: 1 });
    expect(found.top.map(({ inputs, value }) => [inputs.Side, inputs.To, value])).toEqual([
      ['long', 13, 12],
      ['long', 12, 11],
      ['short', 12, -11],
      ['short', 13, -12],
    ]);
    expect(found.heat_map?.values).toEqual([
      [11, -11],
      [12, -12],
    ]);
  });

  it('lists as many as it is asked for, and trades only when it may', async () => {
    const range = { trade_from: START_MS + 2 * MINUTE_MS, trade_to: START_MS + 19 * MINUTE_MS };
    const found = await search({ ...REQUEST, ...range, initial_capital: 1000, top: 1 });
    expect(found.top).toHaveLength(1);
    expect(found.top[0]).toMatchObject({ inputs: { From: 2, To: 11 }, value: 9 });
    expect(found.top[0]?.markets[0]?.figures.final_equity).toBe(1009);
  });
});

describe('what counts as better', () => {
  it('may be any figure, as large or as small as it gets', async () => {
    const vary = { From: [0, 3], To: [9, 10] };
    const smallest = await search({ ...REQUEST, vary, goal: 'minimize' });
    expect(smallest.top.map(({ value }) => value)).toEqual([6, 7, 9, 10]);
    const drawdown = await search({ ...REQUEST, vary, objective: 'max_drawdown', inputs: { Side: 'short' } });
    expect(drawdown.objective.goal).toBe('minimize');
    expect(drawdown.top[0]?.inputs).toEqual({ From: 3, To: 9 });
  });

  it('keeps bounds: whatever does not ranks last, and says so', async () => {
    const constraints = [{ metric: 'net_profit', max: 9 }];
    const found = await search({ ...REQUEST, vary: { To: [9, 10, 11] }, constraints, min_trades: 1 });
    expect(found.top.map(({ value, meets_constraints }) => [value, meets_constraints])).toEqual([
      [9, true],
      [11, false],
      [10, false],
    ]);
    const none = await search({ ...REQUEST, vary: { To: [9, 10] }, min_trades: 2 });
    expect(none.top.map((trial) => trial.meets_constraints)).toEqual([false, false]);
    expect(none.overfitting).toBeNull();
  });

  it('is null where a figure is undefined, behind every number', async () => {
    // Long trades never lose here: there is no profit factor.
    const found = await search({ ...REQUEST, vary: { Side: 'all' }, objective: 'profit_factor' });
    expect(found.top.map(({ inputs, value }) => [inputs.Side, value])).toEqual([
      ['short', 0],
      ['long', null],
    ]);
  });

  it('may be a figure of several markets, of which each is shown', async () => {
    const slow = barsOf(20).map((bar) => ({
      ...bar,
      open: bar.open / 2,
      high: bar.high / 2,
      close: bar.close / 2,
      low: 0,
    }));
    const { data: _, ...request } = REQUEST;
    const markets = [
      { data: barsOf(20), symbol: 'FAST' },
      { data: slow, symbol: 'SLOW', timeframe: '1' },
    ];
    const values = async (combine: string) => (await search({ ...request, markets, combine })).top[0];
    expect(await values('mean')).toMatchObject({
      value: 8.25,
      markets: [
        { market: 'FAST 1', figures: { net_profit: 11 } },
        { market: 'SLOW 1', figures: { net_profit: 5.5 } },
      ],
    });
    expect((await values('worst'))?.value).toBe(5.5);
    expect((await values('sum'))?.value).toBe(16.5);
  });

  it('may be judged on markets that are only named', async () => {
    const { data: _, ...request } = REQUEST;
    const market = { symbol: 'BTCUSDT', timeframe: '1h', bars: 30 };
    const found = await search({ ...request, markets: [market, { ...market, symbol: 'ETHUSDT' }] });
    expect(found.markets).toEqual([
      { market: 'BTCUSDT 1h', bars: 30, price_source: 'simulated' },
      { market: 'ETHUSDT 1h', bars: 30, price_source: 'simulated' },
    ]);
    expect(found.backtests).toEqual({ done: 24, total: 24, failed: 0 });
    expect((await search({ ...request, ...market })).backtests.done).toBe(12);
  });
});

describe('a market that no table knows', () => {
  it('goes by its price, as its backtest does', async () => {
    const script = `//@version=6
strategy("s")
n = input.int(1, "N")
if bar_index == n
    strategy.entry("L", strategy.long, syminfo.mintick == 0.00001 and syminfo.mincontract == 1 ? 100 : 1)
if bar_index == 10
    strategy.close_all()`;
    const market = { symbol: 'HBARUSDT', timeframe: '1h', bars: 30 };
    const { data: _, ...request } = REQUEST;
    const found = await search({ ...request, script, vary: { N: { from: 1, to: 2, step: 1 } }, ...market });
    const body = JSON.stringify({ script, ...market, inputs: { N: found.top[0]?.inputs.N } });
    const asked = { method: 'POST', body, ...as(await newKey()) };
    const quick = await app.app.request('/backtest/quick', asked, { peer: '198.51.100.1' });
    const { summary, meta } = (await quick.json()) as { summary: { net_profit: number }; meta: { market: object } };
    expect(meta.market).toMatchObject({ source: 'price', assumed: { mintick: 0.00001, mincontract: 1 } });
    expect(found.top[0]?.markets[0]?.figures.net_profit).toBeCloseTo(summary.net_profit, 9);
    expect(Math.abs(summary.net_profit)).toBeGreaterThan(0);
  });
});

describe('a random search', () => {
  const vary = { From: { from: 0, to: 8 }, To: { from: 9, to: 15 } };
  const drawn = async (seed: number | undefined, samples = 10) => {
    const found = await search({ ...REQUEST, vary, method: 'random', samples, seed, top: 100 });
    return found.top.map(({ inputs }) => `${inputs.From} ${inputs.To}`);
  };

  it('draws the same with the same seed, others with another, and none twice', async () => {
    const first = await drawn(7);
    expect(first).toHaveLength(10);
    expect(new Set(first).size).toBe(10);
    expect(await drawn(7)).toEqual(first);
    expect(await drawn(8)).not.toEqual(first);
    expect(await drawn(undefined)).toEqual(await drawn(1));
  });

  it('is the whole grid where there is no more to draw', async () => {
    expect(await drawn(7, 63)).toHaveLength(63);
    expect(await drawn(7, 1_000)).toHaveLength(63);
  });
});

describe('a script that fails on some inputs', () => {
  it('is told with them, and the others go on', async () => {
    const script = `${SCRIPT}\nif from == 2\n    runtime.error("not two")`;
    const found = await search({ ...REQUEST, script });
    expect(found.backtests).toEqual({ done: 12, total: 12, failed: 3 });
    expect(found.top).toHaveLength(9);
    expect(found.failures[0]).toMatchObject({ inputs: { From: 2, To: 9 }, market: 'chart 1' });
    expect(found.failures[0]?.reason).toContain('not two');
    expect(found.heat_map?.values[0]).toEqual([9, 8, null, 6]);
  });

  it('may run far too long: that one is stopped with its thread, and no other', async () => {
    const script = `${SCRIPT}\nif from == 2 and to == 10${LOOP}`;
    const found = await search({ ...REQUEST, script, timeout_seconds: 0.5 });
    expect(found.backtests).toEqual({ done: 12, total: 12, failed: 1 });
    expect(found.failures).toMatchObject([{ inputs: { From: 2, To: 10 } }]);
    expect(found.failures[0]?.reason).toContain('stopped after 0.5 s');
  });
});

describe('a walk-forward', () => {
  const HOUR_MS = 60 * MINUTE_MS;
  /** A price that rises for two days and falls for two: a side that was right is wrong in the next window. */
  const tide = Array.from({ length: 24 * 12 }, (_, i) => {
    const day = Math.floor(i / 24);
    const price = (at: number): number => 100 + (at % 96 < 48 ? at % 48 : 48 - (at % 48));
    const [open, close] = [price(i), price(i + 1)];
    const time = Date.UTC(2024, 0, 1) + day * 24 * HOUR_MS + (i % 24) * HOUR_MS;
    return { time, open, close, high: Math.max(open, close), low: Math.min(open, close) };
  });
  const script = `//@version=6
strategy("Tide", initial_capital = 1000)
side = input.string("long", "Side", options = ["long", "short"])
if hour == 0
    strategy.entry("E", side == "long" ? strategy.long : strategy.short, 1)
if hour == 20
    strategy.close("E")`;
  const request = { script, data: tide, vary: { Side: 'all' }, objective: 'net_profit' };

  it('tries the best of each window on the time behind it, warmed up and never traded before', async () => {
    const walk_forward = { in_sample_days: 2, out_of_sample_days: 2 };
    const { walk_forward: found, top, backtests } = await search({ ...request, walk_forward });
    expect(found?.windows.map(({ inputs }) => inputs?.Side)).toEqual(['long', 'short', 'long', 'short', 'long']);
    expect(found?.windows[0]).toMatchObject({
      in_sample: { from: Date.UTC(2024, 0, 1), to: Date.UTC(2024, 0, 3) },
      out_of_sample: { from: Date.UTC(2024, 0, 3), to: Date.UTC(2024, 0, 5) },
    });
    // Whoever does tomorrow what was right today loses every day here.
    for (const window of found!.windows) {
      expect(window.in_sample_value).toBeGreaterThan(0);
      expect(window.out_of_sample_value).toBeLessThan(0);
    }
    expect(backtests).toEqual({ done: 15, total: 15, failed: 0 });
    expect(found?.efficiency).toBeLessThan(0);
    const [market] = found!.markets;
    const sum = found!.windows.reduce((total, window) => total + (window.out_of_sample_value ?? 0), 0);
    expect(market?.figures?.net_profit).toBeCloseTo(sum, 9);
    expect(found?.value).toBeCloseTo(sum, 9);
    expect(market?.trades).toHaveLength(market?.figures?.total_trades ?? -1);
    expect(market?.trades.every((trade) => trade.entry_time >= Date.UTC(2024, 0, 3))).toBe(true);
    expect(market?.equity.at(-1)?.equity).toBeCloseTo(1000 + sum, 9);
    expect(top[0]?.inputs).toEqual({ Side: 'long' });
  });

  it('has its indicators warm at the first bar of each window, from bars that it may not trade on', async () => {
    const warm = `//@version=6
strategy("Warm", initial_capital = 1000)
size = input.int(1, "Size")
mean = ta.sma(close, 40)
if not na(mean) and strategy.position_size == 0
    strategy.entry("E", strategy.long, size)`;
    const walk_forward = { in_sample_days: 2, out_of_sample_days: 1 };
    const { walk_forward: found } = await search({ ...request, script: warm, vary: { Size: [1, 2] }, walk_forward });
    // A window has 24 bars, fewer than the mean needs: the order of its first bar fills on the second.
    const entries = found!.windows.map(({ out_of_sample }) => out_of_sample.from + HOUR_MS);
    expect(found?.markets[0]?.trades.map((trade) => trade.entry_time)).toEqual(entries);
    expect(found?.markets[0]?.trades.every((trade) => trade.exit_id === 'End of window')).toBe(true);
  });

  it('may be anchored, and the last window may be short', async () => {
    const walk_forward = { in_sample_days: 4, out_of_sample_days: 3, anchored: true };
    const { walk_forward: found } = await search({ ...request, walk_forward });
    expect(found?.anchored).toBe(true);
    expect(found?.windows.map(({ in_sample }) => in_sample.from)).toEqual(Array(3).fill(Date.UTC(2024, 0, 1)));
    const last = found!.windows.at(-1)!.out_of_sample;
    expect(last.to).toBe(Date.UTC(2024, 0, 12, 23) + 1);
  });

  it('trades nothing in a window in which nothing met the constraints', async () => {
    const walk_forward = { in_sample_days: 2, out_of_sample_days: 2 };
    const { walk_forward: found, backtests } = await search({ ...request, walk_forward, min_trades: 50 });
    expect(found?.windows.map(({ inputs, out_of_sample_value }) => [inputs, out_of_sample_value])).toEqual(
      Array(5).fill([null, null]),
    );
    expect(found).toMatchObject({
      efficiency: null,
      value: null,
      markets: [{ figures: null, trades: [], equity: [] }],
    });
    expect(backtests).toEqual({ done: 10, total: 10, failed: 0 });
  });

  it.each([
    [{ in_sample_days: 12, out_of_sample_days: 1 }, 'cover 12.0 days, which is not longer than one in-sample'],
    [{ in_sample_days: 1, out_of_sample_days: 0.01 }, 'windows, and 100 are allowed; make out-of-sample longer'],
  ])('%j does not fit the bars', async (walk_forward, words) => {
    const [status, code, message] = await refusalOf({ ...request, walk_forward });
    expect([status, code]).toEqual([400, 'INVALID_FIELD']);
    expect(message).toContain(words);
  });
});

describe('a body that cannot be searched', () => {
  const { data, vary, ...bare } = REQUEST;
  const indicator = '//@version=6\nindicator("I")\nn = input.int(1)\nplot(n)';
  it.each([
    ['nothing to vary', { ...bare, data }, 'MISSING_FIELD', 'vary: is missing'],
    ['an empty space', { ...REQUEST, vary: {} }, 'INVALID_FIELD', 'vary: is empty'],
    ['a list as space', { ...REQUEST, vary: [1] }, 'INVALID_FIELD', 'vary: is no object'],
    ['no bars', { ...bare, vary }, 'MISSING_FIELD', 'data: is missing'],
    ['bars twice', { ...REQUEST, markets: [{ data }] }, 'INVALID_FIELD', 'data: cannot be sent with markets'],
    ['no markets', { ...bare, vary, markets: [] }, 'INVALID_FIELD', 'markets'],
    ['too many markets', { ...bare, vary, markets: Array(17).fill({ data }) }, 'INVALID_FIELD', 'markets'],
    ['bars and data', { ...REQUEST, bars: 5 }, 'INVALID_FIELD', 'bars: cannot be sent with data'],
    ['an unknown field', { ...REQUEST, workers: 9 }, 'UNKNOWN_FIELDS', 'workers'],
    ['an unknown input', { ...REQUEST, vary: { Form: [1] } }, 'INVALID_FIELD', 'did you mean "From"?'],
    ['an unknown fixed input', { ...REQUEST, inputs: { Zzzzz: 1 } }, 'INVALID_FIELD', 'it has "From", "To", "Side"'],
    ['an input in both', { ...REQUEST, inputs: { from: 1 } }, 'INVALID_FIELD', '"From" is given twice'],
    ['one input by two names', { ...REQUEST, vary: { From: [1], from: [2] } }, 'INVALID_FIELD', 'given twice'],
    ['a value below minval', { ...REQUEST, vary: { From: { from: -1, to: 2 } } }, 'INVALID_FIELD', 'from 0 to 8'],
    ['a value above maxval', { ...REQUEST, vary: { From: [9] } }, 'INVALID_FIELD', 'from 0 to 8'],
    ['no option', { ...REQUEST, vary: { Side: ['up'] } }, 'INVALID_FIELD', 'one of "long", "short"'],
    ['a range of words', { ...REQUEST, vary: { Side: { from: 0, to: 1 } } }, 'INVALID_FIELD', 'takes no range'],
    ['all of a number', { ...REQUEST, vary: { From: 'all' } }, 'INVALID_FIELD', 'no list of choices'],
    ['a range backwards', { ...REQUEST, vary: { From: { from: 3, to: 1 } } }, 'INVALID_FIELD', 'smaller one first'],
    ['a step of 0', { ...REQUEST, vary: { From: { from: 0, to: 1, step: 0 } } }, 'INVALID_FIELD', 'vary.From'],
    ['a value twice', { ...REQUEST, vary: { From: [1, 1] } }, 'INVALID_FIELD', 'twice'],
    ['an object as value', { ...REQUEST, vary: { From: [{}] } }, 'INVALID_FIELD', 'vary.From'],
    ['null as a variation', { ...REQUEST, vary: { From: null } }, 'INVALID_FIELD', 'vary.From'],
    ['too many values', { ...REQUEST, vary: { To: { from: -2000, to: 0 } } }, 'INVALID_FIELD', 'at most 1000'],
    ['samples of a grid', { ...REQUEST, samples: 3 }, 'INVALID_FIELD', 'samples: is for a random search'],
    ['no samples', { ...REQUEST, method: 'random' }, 'MISSING_FIELD', 'samples: is missing'],
    ['no such figure', { ...REQUEST, objective: 'luck' }, 'INVALID_FIELD', 'objective'],
    ['a bound without numbers', { ...REQUEST, constraints: [{ metric: 'cagr' }] }, 'INVALID_FIELD', 'constraints.0'],
    ['too many rows', { ...REQUEST, top: 101 }, 'INVALID_FIELD', 'top'],
    ['an indicator', { ...REQUEST, script: indicator, vary: { n: [1] } }, 'INVALID_FIELD', 'makes no trades'],
    ['a script with errors', { ...REQUEST, script: '//@version=6\nstrategy("S")\nx = y' }, 'SCRIPT_ERROR', 'line 3'],
  ])('%s', async (_, body, code, words) => {
    const [status, told, message] = await refusalOf(body);
    expect([status, told]).toEqual([400, code]);
    expect(message).toContain(words);
  });

  it('names no input called __proto__', async () => {
    const apiKey = await newKey();
    const text = JSON.stringify(REQUEST).replace('"From"', '"__proto__"');
    const { status, body } = await app.post('/optimize', text, as(apiKey));
    expect([status, body.code]).toEqual([400, 'INVALID_FIELD']);
    expect(body.message).toContain('no input "__proto__"');
  });

  it('has a market that is not known, or more bars than are allowed', async () => {
    const market = { symbol: 'NOSUCHCOIN', timeframe: '1h', bars: 30 };
    expect((await refusalOf({ ...bare, vary, ...market })).slice(0, 2)).toEqual([422, 'UNKNOWN_SYMBOL']);
    expect((await refusalOf({ ...bare, vary, ...market, bars: 50_001 })).slice(0, 2)).toEqual([413, 'TOO_MANY_BARS']);
  });

  it('takes more backtests than its tier has for one search', async () => {
    const many = { ...REQUEST, vary: { From: { from: 0, to: 8 }, To: { from: -100, to: 15 } } };
    const { status, body } = await begin(many, await newKey('free'));
    expect([status, body.code]).toEqual([400, 'INVALID_FIELD']);
    expect(body.message).toBe(
      'vary: 1044 combinations are 1044 backtests, and 1000 are allowed; use larger steps, fewer values, or a random sample',
    );
    expect((await search({ ...many, method: 'random', samples: 1000, top: 1 }, 'free')).backtests.done).toBe(1000);
  });
});

describe('a search belongs to its key', () => {
  const forever = { ...REQUEST, script: `${SCRIPT}\nif true${LOOP}` };

  it('nobody without one is let in', async () => {
    for (const [method, path] of [
      ['POST', '/optimize'],
      ['GET', '/optimize/x'],
      ['DELETE', '/optimize/x'],
    ]) {
      const answer = await app.app.request(path!, { method: method! }, { peer: '198.51.100.1' });
      expect(answer.status).toBe(401);
    }
  });

  it('nobody else sees or ends it, and it is forgotten when its owner says so', async () => {
    const [mine, yours] = [await newKey(), await newKey()];
    const { body } = await begin(REQUEST, mine);
    await ended(body.id, mine);
    expect((await call('GET', body.id, yours)).status).toBe(404);
    expect((await call('DELETE', body.id, yours)).status).toBe(404);
    expect((await call('DELETE', body.id, mine)).body).toMatchObject({ state: 'done' });
    expect(await call('GET', body.id, mine)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  });

  it('has one at a time, ends it when it says so, and keeps what was found', async () => {
    const apiKey = await newKey();
    const { body } = await begin({ ...forever, timeout_seconds: 1 }, apiKey);
    expect((await call('GET', body.id, apiKey)).body).toMatchObject({ state: 'running', best: null, result: null });
    const second = await begin(REQUEST, apiKey);
    expect([second.status, second.body.code]).toEqual([429, 'BUSY']);
    expect(second.body.message).toContain(`DELETE /optimize/${body.id}`);
    // Another key has its own, beside it.
    expect((await search(REQUEST)).backtests.done).toBe(12);
    expect((await call('DELETE', body.id, apiKey)).body).toMatchObject({ state: 'canceled' });
    const shown = await ended(body.id, apiKey);
    expect(shown).toMatchObject({ state: 'canceled', result: { stopped: 'canceled by its owner' } });
    expect(shown.progress.done).toBeLessThan(12);
    expect((await begin(REQUEST, apiKey)).status).toBe(202);
  });

  it('is one of four at most', async () => {
    const keys = await Promise.all(Array.from({ length: 5 }, () => newKey()));
    const begun = [];
    for (const apiKey of keys.slice(0, 4)) begun.push((await begin(forever, apiKey)).body.id);
    const fifth = await begin(REQUEST, keys[4]!);
    expect([fifth.status, fifth.body.code]).toEqual([429, 'BUSY']);
    for (const [index, id] of begun.entries()) {
      await call('DELETE', id, keys[index]!);
      await ended(id, keys[index]!);
    }
  });
});

describe('where searches are shared, and the store of them is away', () => {
  const away = () => Promise.reject(new StorageError('Redis at 10.0.0.5:6379 does not answer; start it'));
  const searchStore = { put: away, find: away, askForEnd: away, forget: away, isForgotten: away };

  it('its own process runs, shows and forgets a search all the same', async () => {
    const alone = openAnalysis(pool, { searchStore });
    const apiKey = await newKey('pro', alone);
    const { status, body } = await begin(REQUEST, apiKey, alone);
    expect(status).toBe(202);
    expect((await ended(body.id, apiKey, alone)).state).toBe('done');
    expect((await call('DELETE', body.id, apiKey, alone)).status).toBe(200);
  });

  it('nobody is told that another search does not exist', async () => {
    const alone = openAnalysis(pool, { searchStore });
    const apiKey = await newKey('pro', alone);
    for (const method of ['GET', 'DELETE']) {
      const { status, body } = await call(method, 'of-another-process', apiKey, alone);
      expect([status, body.code]).toEqual([503, 'UNAVAILABLE']);
      expect(body.message).toBe('searches of other processes cannot be looked up just now; try again in a moment');
    }
  });
});

describe('what it costs', () => {
  const usedBy = async (apiKey: string): Promise<number | undefined> =>
    (await app.keys.validate(apiKey))?.tierInfo.calls_used;
  const of = (count: number) => ({ ...REQUEST, vary: { To: { from: 16 - count, to: 15 } } });

  it.each([
    [1, 1],
    [20, 1],
    [21, 2],
    [40, 2],
    [41, 3],
  ])('%i backtests are %i calls', async (count, calls) => {
    const apiKey = await newKey();
    const { body } = await begin(of(count), apiKey);
    expect(body).toMatchObject({ backtests: count, tier_info: { calls_used: 1 } });
    await ended(body.id, apiKey);
    expect(await usedBy(apiKey)).toBe(calls);
  });

  it('nothing where it is refused', async () => {
    const apiKey = await newKey();
    expect((await begin({ ...REQUEST, vary: { Form: [1] } }, apiKey)).status).toBe(400);
    expect(await usedBy(apiKey)).toBe(0);
  });

  it('ends it when the calls are used up, with what was found until then', async () => {
    let left = 2;
    const keys: AnalysisApp['keys'] = {
      ...app.keys,
      mint: (tier) => app.keys.mint(tier),
      validate: (rawKey) => app.keys.validate(rawKey),
      admit: async (rawKey) => {
        left -= 1;
        if (left < 0) return { ok: false, status: 429, code: 'RATE_LIMITED', message: 'This key has used all calls.' };
        return app.keys.admit(rawKey);
      },
    };
    const limited = openAnalysis(pool, { keys });
    const apiKey = await newKey();
    const { body } = await begin(of(100), apiKey, limited);
    const shown = await ended(body.id, apiKey, limited);
    expect(shown).toMatchObject({ state: 'stopped', result: { stopped: 'This key has used all calls.' } });
    expect(shown.progress.done).toBeGreaterThan(0);
    expect(shown.progress.done).toBeLessThanOrEqual(40);
    expect(shown.result.top.length).toBeGreaterThan(0);
  });
});

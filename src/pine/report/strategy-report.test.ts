// The report through the engine's front door: scripts over bars chosen so that every figure can be worked out by hand.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MAX_EVENTS } from '../broker/index.ts';
import { answerOf, type Bar, barColumns, compile, type RunOptions } from '../index.ts';
import { strategyReport } from './strategy-report.ts';
import { tradesCsv } from './trades-csv.ts';

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2024, 0, 1);

/** Days whose open, high, low and close are the same, but for those said otherwise. */
const flat = (...prices: readonly (number | Partial<Bar>)[]) =>
  barColumns(
    prices.map((price, index): Bar => {
      const given = typeof price === 'number' ? { close: price } : price;
      const close = given.close ?? 0;
      return { time: START_MS + index * DAY_MS, open: close, high: close, low: close, volume: 1, ...given, close };
    }),
  );

function run(body: string, bars: ReturnType<typeof barColumns>, options: RunOptions = {}, declared = '') {
  // Without margin, so that a position may be worth more than the account.
  const head = `strategy("T", initial_capital = 1000, margin_long = 0, margin_short = 0${declared})`;
  const source = `//@version=6\n${head}\n${body}`;
  const { program, diagnostics } = compile(source);
  expect(diagnostics).toEqual([]);
  const result = program!.run(bars, { symbol: { mintick: 0.01, mincontract: 0.01 }, ...options });
  return { report: strategyReport(result, bars)!, answer: answerOf(result, bars) };
}

/** Buys on the second bar, sells on the fourth; goes short on the fifth and stays. */
const BODY = `if bar_index == 0
    strategy.entry("L", strategy.long, 10, comment = "buy")
if bar_index == 2
    strategy.close("L", comment = "sell")
if bar_index == 3
    strategy.entry("S", strategy.short, 5)`;
const BARS = flat(100, 100, { open: 110, high: 120, low: 90, close: 110 }, 110, 110, {
  close: 104,
  open: 110,
  high: 110,
});

describe('the trades of an answer', () => {
  it('are the closed ones in the order of exit, then the open ones without an exit', () => {
    const { trades } = run(BODY, BARS).answer;
    expect(trades).toEqual([
      {
        entry_id: 'L',
        exit_id: expect.any(String),
        direction: 'long',
        entry_time: START_MS + DAY_MS,
        entry_price: 100,
        exit_time: START_MS + 3 * DAY_MS,
        exit_price: 110,
        qty: 10,
        profit: 100,
        profit_percent: 10,
        runup: 200,
        runup_percent: 20,
        drawdown: -100,
        drawdown_percent: -10,
        commission: 0,
        entry_comment: 'buy',
        exit_comment: 'sell',
        entry_bar: 1,
        exit_bar: 3,
      },
      expect.objectContaining({
        entry_id: 'S',
        exit_id: null,
        direction: 'short',
        entry_time: START_MS + 4 * DAY_MS,
        exit_time: null,
        exit_price: null,
        exit_comment: null,
        exit_bar: null,
        qty: 5,
        profit: 30,
      }),
    ]);
  });

  it('are none of an indicator', () => {
    const { program } = compile('//@version=6\nindicator("x")\nplot(close)');
    const bars = flat(1, 2);
    const answer = answerOf(program!.run(bars), bars);
    expect(answer).toMatchObject({ events: [], trades: [], equity: [], metrics: {} });
  });

  it('count bars that the script leaves out', () => {
    const { answer } = run(BODY, flat(90, 90, ...Array(6).fill(100)), {}, ', calc_bars_count = 6');
    expect(answer.trades).toMatchObject([{ entry_bar: 3, exit_bar: 5 }, { entry_bar: 6 }]);
  });
});

describe('the metrics of an answer', () => {
  it('are these, worked out by hand', () => {
    const { metrics } = run(BODY, BARS).answer;
    expect(metrics).toMatchObject({
      initial_capital: 1000,
      from: START_MS,
      to: START_MS + 5 * DAY_MS,
      net_profit: 100,
      net_profit_percent: 10,
      gross_loss: 0,
      profit_factor: null,
      open_profit: 30,
      open_trades: 1,
      total_trades: 1,
      percent_profitable: 100,
      avg_bars_in_trades: 3,
      max_contracts_held: 10,
      final_equity: 1130,
      // Bought at 100, the low of 90 was ten contracts by ten; the high was 120.
      max_drawdown: 100,
      max_drawdown_percent: 10,
      max_runup: 200,
      max_drawdown_close_to_close: 0,
      max_runup_close_to_close: 100,
      // From the first open of 100 to the last close of 104.
      buy_and_hold: expect.closeTo(40, 9),
      buy_and_hold_percent: expect.closeTo(4, 9),
      outperformance_percent: expect.closeTo(6, 9),
      monthly_returns: [{ month: '2024-01', profit: 100, return_percent: 10 }],
      dropped_events: 0,
    });
    expect(metrics.long).toMatchObject({ net_profit: 100, total_trades: 1, open_trades: 0, max_contracts_held: 10 });
    expect(metrics.short).toMatchObject({ net_profit: 0, total_trades: 0, open_trades: 1, max_contracts_held: 5 });
    expect(metrics.cagr).toBeCloseTo((1.1 ** (365 / 5) - 1) * 100, 6);
  });

  it('take a trade whose gain the fees have eaten for neither won nor lost, as the variables of a script do', () => {
    const fees = ', commission_type = strategy.commission.cash_per_contract, commission_value = 1.5';
    const body =
      'if bar_index == 0\n    strategy.entry("L", strategy.long, 0.3)\nif bar_index == 2\n    strategy.close("L")';
    // Three points of 0.3 contracts and twice 0.45 of fees; in doubles something of 1e-16 is missing.
    const { metrics, trades } = run(body, flat(100, 100, 103, 103), {}, fees).answer;
    expect(metrics).toMatchObject({ total_trades: 1, winning_trades: 0, losing_trades: 0, even_trades: 1 });
    expect(metrics).toMatchObject({ max_consecutive_losses: 0, gross_loss: 0, largest_losing_trade: null });
    expect(trades).toMatchObject([{ profit: 0, profit_percent: 0 }]);
  });

  it('are all in the documentation with their formula', () => {
    const page = readFileSync(new URL('../../../docs/pine/backtests.md', import.meta.url), 'utf8');
    const { metrics } = run(BODY, BARS).answer;
    const names = Object.keys(metrics).map((name) => name.replace(/_percent$/, ''));
    expect(names.filter((name) => !page.includes(`\`${name}`))).toEqual([]);
  });

  it('have the commission that was paid, of open trades too', () => {
    const paid = ', commission_type = strategy.commission.cash_per_order, commission_value = 3';
    const { metrics, trades } = run(BODY, BARS, {}, paid).answer;
    expect(metrics).toMatchObject({ commission_paid: 9, net_profit: 94 });
    expect(trades.map(({ commission }) => commission)).toEqual([6, 3]);
  });

  it('of a range begin and end with it', () => {
    const options = { tradeFromMs: START_MS + 2 * DAY_MS, tradeToMs: START_MS + 5 * DAY_MS };
    const { metrics, equity, trades } = run(BODY, BARS, options).answer;
    expect(metrics).toMatchObject({ from: START_MS + 2 * DAY_MS, to: START_MS + 4 * DAY_MS, total_trades: 0 });
    expect(trades.map(({ entry_id }) => entry_id)).toEqual(['S']);
    expect(equity[0]?.time).toBe(START_MS + 2 * DAY_MS);
    expect(equity.at(-1)?.time).toBe(START_MS + 5 * DAY_MS);
  });

  it('have the months of exits after the range', () => {
    const bars = flat(...Array.from({ length: 40 }, () => 100));
    const body = `if bar_index == 0
    strategy.entry("L", strategy.long, 1)
if bar_index == 1
    strategy.exit("X", "L", limit = 110)`;
    bars.high[35] = 120;
    const { metrics } = run(body, bars, { tradeToMs: START_MS + 5 * DAY_MS }).answer;
    expect(metrics).toMatchObject({ to: START_MS + 4 * DAY_MS, net_profit: 10, final_equity: 1010 });
    expect(metrics.monthly_returns).toMatchObject([
      { month: '2024-01', profit: 0 },
      { month: '2024-02', profit: 10 },
    ]);
  });

  it('do not look behind the last bar, where columns have room for more', () => {
    const room = flat(1, 2, 3);
    const { metrics } = run('plot(close)', { ...room, count: 2 }, { tradeFromMs: START_MS + 2 * DAY_MS }).answer;
    expect(metrics).toMatchObject({ from: null, to: null });
  });

  it('of a range without bars are empty, not wrong', () => {
    const { metrics, equity } = run(BODY, BARS, { tradeFromMs: START_MS + 99 * DAY_MS }).answer;
    expect(metrics).toMatchObject({ from: null, to: null, net_profit: 0, buy_and_hold: null, monthly_returns: [] });
    expect(equity).toEqual([]);
  });

  it('begin with the capital that the caller gives', () => {
    const { metrics, equity } = run(BODY, BARS, { initialCapital: 500 }).answer;
    expect(metrics).toMatchObject({ initial_capital: 500, net_profit_percent: 20, final_equity: 630 });
    expect(equity[0]).toEqual({ time: START_MS, equity: 500, drawdown: 0 });
  });
});

describe('the equity of an answer', () => {
  it('is that of each close with what is open, and how far below its highest', () => {
    const { equity } = run(BODY, BARS).answer;
    expect(equity.map(({ time, ...point }) => [(time - START_MS) / DAY_MS, point.equity, point.drawdown])).toEqual([
      [0, 1000, 0],
      [1, 1000, 0],
      [2, 1100, 0],
      [4, 1100, 0],
      [5, 1130, 0],
    ]);
  });
});

describe('the events of an answer', () => {
  const CALLS = `if bar_index == 1
    strategy.entry("A", strategy.long, comment = "why")
    strategy.entry("B", strategy.short, 2, limit = 120)
    strategy.order("C", strategy.long, 3, stop = 130)
    strategy.entry("D", strategy.long, limit = 90, stop = 130)
    strategy.exit("X1", "A", limit = 150)
    strategy.exit("X2", "A", loss = 10)
    strategy.exit("X3", "A", trail_points = 5, trail_offset = 1)
    strategy.exit("X4", "A", profit = 5, stop = 70)
    strategy.cancel("B")
if bar_index == 2
    strategy.close("A", qty = 1)
    strategy.close_all(comment = "out")
    strategy.cancel_all()`;

  it('are the calls of the script, in their order', () => {
    const bars = flat(100, 100, { open: 101, high: 103, low: 99, close: 102 });
    const { events } = run(CALLS, bars, { recordsOrders: true }).answer;
    const said = events.map(({ kind, id, direction, qty, order_type, limit, stop }) =>
      [kind, id, direction, qty, order_type, limit, stop].join(' '),
    );
    expect(said).toEqual([
      'entry A long  market  ',
      'entry B short 2 limit 120 ',
      'order C long 3 stop  130',
      'entry D long  stop_limit 90 130',
      'exit X1   limit 150 ',
      'exit X2   stop  ',
      'exit X3   trailing  ',
      'exit X4   bracket  70',
      'cancel B     ',
      'close A long 1 market  ',
      'close_all  long  market  ',
      'cancel      ',
    ]);
    expect(events[0]).toEqual({
      kind: 'entry',
      id: 'A',
      direction: 'long',
      qty: null,
      order_type: 'market',
      limit: null,
      stop: null,
      comment: 'why',
      bar_index: 1,
      bar_time: START_MS + DAY_MS,
      ohlc: { open: 100, high: 100, low: 100, close: 100 },
    });
    expect(events.at(-2)).toMatchObject({ comment: 'out', ohlc: { open: 101, high: 103, low: 99, close: 102 } });
  });

  it('are kept only where they are asked for, and do not change the trades', () => {
    const [with_, without] = [true, false].map((recordsOrders) => run(BODY, BARS, { recordsOrders }).answer);
    expect(without?.events).toEqual([]);
    expect(with_?.events).toHaveLength(3);
    expect(with_?.trades).toEqual(without?.trades);
  });

  it('are none before and after the range that is traded in', () => {
    const options = { tradeFromMs: START_MS + 2 * DAY_MS, tradeToMs: START_MS + 3 * DAY_MS, recordsOrders: true };
    const { events } = run('strategy.entry("L", strategy.long)', BARS, options).answer;
    expect(events.map(({ bar_index }) => bar_index)).toEqual([2]);
  });

  it('are the newest where there are too many', () => {
    const bars = flat(...Array.from({ length: MAX_EVENTS + 3 }, () => 100));
    const { events, metrics } = run('strategy.cancel(str.tostring(bar_index))', bars, { recordsOrders: true }).answer;
    expect(events).toHaveLength(MAX_EVENTS);
    expect([events[0]?.id, events.at(-1)?.id]).toEqual(['3', String(MAX_EVENTS + 2)]);
    expect(metrics.dropped_events).toBe(3);
  });
});

describe('trades as CSV', () => {
  const csv = (report: Parameters<typeof tradesCsv>[0]) => [...tradesCsv(report)].join('');

  it('are an entry and an exit a trade, an open one ending at the last close', () => {
    expect(csv(run(BODY, BARS).report).trim().split('\n')).toEqual([
      'trade,type,time,signal,price,qty,value,pnl,pnl_pct,runup,runup_pct,drawdown,drawdown_pct,cum_pnl,cum_pnl_pct',
      '1,Entry long,1704153600000,buy,100,10,1000,100,10,200,20,-100,-10,100,10',
      '1,Exit long,1704326400000,sell,110,10,1000,100,10,200,20,-100,-10,100,10',
      expect.stringMatching(/^2,Entry short,1704412800000,S,110,5,550,30,5\.45454545455,30,/),
      expect.stringMatching(/^2,Exit short,1704499200000,Open,104,5,550,30,5\.45454545455,30,.*,130,13$/),
    ]);
  });

  it('quote signals that have commas or quotes', () => {
    const body = 'if bar_index == 0\n    strategy.entry("a, \\"b\\"", strategy.long, 1)';
    expect(csv(run(body, BARS).report).split('\n')[1]).toContain(',"a, ""b""",');
  });

  it('are a head alone without trades', () => {
    expect(csv(run('plot(close)', BARS).report).trim().split('\n')).toHaveLength(1);
  });
});

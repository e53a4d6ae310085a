// What a live strategy tells of its fills: when each shows, what it says, and that ticks leave nothing behind.

import { describe, expect, test } from 'vitest';
import { type Bar, barColumns, compile, type LiveOptions, type LiveRun } from '../index.ts';

const HOUR_MS = 3_600_000;
const bar = (index: number, open: number, high = open, low = open, close = open): Bar => ({
  time: index * HOUR_MS,
  open,
  high,
  low,
  close,
  volume: 1,
});

function opened(body: string, options: LiveOptions = {}, declared = ''): LiveRun {
  const source = `//@version=6\nstrategy("S", margin_long = 0, margin_short = 0${declared})\n${body}\n`;
  const { program, diagnostics } = compile(source);
  if (program === null) throw new Error(JSON.stringify(diagnostics));
  const symbol = { ticker: 'BTCUSDT', mintick: 0.01 };
  return program.open(barColumns([bar(0, 100)]), { symbol, timeframe: '60', ...options });
}

const told = ({ fills }: ReturnType<LiveRun['close']>): unknown[] =>
  fills.map(({ id, direction, quantity, price, before, after }) => [id, direction * quantity, price, before, after]);

const ENTER = 'if bar_index == 1\n    strategy.entry("L", strategy.long, 2)';

describe('a market order of one bar', () => {
  test('fills at the first tick of the next, and every later tick of that bar shows the same fill', () => {
    const run = opened(ENTER);
    expect(told(run.close(bar(1, 100)))).toEqual([]);
    for (const tick of [bar(2, 103), bar(2, 103, 109, 101, 105)])
      expect(told(run.update(tick))).toEqual([['L', 2, 103, 0, 2]]);
    expect(told(run.close(bar(2, 103, 109, 99, 100)))).toEqual([['L', 2, 103, 0, 2]]);
    expect(told(run.update(bar(3, 90)))).toEqual([]);
  });

  test('fills at the close of its own bar under process_orders_on_close, and not on a tick before', () => {
    const run = opened(ENTER, {}, ', process_orders_on_close = true, calc_on_every_tick = true');
    expect(told(run.update(bar(1, 100, 101, 100, 101)))).toEqual([]);
    expect(told(run.close(bar(1, 100, 102, 100, 102)))).toEqual([['L', 2, 102, 0, 2]]);
  });

  test('that reverses is one fill, as large as both positions', () => {
    const run = opened(`${ENTER}\nif bar_index == 2\n    strategy.entry("S", strategy.short, 3)`);
    run.close(bar(1, 100));
    run.close(bar(2, 100));
    expect(told(run.update(bar(3, 101)))).toEqual([['S', -5, 101, 2, -3]]);
  });
});

describe('a bracket', () => {
  const bracket = `${ENTER}\n    strategy.exit("X", "L", stop = 95, limit = 120, alert_profit = "won {{strategy.order.price}}")`;

  test('goes with its entry as stop and limit, and fills when a tick reaches it', () => {
    const run = opened(bracket);
    run.close(bar(1, 100));
    expect(run.update(bar(2, 100)).fills[0]).toMatchObject({ stop: 95, limit: 120, kind: 'entry' });
    expect(told(run.update(bar(2, 100, 100, 94, 96))).at(-1)).toEqual(['X', -2, 95, 2, 0]);
    // The bar ends without having been so low: what a tick showed is gone.
    expect(told(run.close(bar(2, 100, 101, 96, 99)))).toHaveLength(1);
    const { fills, position, awaitsTicks } = run.update(bar(3, 121));
    expect(fills).toMatchObject([{ id: 'X', kind: 'exit', price: 121, message: 'won 121', stop: null }]);
    expect([position, awaitsTicks]).toEqual([0, false]);
  });

  test('of a part of the entry does not stand for the whole', () => {
    const run = opened(`${ENTER}\n    strategy.exit("X", "L", qty = 1, stop = 95)`);
    run.close(bar(1, 100));
    expect(run.update(bar(2, 100)).fills[0]).toMatchObject({ stop: null, limit: null });
  });
});

describe('the message of a fill', () => {
  const ALL =
    '{{strategy.order.action}} {{strategy.order.contracts}} {{strategy.order.price}} {{strategy.order.id}} ' +
    '{{strategy.order.comment}} [{{strategy.order.alert_message}}] {{strategy.position_size}} ' +
    '{{strategy.market_position}} {{strategy.market_position_size}} {{strategy.prev_market_position}} ' +
    '{{strategy.prev_market_position_size}} {{ticker}} {{close}} {{time}} {{interval}} {{strange}}';

  test('is the template where the call has none of its own, with every placeholder filled in', () => {
    const run = opened(ENTER, { orderMessage: ALL });
    run.close(bar(1, 100));
    const [fill] = run.update(bar(2, 100.5, 101, 100.5, 101)).fills;
    expect(fill?.message).toBe('buy 2 100.5 L L [] 2 long 2 flat 0 BTCUSDT 101 1970-01-01T02:00:00Z 60 {{strange}}');
  });

  test('names what strategy.close() and strategy.close_all() closed as TradingView does', () => {
    const names = '{{strategy.order.id}}|{{strategy.order.comment}}';
    for (const [call, id] of [
      ['close("L")', 'Close entry(s) order L'],
      ['close_all()', 'Close position order'],
    ]) {
      const closing = `${ENTER}\nif strategy.position_size == 2\n    strategy.${call}`;
      const run = opened(closing, { orderMessage: names });
      run.close(bar(1, 100));
      run.close(bar(2, 100));
      expect(run.update(bar(3, 100)).fills).toMatchObject([{ id, message: `${id}|${id}` }]);
    }
  });

  test('is the alert_message of the call where it has one', () => {
    const run = opened(ENTER.replace('2)', '2, alert_message = "go {{strategy.order.action}}")'), {
      orderMessage: ALL,
    });
    run.close(bar(1, 100));
    expect(run.update(bar(2, 100)).fills[0]?.message).toBe('go buy');
  });

  test('is what TradingView says where nobody has words for it', () => {
    const run = opened(ENTER);
    run.close(bar(1, 100));
    expect(run.update(bar(2, 100)).fills[0]?.message).toBe(
      'Order buy @ 2 filled on BTCUSDT. New strategy position is 2',
    );
  });
});

describe('the ticks of a strategy', () => {
  const counting = `varip ticks = 0\nticks += 1\nplot(ticks, "ticks")\nalert("now")`;

  test('do not run it, unless it says calc_on_every_tick', () => {
    const still = opened(counting);
    expect(still.update(bar(1, 100)).alerts).toEqual([]);
    expect(still.close(bar(1, 100)).values.get('ticks')).toBe(2);
    const busy = opened(counting, {}, ', calc_on_every_tick = true');
    expect(busy.update(bar(1, 100)).alerts).toMatchObject([{ message: 'now', site: 1 }]);
    expect(busy.close(bar(1, 100))).toMatchObject({ alerts: [], awaitsTicks: true });
  });

  test('run it where a fill makes it run', () => {
    const adding = `${ENTER}\nif strategy.position_size == 2\n    strategy.entry("M", strategy.long, 1)`;
    const run = opened(adding, {}, ', calc_on_order_fills = true, pyramiding = 2');
    run.close(bar(1, 100));
    expect(told(run.update(bar(2, 100)))).toEqual([
      ['L', 2, 100, 0, 2],
      ['M', 1, 100, 2, 3],
    ]);
  });
});

describe('an indicator awaits ticks', () => {
  const awaits = (body: string): boolean => {
    const { program } = compile(`//@version=6\nindicator("I")\n${body}\n`);
    return program?.open(barColumns([bar(0, 1)])).close(bar(1, 1)).awaitsTicks ?? false;
  };

  test.each([
    ['alert("x")', true],
    ['alert("x", alert.freq_all)', true],
    ['alert("x", alert.freq_once_per_bar)', true],
    ['alert("x", alert.freq_once_per_bar_close)', false],
    ['varip n = 0\nn += 1\nplot(n)', true],
    ['alertcondition(close > open)\nplot(close)', false],
  ])('%j: %s', (body, expected) => expect(awaits(body)).toBe(expected));
});

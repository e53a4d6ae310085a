// The page of a backtest: everything is in it, nothing of anybody's text can break out of it, and it stays small.

import { describe, expect, it } from 'vitest';
import type { RepaintCheck } from '../../library/repaint-check.ts';
import { barColumns, compile, strategyReport } from '../../pine/index.ts';
import { frameOf, line, roundValues } from './chart-frame.ts';
import { html } from './html.ts';
import { type Besides, reportPage } from './page.ts';

const DAY_MS = 86_400_000;
const bars = (count: number) =>
  barColumns(
    Array.from({ length: count }, (_, index) => {
      const close = 100 + 10 * Math.sin(index / 5);
      return { time: index * DAY_MS, open: close - 1, high: close + 2, low: close - 2, close, volume: 1 };
    }),
  );

function pageOf(count: number, body: string, title = 'T') {
  const { program, diagnostics } = compile(`//@version=6\nstrategy("${title}", initial_capital = 1000)\n${body}`);
  expect(diagnostics).toEqual([]);
  const columns = bars(count);
  const result = program!.run(columns, { symbol: { ticker: 'A<B' } });
  return reportPage(strategyReport(result, columns)!, columns);
}

const SWING = `if ta.crossover(close, ta.sma(close, 5))
    strategy.entry("L", strategy.long, 1)
if ta.crossunder(close, ta.sma(close, 5))
    strategy.entry("S", strategy.short, 1)`;

describe('the page', () => {
  it('has charts, months, figures and the list of trades', () => {
    const page = pageOf(400, SWING);
    for (const id of ['price', 'equity', 'drawdown']) expect(page).toContain(`id="${id}"`);
    expect(page).toContain('<th scope="row">1970</th>');
    expect(page).toContain('<th scope="row">1971</th>');
    for (const name of ['Net profit', 'Profit factor', 'Sharpe ratio', 'Margin calls']) expect(page).toContain(name);
    expect(page).toMatch(/<td class="short">short<\/td>/);
    expect(page).not.toMatch(/NaN|undefined|Infinity|\[object/);
  });

  it('lets no text of a script or a market become markup', () => {
    const evil = '<script>alert(1)</script>';
    const body = `if bar_index == 1\n    strategy.entry("${evil}", strategy.long, 1, comment = "</td>")\nif bar_index == 3\n    strategy.close_all(comment = "${evil}")`;
    const page = pageOf(10, body, evil);
    expect(page).not.toContain('<script>alert');
    expect(page).not.toContain('</td><br>');
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page).toContain('A&lt;B');
    expect(page.match(/<script/g)).toHaveLength(2);
  });

  it('of a strategy without trades says so', () => {
    const page = pageOf(5, 'plot(close)');
    expect(page).toContain('It made no trades.');
    expect(page).not.toMatch(/NaN|undefined|Infinity/);
  });

  it('of a single bar is whole', () => {
    expect(pageOf(1, 'plot(close)')).not.toMatch(/NaN|undefined|Infinity/);
  });

  it('lists the newest 2,000 trades, and stays below four megabytes whatever there was', () => {
    const often = `strategy.entry("L", strategy.long, 1)\nstrategy.close("L")`;
    const page = pageOf(30_000, often);
    const rows = page.match(/<td class="long">/g) ?? [];
    expect(rows).toHaveLength(2000);
    expect(page).toContain('The newest 2000 of');
    expect(page.length).toBeLessThan(4_000_000);
  });
});

describe('the badge', () => {
  const badgeOf = (repaint?: RepaintCheck) => {
    const columns = bars(3);
    const { program } = compile('//@version=6\nstrategy("T")\nplot(close)');
    const report = strategyReport(program!.run(columns), columns)!;
    return /<p class="badge[^>]*>[^<]*/.exec(reportPage(report, columns, repaint && { repaint }))?.[0];
  };

  it('says what the search for repainting came to', () => {
    expect(badgeOf({ kind: 'checked', compared: 1, lines: [] })).toBe(
      '<p class="badge none_found">no repainting found over 1 cut',
    );
    expect(badgeOf({ kind: 'checked', compared: 9, lines: [3] })).toBe(
      '<p class="badge repaints">repaints: look at line 3',
    );
    expect(badgeOf({ kind: 'checked', compared: 9, lines: [3, 7] })).toContain('repaints: look at lines 3, 7');
    expect(badgeOf({ kind: 'not-checked', reason: '<b>' })).toBe('<p class="badge not_checked">not checked: &lt;b&gt;');
    expect(badgeOf()).toContain('not checked: nobody asked for it');
  });
});

describe('how it was run', () => {
  const warning = { line: 2, column: 1, endLine: 2, endColumn: 9, severity: 'warning', code: 'PE404' } as const;
  const declared = (more: string): string => `//@version=6\nstrategy("T", initial_capital = 1000${more})\n`;
  const open = (more: string, body: string, inputs: Record<string, unknown> = {}, besides: Besides = {}): string => {
    const columns = bars(10);
    const { program } = compile(declared(more) + body);
    const result = program!.run(columns, { symbol: { ticker: 'ABC' }, timeframe: '1D', inputs });
    return reportPage(strategyReport(result, columns)!, columns, besides);
  };
  const row = (page: string, name: string): string | undefined =>
    new RegExp(`<th scope="row">${name}</th><td>([^<]*)</td>`).exec(page.slice(page.indexOf('<h2>How')))?.[1];

  it.each([
    ['', 'Initial capital', '1,000.00 USD'],
    ['', 'Commission', 'none'],
    [', commission_value = 0.05', 'Commission', '0.05 % of each order'],
    [
      ', commission_type = strategy.commission.cash_per_contract, commission_value = 2',
      'Commission',
      '2 USD a contract',
    ],
    [', commission_type = strategy.commission.cash_per_order, commission_value = 2', 'Commission', '2 USD an order'],
    ['', 'Slippage', 'none'],
    [', slippage = 1', 'Slippage', '1 tick'],
    [', slippage = 3', 'Slippage', '3 ticks'],
    ['', 'Order size', '1 contract, where an order names none'],
    [', default_qty_value = 2', 'Order size', '2 contracts, where an order names none'],
    [
      ', default_qty_type = strategy.percent_of_equity, default_qty_value = 10',
      'Order size',
      '10.00 % of equity, where an order names none',
    ],
    [
      ', default_qty_type = strategy.cash, default_qty_value = 250',
      'Order size',
      '250.00 USD, where an order names none',
    ],
    ['', 'Pyramiding', '1 entry a side'],
    [', pyramiding = 3', 'Pyramiding', '3 entries a side'],
    ['', 'Margin', '100 %'],
    [', margin_long = 0, margin_short = 50', 'Margin', 'long none, short 50 %'],
    [', backtest_fill_limits_assumption = 2', 'Limits fill', 'when the price has passed them by 2 ticks'],
    ['', 'Market orders', 'at the open of the next bar'],
    [
      ', process_orders_on_close = true, calc_on_order_fills = true',
      'Market orders',
      'at the close of their own bar, and the script runs again after each fill',
    ],
    ['', 'Symbol', 'ABC'],
    ['', 'Timeframe', '1D'],
    ['', 'Bars', '10, 1970-01-01 00:00 to 1970-01-10 00:00 UTC'],
    ['', 'Traded', '1970-01-01 00:00 to 1970-01-10 00:00 UTC'],
    ['', 'Prices', 'bars of a file'],
  ])('of strategy(…%s) says under %s: %s', (more, name, words) => {
    expect(row(open(more, 'plot(close)'), name)).toBe(words);
  });

  it('has every input with its value, and what the script has where that was changed', () => {
    const body =
      'a = input.int(5, "Length")\nb = input.string("<i>", "Kind")\nc = input.source(close, "From")\nplot(c + a)';
    const page = open('', body, { Length: '7' });
    expect(row(page, 'Length')).toBe('7 (the script has 5)');
    expect(row(page, 'Kind')).toBe('&lt;i&gt;');
    expect(row(page, 'From')).toBe('close');
    expect(open('', 'plot(close)')).not.toContain('<h2>Inputs');
  });

  it('begins with what the run and the compiler warn of', () => {
    const message = 'Orders were <not> filled.';
    const page = open('', 'plot(close)', {}, { warnings: [{ ...warning, message, remedy: 'Pay.' }] });
    expect(page).toContain('<b>Orders were &lt;not&gt; filled.</b> Pay. <small>PE404, line 2</small>');
    expect(page.indexOf('PE404')).toBeLessThan(page.indexOf('class="cards"'));
    expect(open('', 'plot(close)')).not.toContain('class="warnings"');
  });
});

describe('markup', () => {
  it('escapes what it is given, but for markup', () => {
    const inner = html`<b>${'&"\'<>'}</b>`;
    expect(html`${inner}${[inner]}${3}`.html).toBe(`${inner.html.repeat(2)}3`);
    expect(inner.html).toBe('<b>&amp;&quot;&#39;&lt;&gt;</b>');
  });

  it('leaves no signs in that turn text around', () => {
    expect(html`${'a\u202eb\u0007c'}`.html).toBe('a·b·c');
  });
});

describe('the frame of a chart', () => {
  it('has each bar in the middle of its share, and every value inside', () => {
    const frame = frameOf({ from: 10, to: 14, low: 50, high: 150 });
    expect([10, 13].map(frame.x)).toEqual([125, 875]);
    expect(frame.y(150)).toBeGreaterThan(0);
    expect(frame.y(50)).toBeLessThan(300);
    expect(frame.y(100)).toBe(150);
  });

  it('of equal values has room around them', () => {
    for (const value of [0, 7, -7]) expect(frameOf({ from: 0, to: 1, low: value, high: value }).y(value)).toBe(150);
  });

  it.each([
    [0, 100, [0, 25, 50, 75, 100]],
    [-1, 1, [-1, -0.5, 0, 0.5, 1]],
    [67800, 70400, [68000, 69000, 70000]],
    [0.00012, 0.00019, [0.00012, 0.00014, 0.00016, 0.00018]],
    [5, 5, []],
    [Number.NaN, 1, []],
    [0, Number.POSITIVE_INFINITY, []],
  ])('has round values between %d and %d', (low, high, values) => {
    expect(roundValues(low, high)).toEqual(values);
  });

  it('draws no line where there is no value', () => {
    expect(
      line([
        [0, 1],
        [1, 2],
        [2, Number.NaN],
        [3, 4],
      ]),
    ).toBe('M0 1L1 2M3 4');
  });
});

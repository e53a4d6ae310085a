// Everything a strategy made as one HTML page that stands alone: it asks nobody for anything, today and in ten years.

import { type RepaintCheck, repaintAnswer, repaintWords } from '../../library/repaint-check.ts';
import type { ScriptDiagnostic } from '../../library/script-runner.ts';
import type { BarColumns } from '../../pine/index.ts';
import type { StrategyReport } from '../../pine/light.ts';
import { equityDrawdown, money, percent } from '../backtest-figures.ts';
import { priceSourceWords } from '../price-source-words.ts';
import { momentOf } from './chart-frame.ts';
import { barAt, equityCharts } from './equity-chart.ts';
import { html, type Markup, own } from './html.ts';
import { monthTable } from './month-table.ts';
import { PAGE_SCRIPT } from './page-script.ts';
import { type BarRange, priceChart } from './price-chart.ts';
import { runTables, warningList } from './run-tables.ts';
import { STYLE } from './style.ts';
import { figureTables, tradeTable } from './tables.ts';

/** No address is allowed at all: what is not in the page cannot be in it. */
export const POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";
/** Bars that the pointer can find: as many as a chart made sixteen times as wide has to show. */
const MAX_CURSOR_BARS = 6_400;

/** What stands on the page besides the report itself. */
export interface Besides {
  readonly repaint?: RepaintCheck;
  /** Where the prices come from; undefined for bars of a file. */
  readonly priceSource?: string | undefined;
  /** What the compiler and the run have to say of it. */
  readonly warnings?: readonly ScriptDiagnostic[];
}

export function reportPage(report: StrategyReport, bars: BarColumns, besides: Besides = {}): string {
  const { repaint, priceSource, warnings = [] } = besides;
  const { title, symbol, timeframe, fromMs, toMs } = report;
  const range = { from: Number.isNaN(fromMs) ? bars.count : barAt(bars, fromMs), to: bars.count };
  const market = [symbol, `timeframe ${timeframe}`, `${momentOf(fromMs)} to ${momentOf(toMs)} UTC`];
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${own(POLICY)}"><title>${title}: backtest</title>
<style>${own(STYLE)}</style></head><body>
<header><h1>${title}</h1><p class="about">${market.filter((part) => part !== '').join(' · ')}</p>${priceBadge(priceSource)}${badgeOf(repaint)}</header>
${warningList(warnings)}<div class="cards">${cardsOf(report)}</div>
${range.to > range.from ? chartsOf(report, bars, range) : html`<p class="note">No bar is in the range that it may trade in.</p>`}
<h2>Returns by month, in percent</h2>
${monthTable(report)}
<div class="figures-grid">${figureTables(report)}</div>
${runTables(report, bars, priceSource)}
<h2>List of trades</h2>
${tradeTable(report)}
<p class="note">Money in ${report.currency}. Made by Signalbox. A backtest shows what would have been, not what will be.</p>
</body></html>
`.html;
}

/** Made-up prices are as red as repainting: both make the rest of the page worthless as a forecast. */
export function priceBadge(priceSource: string | undefined): Markup {
  const words = priceSourceWords(priceSource);
  if (words === undefined) return html``;
  return priceSource === 'simulated'
    ? html`<p class="badge simulated">${words}</p> `
    : html`<p class="badge">prices ${words}</p> `;
}

/** Whether what the page shows could be seen at the time. */
function badgeOf(repaint: RepaintCheck | undefined): Markup {
  const { status } = repaintAnswer(repaint);
  return html`<p class="badge ${own(status)}">${repaintWords(repaint)}</p>`;
}

function chartsOf(report: StrategyReport, bars: BarColumns, range: BarRange): Markup {
  const data = JSON.stringify(cursorData(report, bars, range)).replaceAll('<', '\\u003c');
  return html`${priceChart(report, bars, range)}${equityCharts(report, bars, range)}
<script type="application/json" id="data">${own(data)}</script><script>${own(PAGE_SCRIPT)}</script>`;
}

function cardsOf(report: StrategyReport): Markup[] {
  const { all, account, currency } = report;
  const curve = equityDrawdown(report);
  const { intrabar, ratios, buyAndHoldPercent } = account;
  const card = (name: string, value: string, below: string, tint = ''): Markup =>
    html`<div><span>${name}</span><b class="${own(tint)}">${value}</b><small>${below}</small></div>`;
  const ratio = (value: number): string => (Number.isFinite(value) ? value.toFixed(2) : '-');
  const { netProfit } = all;
  return [
    card(
      'Net profit',
      money(netProfit),
      `${currency}, ${percent(all.netProfitPercent)}`,
      netProfit < 0 ? 'lost' : 'won',
    ),
    card(
      'Drawdown (from closed trades)',
      money(intrabar.maxDrawdown),
      `${currency}, ${percent(intrabar.maxDrawdownPercent)}`,
    ),
    card('Drawdown (equity curve)', money(curve.amount), `${currency}, ${percent(curve.percent)}`),
    card('Trades', all.totalTrades.toLocaleString('en-US'), `${percent(all.percentProfitable)} profitable`),
    card('Profit factor', ratio(all.profitFactor), `average trade ${money(all.avgTrade)}`),
    card('Sharpe', ratio(ratios.sharpe), `Sortino ${ratio(ratios.sortino)}`),
    card('Buy and hold', percent(buyAndHoldPercent), `strategy ${percent(all.netProfitPercent)}`),
  ];
}

function extreme(column: Float64Array, from: number, to: number, choose: (a: number, b: number) => number): number {
  let found = column[from]!;
  for (let bar = from + 1; bar < to; bar += 1) found = choose(found, column[bar]!);
  return found;
}

function cursorData({ equity }: StrategyReport, bars: BarColumns, { from, to }: BarRange) {
  const step = Math.max(1, Math.ceil((to - from) / MAX_CURSOR_BARS));
  const shown = Array.from({ length: Math.ceil((to - from) / step) }, (_, index) => from + index * step);
  const cents = (value: number): number => Math.round(value * 1e4) / 1e4;
  return {
    bars: shown,
    times: shown.map((bar) => bars.time[bar]!),
    closes: shown.map((bar) => bars.close[bar]!),
    lows: shown.map((bar) => extreme(bars.low, bar, Math.min(bar + step, to), Math.min)),
    highs: shown.map((bar) => extreme(bars.high, bar, Math.min(bar + step, to), Math.max)),
    points: equity.map(({ timeMs }) => barAt(bars, timeMs)),
    pointTimes: equity.map(({ timeMs }) => timeMs),
    equity: equity.map((point) => cents(point.equity)),
    drawdowns: equity.map(({ drawdownPercent }) => cents(drawdownPercent || 0)),
  };
}

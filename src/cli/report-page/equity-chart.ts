// The equity of the account, and below it how far it stood under its highest.

import type { BarColumns } from '../../pine/index.ts';
import type { StrategyReport } from '../../pine/light.ts';
import { money, percent } from '../backtest-figures.ts';
import { chartOf, frameOf, HEIGHT, line } from './chart-frame.ts';
import { html, type Markup, own } from './html.ts';
import type { BarRange } from './price-chart.ts';

type Point = StrategyReport['equity'][number];

/** Where a bar with this time stands. */
export function barAt({ time, count }: BarColumns, timeMs: number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (time[middle]! < timeMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** `place` gives the bar of each point. */
export function equityCharts({ equity, initialCapital }: StrategyReport, bars: BarColumns, range: BarRange): Markup {
  const places = equity.map(({ timeMs }) => barAt(bars, timeMs));
  const values = equity.map((point) => point.equity);
  const low = values.reduce((least, value) => Math.min(least, value), initialCapital);
  const high = values.reduce((most, value) => Math.max(most, value), initialCapital);
  const frame = frameOf({ ...range, low, high });
  const path = (of: (point: Point) => number) => line(equity.map((point, i) => [frame.x(places[i]!), of(point)]));
  const upper = path((point) => frame.y(point.equity));
  return html`${chartOf({
    id: 'equity',
    title: 'Equity',
    frame,
    times: bars.time,
    label: money,
    drawing: [
      html`<path class="capital" d="M0 ${frame.y(initialCapital)}H1000"/>`,
      html`<path class="equity" d="${own(upper)}"/>`,
    ],
    legend: [html`<i class="stroke"></i>at each close`],
  })}${drawdownChart(equity, places, bars, range)}`;
}

function drawdownChart(equity: readonly Point[], places: readonly number[], bars: BarColumns, range: BarRange): Markup {
  const deepest = equity.reduce((most, { drawdownPercent }) => Math.max(most, drawdownPercent || 0), 0);
  const frame = frameOf({ ...range, low: -deepest, high: 0 });
  const top = frame.y(0);
  const lower = line(equity.map(({ drawdownPercent }, i) => [frame.x(places[i]!), frame.y(-(drawdownPercent || 0))]));
  const [first = range.from, last = range.from] = [places[0], places.at(-1)];
  const area = lower === '' ? '' : `M${frame.x(first)} ${top}L${lower.slice(1)}L${frame.x(last)} ${top}Z`;
  return chartOf({
    id: 'drawdown',
    title: 'Drawdown (equity curve)',
    frame,
    times: bars.time,
    label: (value) => percent(value),
    drawing: [
      html`<path class="drawdown" d="${own(area)}"/>`,
      html`<path class="capital" d="M0 ${top}H${HEIGHT * 4}"/>`,
    ],
    legend: [html`<small>below the highest close so far</small>`],
    isLow: true,
  });
}

// The price as candles, with the fills of a backtest and those of the venue beside each other, and what lies between them.

import type { ComparedFill } from '../../library/live-comparison/compared-fill.ts';
import type { BarColumns } from '../../pine/index.ts';
import { plain } from '../backtest-figures.ts';
import { chartOf, type Frame, frameOf } from './chart-frame.ts';
import { barAt } from './equity-chart.ts';
import { html, type Markup, own } from './html.ts';
import { candleDrawing, candlesOf } from './price-chart.ts';

/** A page with more takes long to draw; the newest are. */
const MAX_DRAWN = 5_000;

export function fillChart(fills: readonly ComparedFill[], bars: BarColumns): Markup {
  const range = { from: 0, to: bars.count };
  const drawn = fills.slice(-MAX_DRAWN);
  const prices = drawn.flatMap(({ expected, live }) =>
    [expected?.price, live?.price].filter((price) => price !== undefined),
  );
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const price of prices) [low, high] = [Math.min(low, price), Math.max(high, price)];
  const candles = candlesOf(bars, range);
  for (const candle of candles) [low, high] = [Math.min(low, candle.low), Math.max(high, candle.high)];
  const frame = frameOf({ ...range, low, high });
  return chartOf({
    ...{ id: 'price', title: 'Price and fills', frame, times: bars.time, label: plain, isZoomed: true },
    drawing: [...candleDrawing(candles, frame), html`<g class="few">${fillDrawing(drawn, bars, frame)}</g>`],
    legend: [
      html`<i class="dot long"></i>backtest bought <i class="dot short"></i>backtest sold <i class="dot live"></i>filled live `,
      fills.length > drawn.length ? html`<small>the newest ${drawn.length} of ${fills.length} fills</small>` : html``,
    ],
  });
}

/** Dots are lines without length and with round ends, as on the page of a backtest. */
function fillDrawing(fills: readonly ComparedFill[], bars: BarColumns, { x, y }: Frame): Markup[] {
  const dots = { long: '', short: '', live: '' };
  let between = '';
  for (const { expected, live, barTimeMs } of fills) {
    const at = x(barAt(bars, barTimeMs));
    // The bar that was forming at the time of the fill is the last that had begun.
    const liveAt = live === null ? at : x(Math.max(0, barAt(bars, live.atMs + 1) - 1));
    if (expected !== null) dots[expected.side === 'buy' ? 'long' : 'short'] += `M${at} ${y(expected.price)}h0`;
    if (live !== null) dots.live += `M${liveAt} ${y(live.price)}h0`;
    if (expected !== null && live !== null) between += `M${at} ${y(expected.price)}L${liveAt} ${y(live.price)}`;
  }
  return [
    html`<path class="trade between" d="${own(between)}"/>`,
    ...Object.entries(dots).map(([name, d]) => html`<path class="dots ${name}" d="${own(d)}"/>`),
  ];
}

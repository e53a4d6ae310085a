// The price as candles, with a line from the entry to the exit of every trade.

import type { BarColumns } from '../../pine/index.ts';
import type { StrategyReport } from '../../pine/light.ts';
import { plain } from '../backtest-figures.ts';
import { chartOf, type Frame, frameOf } from './chart-frame.ts';
import { html, type Markup, own } from './html.ts';

type Trade = StrategyReport['trades'][number];

/** More would stand closer than a screen can show, however wide the chart is made; several bars share a candle then. */
const MAX_CANDLES = 6_400;
/** From here on trades are drawn thinner. */
const MANY_TRADES = 150;
/** The newest; a page with more takes long to draw and shows nothing but ink. */
const MAX_DRAWN_TRADES = 5_000;

export interface BarRange {
  readonly from: number;
  readonly to: number;
}

interface Candle {
  readonly from: number;
  readonly to: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

export function priceChart({ trades }: StrategyReport, bars: BarColumns, range: BarRange): Markup {
  const candles = candlesOf(bars, range);
  const drawn = trades.slice(-MAX_DRAWN_TRADES);
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const candle of candles) {
    low = Math.min(low, candle.low);
    high = Math.max(high, candle.high);
  }
  const frame = frameOf({ ...range, low, high });
  const left = trades.length - drawn.length;
  const note = left > 0 ? html`<small>the newest ${drawn.length} of ${trades.length} trades</small>` : html``;
  return chartOf({
    id: 'price',
    title: 'Price and trades',
    frame,
    times: bars.time,
    label: plain,
    drawing: [
      ...candleDrawing(candles, frame),
      html`<g class="${drawn.length > MANY_TRADES ? 'many' : 'few'}">${tradeDrawing(drawn, frame, bars.close[range.to - 1]!)}</g>`,
    ],
    isZoomed: true,
    legend: [
      html`<i class="dot long"></i>long entry <i class="dot short"></i>short entry <i class="dot exit"></i>exit `,
      note,
    ],
  });
}

export function candlesOf({ open, high, low, close }: BarColumns, { from, to }: BarRange): Candle[] {
  const count = Math.min(MAX_CANDLES, to - from);
  return Array.from({ length: count }, (_, index) => {
    const first = from + Math.floor((index * (to - from)) / count);
    const end = from + Math.floor(((index + 1) * (to - from)) / count);
    let [top, bottom] = [high[first]!, low[first]!];
    for (let bar = first + 1; bar < end; bar += 1) {
      top = Math.max(top, high[bar]!);
      bottom = Math.min(bottom, low[bar]!);
    }
    return { from: first, to: end, open: open[first]!, high: top, low: bottom, close: close[end - 1]! };
  });
}

export function candleDrawing(candles: readonly Candle[], { x, y }: Frame): Markup[] {
  const paths = { up: '', down: '' };
  let wicks = '';
  for (const { from, to, open, high, low, close } of candles) {
    const [left, right] = [x(from - 0.3), x(to - 0.7)];
    wicks += `M${(left + right) / 2} ${y(high)}V${y(low)}`;
    paths[close >= open ? 'up' : 'down'] += `M${left} ${y(open)}H${right}V${y(close)}H${left}Z`;
  }
  return [
    html`<path class="wick" d="${own(wicks)}"/>`,
    html`<path class="body up" d="${own(paths.up)}"/><path class="body down" d="${own(paths.down)}"/>`,
  ];
}

/** Dots are lines without length and with round ends: those stay round however the drawing is stretched. */
function tradeDrawing(trades: readonly Trade[], { x, y, to }: Frame, lastClose: number): Markup[] {
  const lines = { won: '', lost: '' };
  const dots = { long: '', short: '', exit: '' };
  for (const { direction, entryBar, entryPrice, exit, profit } of trades) {
    const [fromX, fromY] = [x(entryBar), y(entryPrice)];
    const [toX, toY] = [x(exit?.bar ?? to - 1), y(exit?.price ?? lastClose)];
    lines[profit < 0 ? 'lost' : 'won'] += `M${fromX} ${fromY}L${toX} ${toY}`;
    dots[direction] += `M${fromX} ${fromY}h0`;
    if (exit !== null) dots.exit += `M${toX} ${toY}h0`;
  }
  return [
    ...Object.entries(lines).map(([name, d]) => html`<path class="trade ${name}" d="${own(d)}"/>`),
    ...Object.entries(dots).map(([name, d]) => html`<path class="dots ${name}" d="${own(d)}"/>`),
  ];
}

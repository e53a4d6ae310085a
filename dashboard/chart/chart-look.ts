// The look of the library's own parts, from the tokens of the page, and bars as it wants them.

import type { UTCTimestamp } from 'lightweight-charts';
import { type Contents, faded, isInvisible, paintedBars, Slots, visible } from '../../src/chart/painting.ts';
import type { BarColumns } from '../../src/pine/light.ts';
import type { ChartTheme } from './chart-theme.ts';

/** How much of its color a column of volume has. */
const VOLUME_COLOR_SHARE = 0.35;

export const chartLook = ({ css, font }: ChartTheme) => ({
  layout: {
    background: { color: css.surface },
    textColor: css['ink-2'],
    fontFamily: font,
    fontSize: 11,
    // The page has lines of its own between them, which keys can move too.
    panes: { separatorColor: css.line, enableResize: false },
  },
  grid: { vertLines: { color: css.sunken }, horzLines: { color: css.sunken } },
  crosshair: {
    // Free of the bars: prices between them are looked at too.
    mode: 0,
    vertLine: { color: css['ink-3'], labelBackgroundColor: css['ink-2'] },
    horzLine: { color: css['ink-3'], labelBackgroundColor: css['ink-2'] },
  },
  rightPriceScale: { borderColor: css.line },
  timeScale: { borderColor: css.line },
});

export const candleLook = ({ css: { up, down } }: ChartTheme) => ({
  ...{ upColor: up, downColor: down, wickUpColor: up, wickDownColor: down, borderVisible: false },
});

export const seconds = (ms: number): UTCTimestamp => (ms / 1000) as UTCTimestamp;
const cssColor = (color: number): string => `#${color.toString(16).padStart(8, '0')}`;

export function candleOf({ time, open, high, low, close }: BarColumns, i: number, color?: string) {
  const candle = { time: seconds(time[i]!), open: open[i]!, high: high[i]!, low: low[i]!, close: close[i]! };
  return color === undefined ? candle : { ...candle, color, wickColor: color, borderColor: color };
}

export function volumeOf({ time, volume, open, close }: BarColumns, i: number, { painting }: ChartTheme) {
  const color = cssColor(faded(close[i]! >= open[i]! ? painting.up : painting.down, VOLUME_COLOR_SHARE));
  return { time: seconds(time[i]!), value: volume[i] || 0, color };
}

/** What barcolor() of these scripts says from a bar on, the last script first; undefined where none colors a bar. */
export function barColorsOf(
  coloring: readonly Contents[],
  count: number,
  from: number,
  { painting }: ChartTheme,
): readonly (string | undefined)[] {
  const slots = Slots.inView({ bars: count, from, to: count, xOfFirst: 0, pxPerBar: 1 });
  const colors = new Array<string | undefined>(Math.max(count - from, 0)).fill(undefined);
  for (const contents of coloring)
    for (const [i, color] of paintedBars({ slots, contents }).entries())
      if (!isInvisible(color)) colors[i] = cssColor(visible(color, painting));
  return colors;
}

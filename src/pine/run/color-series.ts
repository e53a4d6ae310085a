// Fills, backgrounds and colored bars as series: a color text, or null, for each bar of the chart.

import { fromGradient } from '../values/colors.ts';
import { parseColor } from '../values/index.ts';
import type { RunResult } from './result.ts';
import { colorText, type PlotMeta } from './result-meta.ts';

export type Colors = readonly (string | null)[];

/**
 * By title, in the order of the script. Charting clients find everything they draw among the series, so what has no
 * numbers stands there with its colors. Titles are unique among all outputs, so that no series of numbers is hidden.
 */
export function colorSeries({ plotMeta, count, leftOut }: RunResult): Map<string, Colors> {
  const series = new Map<string, Colors>();
  for (const meta of plotMeta.values()) {
    if (meta.series.length > 0) continue;
    const isGradient = meta.settings.top_color !== undefined;
    series.set(meta.title, isGradient ? middleColors(meta, count, leftOut) : colorsOf(meta, 'color', count, leftOut));
  }
  return series;
}

/** A color that stays the same is a setting; the bars before the script's first have none. */
function colorsOf({ settings, columns }: PlotMeta, parameter: string, count: number, leftOut: number): Colors {
  const column = columns[parameter];
  if (column !== undefined) return colorTexts(column);
  return new Array<string | null>(count).fill(settings[parameter] as string | null).fill(null, 0, leftOut);
}

/** One color cannot show a gradient: it is the one in the middle between top and bottom. */
function middleColors({ settings, columns }: PlotMeta, count: number, leftOut: number): Colors {
  const colorAt = (parameter: string, bar: number): number | null => {
    const color = columns[parameter]?.[bar] ?? colorNumber(settings[parameter]);
    return Number.isNaN(color) ? null : color;
  };
  const middles = new Float64Array(count).fill(Number.NaN);
  for (let bar = leftOut; bar < count; bar += 1)
    middles[bar] = fromGradient(0.5, 0, 1, colorAt('bottom_color', bar), colorAt('top_color', bar)) ?? Number.NaN;
  return colorTexts(middles);
}

const colorNumber = (text: unknown): number => (typeof text === 'string' ? parseColor(text) : Number.NaN);

/** A script uses a handful of colors on many bars, so that their texts are made once. */
export function colorTexts(column: Float64Array): Colors {
  const texts = new Map<number, string | null>();
  const list: (string | null)[] = new Array(column.length);
  for (let i = 0; i < column.length; i += 1) {
    const color = column[i] as number;
    let text = texts.get(color);
    if (text === undefined) {
      text = colorText(color);
      texts.set(color, text);
    }
    list[i] = text;
  }
  return list;
}

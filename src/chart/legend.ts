// Names and last values: the head of the chart, and a line at the top of each pane.

import { SMALL, TITLE } from './fonts.ts';
import type { Strip } from './layout.ts';
import type { PaneContent } from './model.ts';
import { decimalsOfPrices, priceText, valueText } from './numbers.ts';
import type { Pane, Scene } from './scene.ts';
import { capHeight, drawText, fitText, textWidth } from './text.ts';
import { legible } from './theme.ts';
import { spanText } from './time-ticks.ts';

const MARGIN_PX = 8;
const GAP_PX = 10;

interface Words {
  readonly text: string;
  readonly color: number;
}

/** Words one after another, each whole or not at all; the first may be shortened. Returns where they end. */
function drawWords({ canvas }: Scene, words: readonly Words[], x: number, y: number, right: number): number {
  let pen = x;
  for (const [i, { text, color }] of words.entries()) {
    const fitting = i === 0 ? fitText(text, right - pen) : text;
    if (pen + textWidth(fitting) > right) break;
    drawText(canvas, fitting, pen, y, color);
    pen += textWidth(fitting) + GAP_PX;
  }
  return pen;
}

/** The title with the timeframe, the last bar's prices, and the time from the first bar to the last. */
export function drawHead(scene: Scene, { top, bottom }: Strip, title: string, timeframe: string): void {
  const { canvas, theme, bars } = scene;
  const right = canvas.width - MARGIN_PX;
  const middle = (top + bottom) / 2;
  const name = fitText(title, right - MARGIN_PX, TITLE);
  drawText(canvas, name, MARGIN_PX, middle - capHeight(TITLE) / 2, theme.ink, TITLE);
  const y = Math.ceil(middle - capHeight(SMALL) / 2) + 1;
  const start = MARGIN_PX + textWidth(name, TITLE) + GAP_PX + 4;
  const words = [{ text: timeframe, color: theme.faint }, ...lastBar(scene)].filter(({ text }) => text !== '');
  const end = drawWords(scene, words, start, y, right);
  const span = spanText(bars.time, bars.count);
  const x = right - textWidth(span);
  if (x >= end + GAP_PX) drawText(canvas, span, x, y, theme.faint);
}

function lastBar({ bars, theme }: Scene): Words[] {
  const last = bars.count - 1;
  if (last < 0) return [{ text: 'no bars', color: theme.faint }];
  const decimals = decimalsOfPrices(bars.close, bars.count);
  const color = bars.close[last]! >= bars.open[last]! ? theme.up : theme.down;
  const columns = { O: bars.open, H: bars.high, L: bars.low, C: bars.close };
  return Object.entries(columns).map(([letter, column]) => ({
    text: `${letter} ${priceText(column[last]!, decimals)}`,
    color: legible(color, theme),
  }));
}

interface LegendNames {
  readonly shortTitle: string;
  /** Decimals, or null for as many as a value needs. */
  readonly precision: number | null;
}

/** The script's name and each plot's value on the last bar, `na` where it has none there, in its color. */
export function drawLegend(scene: Scene, pane: Pane, { shortTitle, precision }: LegendNames): void {
  if (pane.legendHeight === 0) return;
  const { theme, slots } = scene;
  const values = pane.content.outputs.flatMap((output): Words[] => {
    if (!output.isInLegend) return [];
    // Of the last bar alone: an older value must not be taken for the current one.
    const value = output.series[0]?.at(-1) ?? Number.NaN;
    const color = output.colors('color', slots).findLast((each) => !Number.isNaN(each)) ?? Number.NaN;
    return [{ text: `${output.title} ${valueText(value, precision)}`, color: legible(color, theme) }];
  });
  const y = pane.box.top + Math.round((pane.legendHeight - capHeight(SMALL)) / 2) + 1;
  drawWords(scene, [{ text: shortTitle, color: theme.faint }, ...values], MARGIN_PX, y, pane.box.right - MARGIN_PX);
}

/** Whether a pane has anything to say in its legend. */
export const hasLegend = ({ outputs }: PaneContent): boolean => outputs.some((output) => output.kind !== 'barcolor');

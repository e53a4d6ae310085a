// What a script says on one pane, painted by the same rules as the pictures of the server.

import {
  Canvas,
  type Contents,
  type Context2D,
  futureBarsOf,
  type PaneContent,
  paintBehind,
  paintInFront,
  type Theme,
} from '../../src/chart/painting.ts';
import type { BarColumns } from '../../src/pine/light.ts';
import { paneOf, type Sight, shifted, slotsOf } from './sight.ts';

export interface ScriptPicture {
  readonly contents: Contents;
  /** Those the script ran over. */
  readonly bars: BarColumns;
  readonly futureBars: number;
  /** So many bars were put before those since it ran. */
  readonly shift: number;
}

export const pictureOf = (contents: Contents, bars: BarColumns): ScriptPicture => ({
  ...{ contents, bars, futureBars: futureBarsOf(contents, bars), shift: 0 },
});

/** Lines of names and values that the page lays over the top of a pane: nothing is put under them. */
const LEGEND_LINE_PX = 20;
const LEGEND_PADDING_PX = 6;

const PARTS = { behind: paintBehind, front: paintInFront };

export interface PaintOptions {
  readonly place: 'price' | 'below';
  readonly part: keyof typeof PARTS;
  readonly theme: Theme;
  readonly legendLines: number;
}

/** Paints one part of a script onto a pane. */
export function paintScript(
  context: Context2D,
  chartSight: Sight,
  { contents, bars, futureBars, shift }: ScriptPicture,
  { place, part, theme, legendLines }: PaintOptions,
): void {
  const sight = shifted(chartSight, shift);
  const canvas = new Canvas(context, sight.width, sight.height);
  const slots = slotsOf(sight, bars.count + futureBars);
  const legendHeight = LEGEND_PADDING_PX + legendLines * LEGEND_LINE_PX;
  const pane = paneOf(sight, contents[place], place === 'price', legendHeight);
  canvas.clipped(pane.box, () => PARTS[part]({ canvas, theme, bars, slots, contents }, pane));
}

export const isEmpty = ({ outputs, drawings }: PaneContent): boolean => outputs.length === 0 && drawings.length === 0;

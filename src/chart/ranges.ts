// Which values each pane must show.

import { isInvisible } from './colors.ts';
import type { ChartModel, Output, PaneContent } from './model.ts';
import { Range } from './value-scale.ts';

/** How far levels may widen the pane of the bars, as a share of its range: a level at 0 must not flatten the bars. */
const LEVEL_SHARE = 0.5;

export function priceRange({ bars, options }: ChartModel, content: PaneContent): Range {
  const range = new Range();
  const { open, high, low, close, count } = bars;
  for (const column of options.type === 'line' ? [close] : [open, high, low, close])
    range.addAll(column.subarray(0, count));
  for (const output of content.outputs) addOutput(range, output);
  const reach = (range.max - range.min) * LEVEL_SHARE;
  const [lowest, highest] = range.isEmpty
    ? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
    : [range.min - reach, range.max + reach];
  for (const level of levelsOf(content)) if (level >= lowest && level <= highest) range.add(level);
  return range;
}

export function belowRange(content: PaneContent): Range {
  const range = new Range();
  for (const output of content.outputs) {
    addOutput(range, output);
    const style = output.text('style');
    // Columns stand on their base, and a column without its foot says nothing.
    if (output.kind === 'plot' && (style === 'histogram' || style === 'columns'))
      range.add(output.number('histbase', 0));
  }
  for (const level of levelsOf(content)) range.add(level);
  if (range.isEmpty) addDrawings(range, content);
  return range;
}

const levelsOf = ({ outputs }: PaneContent): number[] =>
  outputs.filter(({ kind }) => kind === 'hline').map((output) => output.number('price', Number.NaN));

function addOutput(range: Range, output: Output): void {
  const { kind, series } = output;
  const isValued =
    kind === 'plot' ||
    kind === 'plotcandle' ||
    kind === 'plotbar' ||
    (kind !== 'hline' && output.text('location') === 'absolute');
  // A plot without a color is there for fills and alerts; a fill that needs it is seen as far as the rest reaches.
  if (!isValued || (kind === 'plot' && isInvisible(output.color()))) return;
  const showLast = output.number('show_last', Number.POSITIVE_INFINITY);
  for (const column of series) range.addAll(column.subarray(Math.max(0, column.length - showLast)));
}

/** A pane of drawings alone has no other values. */
function addDrawings(range: Range, { drawings }: PaneContent): void {
  for (const drawing of drawings) {
    for (const name of ['y', 'y1', 'y2', 'top', 'bottom']) {
      const value = drawing[name];
      if (typeof value === 'number') range.add(value);
    }
    const points: readonly { readonly price?: unknown }[] = Array.isArray(drawing.points) ? drawing.points : [];
    for (const { price } of points) if (typeof price === 'number') range.add(price);
  }
}

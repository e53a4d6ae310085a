// Which values each pane must show: all of them, but for the few far away that would flatten everything else.

import { isInvisible } from './colors.ts';
import type { ChartModel, Output, PaneContent } from './model.ts';
import { Range } from './value-scale.ts';

/** How far levels may widen the pane of the bars, as a share of the bars' range: a level at 0 must not flatten the bars. */
const LEVEL_REACH = 0.5;
/** The same for single values of a plot that stays near the bars otherwise, as Supertrend does after its first zeros. */
const PLOT_REACH = 1;
/** On a pane without bars: what plots do on the first bars, before they have seen enough of them, widens it so far. */
const WARM_UP_REACH = 2;
const WARM_UP_SHARE = 1 / 5;

/** Bars in view, by their places: all when omitted. */
interface InView {
  readonly from: number;
  readonly to: number;
}

const ALL: InView = { from: 0, to: Number.POSITIVE_INFINITY };

type Priced = Pick<ChartModel, 'bars'> & { readonly options: Pick<ChartModel['options'], 'type'> };

/** Of the bars alone. */
export function barRange({ bars, options }: Priced, { from, to }: InView = ALL): Range {
  const range = new Range();
  const { open, high, low, close, count } = bars;
  for (const column of options.type === 'line' ? [close] : [open, high, low, close])
    range.addAll(column.subarray(from, Math.min(to, count)));
  return range;
}

/** Of bars with that range, and of what a script says on their pane. */
export function priceRange(prices: Range, content: PaneContent, { from, to }: InView = ALL): Range {
  const range = prices.copy();
  for (const output of content.outputs)
    for (const column of valuesOf(output)) addNear(range, column.subarray(from, to), prices);
  const levels = range.copy();
  for (const level of levelsOf(content)) if (levels.isWithin(level, LEVEL_REACH)) range.add(level);
  return range;
}

/** The values within reach of the bars; or all of them where most are not, because then they belong elsewhere. */
function addNear(range: Range, column: Float64Array, prices: Range): void {
  const near = new Range();
  let [known, isNear] = [0, 0];
  for (const value of column) {
    if (!Number.isFinite(value)) continue;
    known += 1;
    if (!prices.isWithin(value, PLOT_REACH)) continue;
    isNear += 1;
    near.add(value);
  }
  if (isNear * 2 < known) range.addAll(column);
  else range.addAll([near.min, near.max]);
}

export function belowRange(content: PaneContent, { from, to }: InView = ALL): Range {
  const range = new Range();
  for (const output of content.outputs) {
    const style = output.text('style');
    // Columns stand on their base, and a column without its foot says nothing.
    if (output.kind === 'plot' && (style === 'histogram' || style === 'columns'))
      range.add(output.number('histbase', 0));
  }
  for (const level of levelsOf(content)) range.add(level);
  const columns = content.outputs.flatMap(valuesOf);
  const warmUp = (column: Float64Array) => Math.ceil(column.length * WARM_UP_SHARE);
  for (const column of columns) range.addAll(column.subarray(Math.max(from, warmUp(column)), to));
  const settled = range.copy();
  for (const column of columns) {
    const early = column.subarray(from, Math.min(to, warmUp(column)));
    range.addAll(early.filter((value) => settled.isWithin(value, WARM_UP_REACH)));
  }
  if (range.isEmpty) addDrawings(range, content);
  return range;
}

const levelsOf = ({ outputs }: PaneContent): number[] =>
  outputs.filter(({ kind }) => kind === 'hline').map((output) => output.number('price', Number.NaN));

/** The columns of an output that stand at their values. */
function valuesOf(output: Output): Float64Array[] {
  const { kind, series } = output;
  const isValued =
    kind === 'plot' ||
    kind === 'plotcandle' ||
    kind === 'plotbar' ||
    (kind !== 'hline' && output.text('location') === 'absolute');
  // A plot without a color is there for fills and alerts; a fill that needs it is seen as far as the rest reaches.
  if (!isValued || (kind === 'plot' && isInvisible(output.color()))) return [];
  const showLast = output.number('show_last', Number.POSITIVE_INFINITY);
  const hidden = (column: Float64Array) => Math.max(0, column.length - showLast);
  // At their places, because whoever asks may want those in view alone.
  return series.map((column) =>
    hidden(column) === 0 ? column : column.map((v, i) => (i < hidden(column) ? Number.NaN : v)),
  );
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

// What the scales of a chart show: the bars in view, and what scripts say of them.

import type { LogicalRange } from 'lightweight-charts';
import { barRange, belowRange, priceRange, type Range } from '../../src/chart/painting.ts';
import type { BarColumns } from '../../src/pine/light.ts';
import type { ScriptPicture } from './script-layer.ts';

/** How far a script may widen the scale of the bars, in heights of what the bars take. */
const MOST_REACH = 3;
const CANDLES = { type: 'candles' } as const;
/** Room above and below what marks need. */
const MARGINS = { above: 18, below: 18 };

/** The bars that the library has in view, null before there are any. */
type InView = LogicalRange | null;

/** Of the pane of the bars. */
export function priceScaleOf(bars: BarColumns, pictures: readonly ScriptPicture[], inView: InView) {
  const prices = barRange({ bars, options: CANDLES }, placesIn(inView, 0));
  const range = prices.copy();
  for (const { contents, shift } of pictures) {
    const own = priceRange(prices, contents.price, placesIn(inView, shift));
    // What nobody could see beside the bars does not flatten them.
    if (!own.isEmpty && prices.isWithin(own.min, MOST_REACH) && prices.isWithin(own.max, MOST_REACH))
      range.addAll([own.min, own.max]);
  }
  return scaleOf(range);
}

/** Of the pane of a script's own. */
export const belowScaleOf = ({ contents, shift }: ScriptPicture, inView: InView) =>
  scaleOf(belowRange(contents.below, placesIn(inView, shift)));

/** Places of bars of a picture that are in view. */
function placesIn(range: InView, shift: number): { readonly from: number; readonly to: number } {
  if (range === null) return { from: 0, to: Number.POSITIVE_INFINITY };
  const inside = (place: number) => Math.max(0, place - shift);
  return { from: inside(Math.floor(range.from)), to: inside(Math.ceil(range.to) + 1) };
}

const scaleOf = (range: Range) =>
  range.isEmpty ? null : { priceRange: { minValue: range.min, maxValue: range.max }, margins: MARGINS };

// Where a pane stands now: which bars are in view, how wide each is, and which prices its edges are.

import { type Pane, type PaneContent, Range, Slots, valueScale } from '../../src/chart/painting.ts';

/** What the library knows of a pane at the moment it is painted. */
export interface Sight {
  readonly width: number;
  readonly height: number;
  /** The first and the last bar in view, in parts of bars; there may be none where the chart was moved beyond them. */
  readonly from: number;
  readonly to: number;
  /** The middle of bar 0, and the distance of bars. */
  readonly xOfFirst: number;
  readonly pxPerBar: number;
  readonly topPrice: number;
  readonly bottomPrice: number;
}

/** Bars beyond the edges that are painted too, so that lines leave the pane instead of ending at it. */
const MARGIN_BARS = 2;

/** `bars` are all there are, with those of the future that something reaches into. */
export function slotsOf({ from, to, xOfFirst, pxPerBar }: Sight, bars: number): Slots {
  const [first, last] = [Math.floor(from) - MARGIN_BARS, Math.ceil(to) + MARGIN_BARS + 1];
  return Slots.inView({ bars, from: first, to: last, xOfFirst, pxPerBar });
}

export function paneOf(sight: Sight, content: PaneContent, isPrice: boolean, legendHeight: number): Pane {
  const { width, height, topPrice, bottomPrice } = sight;
  const range = new Range();
  range.addAll([topPrice, bottomPrice]);
  const box = { left: 0, top: 0, right: width, bottom: height };
  return { box, scale: valueScale(range, 0, height), content, isPrice, legendHeight };
}

/** The same pane, counted from another bar: that of a picture whose first bar is bar `by` of the chart. */
export const shifted = (sight: Sight, by: number): Sight => ({
  ...sight,
  ...{ from: sight.from - by, to: sight.to - by, xOfFirst: sight.xOfFirst + by * sight.pxPerBar },
});

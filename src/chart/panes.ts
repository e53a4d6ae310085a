// The panes of a chart with their scales and axes: how high each is, what it must show, and where the axis begins.

import { axisWidthOf, NO_AXIS, type ValueAxis, valueAxisOf } from './axes.ts';
import { type Layout, legendHeightOf, type Strip, VALUE_AXIS_FROM_WIDTH } from './layout.ts';
import { hasLegend } from './legend.ts';
import type { ChartModel, Contents, PaneContent } from './model.ts';
import { barRange, belowRange, priceRange } from './ranges.ts';
import type { Pane } from './scene.ts';
import { type Range, type ValueScale, valueScale } from './value-scale.ts';

/** Free space above and below the values, and more where marks stand. */
const PADDING_SHARE = 0.06;
const LEAST_PADDING_PX = 3;
const MARK_PX = 18;
/** The most of the picture that the axis may take, whatever its labels say. */
const MOST_AXIS_SHARE = 1 / 3;

export interface AxisPane extends Pane {
  readonly axis: ValueAxis;
}

export interface Panes {
  /** The bars' first. */
  readonly list: readonly AxisPane[];
  /** Where the panes end and the axis begins; the width of the picture where there is no axis. */
  readonly right: number;
}

export function panesOf(model: ChartModel, contents: Contents, layout: Layout, lastText: string): Panes {
  const { width } = model.options;
  const places: Place[] = [placeOf(layout.price, contents.price, priceRange(barRange(model), contents.price), true)];
  if (layout.below !== null) places.push(placeOf(layout.below, contents.below, belowRange(contents.below), false));
  const texts = places.flatMap(({ axis }) => axis.texts);
  const axisWidth = Math.min(axisWidthOf([...texts, lastText]), Math.floor(width * MOST_AXIS_SHARE));
  const right = width < VALUE_AXIS_FROM_WIDTH ? width : width - axisWidth;
  const list = places.map(({ strip, ...place }) => ({ ...place, box: { left: 0, ...strip, right } }));
  return { list, right };
}

type Place = Omit<AxisPane, 'box'> & { readonly strip: Strip };

function placeOf(strip: Strip, content: PaneContent, range: Range, isPrice: boolean): Place {
  const height = strip.bottom - strip.top;
  const legendHeight = legendHeightOf(strip, hasLegend(content));
  const padding = Math.max(height * PADDING_SHARE, LEAST_PADDING_PX);
  const room = height > 5 * MARK_PX ? MARK_PX : 0;
  const marks = marksOf(content);
  const top = strip.top + legendHeight + padding + (marks.above ? room : 0);
  const scale = valueScale(range, top, strip.bottom - padding - (marks.below ? room : 0));
  // An axis from 0 to 1 beside nothing would look like prices.
  const axis = range.isEmpty ? NO_AXIS : valueAxisOf(wholePane(scale, strip, legendHeight), isPrice);
  return { strip, content, isPrice, legendHeight, scale, axis };
}

/** Whether marks stand over or under the values. */
function marksOf({ outputs }: PaneContent): { readonly above: boolean; readonly below: boolean } {
  const marks = outputs.filter(({ kind }) => kind === 'plotshape' || kind === 'plotchar' || kind === 'plotarrow');
  const isAt = (...places: string[]) =>
    marks.some((mark) => mark.kind === 'plotarrow' || places.includes(mark.text('location')));
  return { above: isAt('abovebar', 'top'), below: isAt('belowbar', 'bottom') };
}

/** The scale from edge to edge: ticks also stand beside the padding. */
function wholePane(scale: ValueScale, { top, bottom }: Strip, legendHeight: number): ValueScale {
  const perPx = (scale.max - scale.min) / Math.max(scale.bottom - scale.top, 1);
  const from = top + legendHeight;
  return {
    ...scale,
    min: scale.min - (bottom - scale.bottom) * perPx,
    max: scale.max + (scale.top - from) * perPx,
    top: from,
    bottom,
  };
}

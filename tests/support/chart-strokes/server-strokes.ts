// What the server draws of scripts, at the places that a chart of the dashboard has for its bars and values.

import { Recorder, type Stroke } from '../../../dashboard/chart/testing/recorder.ts';
import { layoutOf } from '../../../src/chart/layout.ts';
import { DEFAULT_CHART } from '../../../src/chart/options.ts';
import {
  Canvas,
  type Contents,
  type Context2D,
  contentsOf,
  futureBarsOf,
  paintBehind,
  paintedBars,
  paintInFront,
  Range,
  Slots,
  type Theme,
  valueScale,
  visible,
} from '../../../src/chart/painting.ts';
import { panesOf } from '../../../src/chart/panes.ts';
import type { BarColumns, RunResult } from '../../../src/pine/index.ts';
import type { Scale } from './drawn-chart.ts';

/** Where a pane of the page stands, for the server to paint it there. */
export interface Ground {
  readonly place: 'price' | 'below';
  readonly width: number;
  readonly height: number;
  /** Of bars, and of values. */
  readonly x: Scale;
  readonly y: Scale;
  readonly legendHeight: number;
  readonly theme: Theme;
}

/** All bars as the server places them, between the edges at which they have these places. */
function slotsOf({ x }: Ground, bars: BarColumns, contents: Contents): Slots {
  const future = futureBarsOf(contents, bars);
  const left = x.at(-0.5);
  return Slots.all(bars.count, future, left, left + (bars.count + future) * x.perUnit);
}

/** What the server draws there: of each script what lies behind the bars, and then of each what lies over them. */
export function serverLayers(
  ground: Ground,
  bars: BarColumns,
  results: readonly RunResult[],
): readonly (readonly Stroke[])[] {
  const { place, width, height, y, legendHeight, theme } = ground;
  const range = new Range();
  range.addAll([-y.at(0) / y.perUnit, (height - y.at(0)) / y.perUnit]);
  const drawn = results
    .map((result) => contentsOf({ result }))
    .filter((contents) => contents[place].outputs.length + contents[place].drawings.length > 0);
  return [paintBehind, paintInFront].flatMap((paint) =>
    drawn.map((contents) => {
      const recorder = new Recorder();
      const canvas = new Canvas(recorder as unknown as Context2D, width, height);
      const box = { left: 0, top: 0, right: width, bottom: height };
      const scale = valueScale(range, 0, height);
      const pane = { box, scale, content: contents[place], isPrice: place === 'price', legendHeight };
      const scene = { canvas, theme, bars, slots: slotsOf(ground, bars, contents), contents };
      canvas.clipped(box, () => paint(scene, pane));
      return recorder.strokes;
    }),
  );
}

/** The candles of the server's picture, which barcolor() may have painted. */
export function serverCandleColors(
  { x, theme }: Ground,
  bars: BarColumns,
  results: readonly RunResult[],
): readonly string[] {
  const painted = results.map((result) => {
    const contents = contentsOf({ result });
    return paintedBars({ slots: Slots.all(bars.count, 0, 0, bars.count * x.perUnit), contents });
  });
  return Array.from({ length: bars.count }, (_, i) => {
    const color = painted.map((colors) => colors[i]!).findLast((own) => !Number.isNaN(own));
    const plain = bars.close[i]! >= bars.open[i]! ? theme.up : theme.down;
    return `#${(color === undefined ? plain : visible(color, theme)).toString(16).padStart(8, '0')}`;
  });
}

/** From the lowest to the highest value that the server's picture of a script shows on a pane. */
export function serverRange(bars: BarColumns, result: RunResult, place: Ground['place']): readonly [number, number] {
  const [options, contents] = [DEFAULT_CHART, contentsOf({ result })];
  const layout = layoutOf(options.height, { volume: false, below: true });
  const { scale } = panesOf({ bars, options, result }, contents, layout, '').list[place === 'price' ? 0 : 1]!;
  return [scale.min, scale.max];
}

// The chart of the dashboard against the picture of the server: the same scripts, the same strokes at the same places, for every kind
// of output and drawing; and in a part of the chart the same as in the whole.

import { beforeAll, describe, expect, it } from 'vitest';
import { Canvas } from '../../src/chart/canvas.ts';
import { layoutOf } from '../../src/chart/layout.ts';
import { DEFAULT_CHART } from '../../src/chart/options.ts';
import { type Context2D, contentsOf, futureBarsOf, paintBehind, paintInFront } from '../../src/chart/painting.ts';
import { panesOf } from '../../src/chart/panes.ts';
import { skia } from '../../src/chart/skia.ts';
import { Slots } from '../../src/chart/slots.ts';
import { walk } from '../../src/chart/testing/charts.ts';
import { THEME } from '../../src/chart/theme.ts';
import { type BarColumns, compile, type RunResult } from '../../src/pine/index.ts';
import { barColorsOf } from './chart-look.ts';
import type { ChartTheme } from './chart-theme.ts';
import { paintScript, pictureOf } from './script-layer.ts';
import { type Sight, shifted } from './sight.ts';
import { BELOW, ON_BARS } from './testing/every-kind.ts';
import { Recorder, type Stroke } from './testing/recorder.ts';

const KINDS = [
  'plot',
  'plotshape',
  'plotchar',
  'plotarrow',
  'plotcandle',
  'plotbar',
  'hline',
  'fill',
  'bgcolor',
  'barcolor',
];
const DRAWINGS = ['line', 'linefill', 'box', 'label', 'polyline', 'table'];
const STYLES = [
  'line',
  'stepline',
  'stepline_diamond',
  'linebr',
  'areabr',
  'area',
  'circles',
  'cross',
  'histogram',
  'columns',
];

const bars = walk(120);
const WIDTH = 900;
const theme = THEME.light;

function run(source: string, over: BarColumns = bars): RunResult {
  const { program, diagnostics } = compile(source);
  if (program === null) throw new Error(diagnostics.map(({ message }) => message).join('; '));
  return program.run(over, { timeframe: '60' });
}

/** The panes of the server's picture of a script, with what it draws on each, and the same sight for the dashboard. */
function serverPicture(result: RunResult) {
  const contents = contentsOf({ result });
  const options = { ...DEFAULT_CHART, width: WIDTH, height: 600 };
  const layout = layoutOf(options.height, { volume: false, below: true });
  const slots = Slots.all(bars.count, futureBarsOf(contents, bars), 0, WIDTH);
  return panesOf({ bars, options, result }, contents, layout, '').list.map((pane) => {
    const height = pane.box.bottom - pane.box.top;
    // As the dashboard has it: each pane begins at its own top, and its scale goes from edge to edge.
    const own = { ...pane, box: { left: 0, top: 0, right: WIDTH, bottom: height }, legendHeight: 26 };
    const { min, max, top, bottom } = pane.scale;
    const perPx = (max - min) / (bottom - top);
    const [above, below] = [top - pane.box.top, pane.box.bottom - bottom];
    const sight: Sight = {
      ...{ width: WIDTH, height, from: 0, to: slots.bars, xOfFirst: slots.xOfBar(0), pxPerBar: slots.pxPerBar },
      ...{ topPrice: max + above * perPx, bottomPrice: min - below * perPx },
    };
    const y = (value: number) => pane.scale.y(value) - pane.box.top;
    const recorder = new Recorder();
    const canvas = new Canvas(recorder as unknown as Context2D, WIDTH, height);
    const scene = { canvas, theme, bars, slots, contents };
    const placed = { ...own, scale: { ...pane.scale, y } };
    canvas.clipped(own.box, () => paintBehind(scene, placed));
    canvas.clipped(own.box, () => paintInFront(scene, placed));
    return {
      sight,
      strokes: recorder.strokes,
      place: pane.isPrice ? ('price' as const) : ('below' as const),
      contents,
    };
  });
}

function dashboardStrokes(result: RunResult, sight: Sight, place: 'price' | 'below', over = bars): readonly Stroke[] {
  const recorder = new Recorder();
  const picture = pictureOf(contentsOf({ result }), over);
  for (const part of ['behind', 'front'] as const)
    paintScript(recorder as unknown as Context2D, sight, picture, { place, part, theme, legendLines: 1 });
  return recorder.strokes;
}

beforeAll(() => void skia());

describe('what a script says on the dashboard', () => {
  it('is of every kind in these tests', () => {
    const results = [run(ON_BARS), run(BELOW)];
    const metas = results.flatMap(({ plotMeta }) => [...plotMeta.values()]);
    expect(new Set(metas.map(({ kind }) => kind))).toEqual(new Set(KINDS));
    expect(new Set(results.flatMap(({ drawings }) => drawings.map(({ kind }) => kind)))).toEqual(new Set(DRAWINGS));
    const styles = metas.filter(({ kind }) => kind === 'plot').map(({ settings }) => settings.style ?? 'line');
    expect(new Set(styles)).toEqual(new Set(STYLES));
  });

  it.each([
    ['on the bars', ON_BARS],
    ['on a pane of its own', BELOW],
  ])('stands where the picture of the server has it: %s', (_, source) => {
    const result = run(source);
    for (const { sight, strokes, place } of serverPicture(result)) {
      if (place === 'price' || source === BELOW) expect(strokes.length).toBeGreaterThan(20);
      expect(dashboardStrokes(result, sight, place)).toEqual(strokes);
    }
  });

  it('stands at the same places when a part of the bars is in view', () => {
    const result = run(ON_BARS);
    const { sight } = serverPicture(result)[0]!;
    // Twice as near, from bar 50 on.
    const near = { ...sight, from: 50, to: 50 + WIDTH / 16, pxPerBar: 16, xOfFirst: -50 * 16 };
    const whole = { ...near, from: 0, to: 200 };
    const inside = (strokes: readonly Stroke[]) =>
      strokes.filter(([name, x]) => (name === 'arc' || name === 'text') && Number(x) > 0 && Number(x) < WIDTH);
    const seen = inside(dashboardStrokes(result, near, 'price'));
    expect(seen.length).toBeGreaterThan(30);
    expect(seen).toEqual(inside(dashboardStrokes(result, whole, 'price')));
  });

  it('colors the bars that barcolor() names, and no others', () => {
    const result = run('//@version=6\nindicator("x")\nbarcolor(bar_index % 3 == 0 ? #0000ff : na)\nplot(close)\n');
    const colors = barColorsOf([contentsOf({ result })], bars.count, 0, { painting: theme } as ChartTheme);
    expect(colors).toEqual(Array.from({ length: bars.count }, (_, i) => (i % 3 === 0 ? '#0000ffff' : undefined)));
    expect(barColorsOf([contentsOf({ result })], bars.count, 117, { painting: theme } as ChartTheme)).toEqual([
      ...['#0000ffff', undefined, undefined],
    ]);
  });

  it('leads on to values out of view, however far', () => {
    const result = run('//@version=6\nindicator("x", overlay = true)\nplot(bar_index % 50 == 0 ? close : na, "Far")\n');
    const { sight } = serverPicture(result)[0]!;
    const lines = dashboardStrokes(result, { ...sight, from: 60, to: 90, pxPerBar: 30, xOfFirst: -60 * 30 }, 'price');
    expect(lines.filter(([name]) => name === 'line').length).toBeGreaterThan(0);
  });

  it('stays with its bars when the past grows before them', () => {
    const result = run(ON_BARS);
    const { sight } = serverPicture(result)[0]!;
    const picture = { ...pictureOf(contentsOf({ result }), bars), shift: 40 };
    const recorder = new Recorder();
    for (const part of ['behind', 'front'] as const)
      paintScript(recorder as unknown as Context2D, shifted(sight, -40), picture, {
        place: 'price',
        part,
        theme,
        legendLines: 1,
      });
    expect(recorder.strokes).toEqual(dashboardStrokes(result, sight, 'price'));
  });
});

// One chart, drawn from the back to the front: grid, panes, volume, frame, axes, head and legends.

import { AXIS_PADDING_PX, drawFrame, drawGrid, drawTag, drawTimeAxis, drawValueAxis, topTickOf } from './axes.ts';
import { drawBars, drawVolume } from './bars.ts';
import { type Layout, layoutOf, type Strip } from './layout.ts';
import { drawHead, drawLegend } from './legend.ts';
import { type ChartModel, type Contents, contentsOf, futureBarsOf } from './model.ts';
import { decimalsOfPrices, priceText } from './numbers.ts';
import { paintBehind, paintInFront } from './painting.ts';
import { type Panes, panesOf } from './panes.ts';
import { Picture } from './picture.ts';
import type { Pane, Scene } from './scene.ts';
import { skia } from './skia.ts';
import { Slots } from './slots.ts';
import { THEME } from './theme.ts';
import { timeTicks } from './time-ticks.ts';
import { timeframeText } from './timeframe-text.ts';
import { Range, valueScale } from './value-scale.ts';

/** Free space between the last bar and the axis, as a share of the pane. */
const MARGIN_SHARE = 0.015;

export function drawChart(model: ChartModel): Picture {
  // Words are measured with its fonts, before anything is drawn.
  skia();
  const { bars, options, result } = model;
  const contents = contentsOf(model);
  const layout = layoutOf(options.height, { volume: wantsVolume(model), below: wantsBelow(contents) });
  const last = bars.count > 0 ? bars.close[bars.count - 1]! : Number.NaN;
  const lastText = Number.isFinite(last) ? priceText(last, decimalsOfPrices(bars.close, bars.count)) : '';
  const panes = panesOf(model, contents, layout, lastText);
  const theme = THEME[options.theme];
  const canvas = new Picture(options.width, options.height, theme.background);
  const slots = Slots.all(bars.count, futureBarsOf(contents, bars), 0, panes.right - panes.right * MARGIN_SHARE);
  const scene: Scene = { canvas, theme, bars, slots, contents };
  const times = timeTicks(bars.time, bars.count, slots.pxPerBar);
  drawGrid(scene, panes.list, times);
  for (const pane of panes.list) drawPane(scene, pane, model);
  if (layout.volume) drawVolumeBand(scene, layout.volume, panes.right);
  drawFrame(scene, stripsOf(layout), panes.right);
  if (panes.right < options.width) drawAxes(scene, panes, last, lastText);
  if (layout.timeAxis) drawTimeAxis(scene, layout.timeAxis, panes.right, times);
  if (layout.head) {
    const timeframe = model.timeframe === undefined ? '' : timeframeText(model.timeframe);
    drawHead(scene, layout.head, model.title ?? (result?.meta.symbol || 'Chart'), timeframe);
  }
  if (result) for (const pane of panes.list) drawLegend(scene, pane, result.meta);
  return canvas;
}

function wantsVolume({ bars, options }: ChartModel): boolean {
  return options.show_volume && bars.volume.subarray(0, bars.count).some((volume) => volume > 0);
}

const wantsBelow = ({ below }: Contents) => below.outputs.length > 0 || below.drawings.length > 0;

function drawPane(scene: Scene, pane: Pane, { options }: ChartModel): void {
  scene.canvas.clipped(pane.box, () => {
    paintBehind(scene, pane);
    if (pane.isPrice) drawBars(scene, pane, options);
    paintInFront(scene, pane);
  });
}

function drawVolumeBand(scene: Scene, strip: Strip, right: number): void {
  const { canvas, bars } = scene;
  const range = new Range();
  range.add(0);
  range.addAll(bars.volume.subarray(0, bars.count));
  const scale = valueScale(range, strip.top + AXIS_PADDING_PX, strip.bottom);
  const box = { left: 0, ...strip, right };
  canvas.clipped(box, () => drawVolume(scene, scale));
  if (right < canvas.width) drawValueAxis(scene, { box, scale }, topTickOf(scale));
}

function drawAxes(scene: Scene, panes: Panes, last: number, lastText: string): void {
  const { bars, theme } = scene;
  for (const pane of panes.list) {
    drawValueAxis(scene, pane, pane.axis, pane.isPrice ? pane.scale.y(last) : Number.NaN);
    const isUp = last >= bars.open[bars.count - 1]!;
    if (pane.isPrice) drawTag(scene, pane, last, lastText, isUp ? theme.up : theme.down);
  }
}

const stripsOf = ({ price, volume, below }: Layout): Strip[] =>
  [price, volume, below].filter((strip) => strip !== null);

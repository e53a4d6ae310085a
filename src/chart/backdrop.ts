// What lies behind the plots: background colors, levels, and the fills between plots or levels.

import { between, faded, isInvisible } from './colors.ts';
import type { Output } from './model.ts';
import { fillBetween } from './path.ts';
import { lineWidthOf } from './plots.ts';
import type { Pane, Scene } from './scene.ts';
import { visible } from './theme.ts';

export function drawBackgrounds(scene: Scene, pane: Pane): void {
  const { canvas, slots } = scene;
  const { top, bottom } = pane.box;
  for (const output of pane.content.outputs) {
    if (output.kind !== 'bgcolor') continue;
    const colors = output.colors('color', slots);
    for (let slot = 0; slot < slots.count; slot += 1) {
      // Whole pixels, so that no seams show between neighbours.
      const [left, right] = [Math.round(slots.x(slot - 0.5)), Math.round(slots.x(slot + 0.5))];
      if (!isInvisible(colors[slot]!)) canvas.fillRect(left, top, right, bottom, colors[slot]!);
    }
  }
}

export function drawLevels({ pen, theme }: Scene, { box, scale, content }: Pane): void {
  for (const output of content.outputs) {
    if (output.kind !== 'hline') continue;
    const y = Math.floor(scale.y(output.number('price', Number.NaN))) + 0.5;
    const color = visible(output.color(), theme);
    pen.line(box.left, y, box.right, y, color, lineWidthOf(output), output.text('linestyle'));
  }
}

export function drawFills(scene: Scene, pane: Pane): void {
  for (const output of pane.content.outputs) if (output.kind === 'fill') drawFill(scene, pane, output);
}

function drawFill(scene: Scene, pane: Pane, fill: Output): void {
  const { slots, contents } = scene;
  // Partners may be hidden themselves: that is how scripts draw a band without edges.
  const partner = (name: string) => contents.all.get(fill.text(`plot${name}`) || fill.text(`hline${name}`));
  const [first, second] = [partner('1'), partner('2')];
  if (first === undefined || second === undefined) return;
  const heights = (output: Output) => slots.lasts(output.values(slots.bars)).map(pane.scale.y);
  const colorAt =
    fill.text('top_color') || fill.text('bottom_color') ? gradient(scene, pane, fill) : plain(scene, fill);
  fillBetween(scene, heights(first), heights(second), { colorAt, bridgesGaps: fill.isOn('fillgaps') });
}

function plain({ slots }: Scene, fill: Output): (slot: number) => number {
  const colors = fill.colors('color', slots);
  return (slot) => colors[slot]!;
}

/** From one color at the top value to another at the bottom value; beyond them, the nearer one. */
function gradient({ slots }: Scene, { scale }: Pane, fill: Output): (slot: number, y: number) => number {
  const [tops, bottoms] = [fill.numbers('top_value', slots), fill.numbers('bottom_value', slots)];
  const [topColors, bottomColors] = [fill.colors('top_color', slots), fill.colors('bottom_color', slots)];
  return (slot, y) => {
    const [from, to] = [scale.y(tops[slot]!), scale.y(bottoms[slot]!)];
    const [topColor, bottomColor] = [topColors[slot]!, bottomColors[slot]!];
    if (Number.isNaN(from + to) || (Number.isNaN(topColor) && Number.isNaN(bottomColor))) return Number.NaN;
    const share = from === to ? 0.5 : Math.min(Math.max((y - from) / (to - from), 0), 1);
    // A color that is not there is the other one, gone.
    const [top, bottom] = [orGone(topColor, bottomColor), orGone(bottomColor, topColor)];
    return between(top, bottom, share);
  };
}

const orGone = (color: number, other: number) => (Number.isNaN(color) ? faded(other, 0) : color);

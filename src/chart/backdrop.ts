// What lies behind the plots: background colors, levels, and the fills between plots or levels.

import type { Gradient } from './canvas.ts';
import { faded, isInvisible } from './colors.ts';
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

export function drawLevels({ canvas, theme }: Scene, { box, scale, content }: Pane): void {
  for (const output of content.outputs) {
    if (output.kind !== 'hline') continue;
    const y = Math.floor(scale.y(output.number('price', Number.NaN))) + 0.5;
    const color = visible(output.color(), theme);
    const look = { color, width: lineWidthOf(output), style: output.text('linestyle') };
    canvas.strokeLine([box.left, y, box.right, y], look);
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
  const isGradient = fill.text('top_color') !== '' || fill.text('bottom_color') !== '';
  const paintOf = isGradient ? gradient(scene, pane, fill) : plain(scene, fill);
  fillBetween(scene, heights(first), heights(second), { paintOf, bridgesGaps: fill.isOn('fillgaps') });
}

function plain({ slots }: Scene, fill: Output): (slot: number) => number {
  const colors = fill.colors('color', slots);
  return (slot) => colors[slot]!;
}

/** From one color at the top value to another at the bottom value; beyond them, the nearer one. */
function gradient({ slots }: Scene, { scale }: Pane, fill: Output): (slot: number) => number | Gradient {
  const [tops, bottoms] = [fill.numbers('top_value', slots), fill.numbers('bottom_value', slots)];
  const [topColors, bottomColors] = [fill.colors('top_color', slots), fill.colors('bottom_color', slots)];
  return (slot) => {
    const [top, bottom] = [scale.y(tops[slot]!), scale.y(bottoms[slot]!)];
    const [topColor, bottomColor] = [topColors[slot]!, bottomColors[slot]!];
    if (Number.isNaN(top + bottom) || (Number.isNaN(topColor) && Number.isNaN(bottomColor))) return Number.NaN;
    // A color that is not there is the other one, gone.
    return { top, bottom, topColor: orGone(topColor, bottomColor), bottomColor: orGone(bottomColor, topColor) };
  };
}

const orGone = (color: number, other: number) => (Number.isNaN(color) ? faded(other, 0) : color);

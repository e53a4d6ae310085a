// What a script says, painted on any canvas. The pictures of the server and the charts of the dashboard both come from here, so
// that they cannot differ; nothing in it needs Skia.

import { drawBackgrounds, drawFills, drawLevels } from './backdrop.ts';
import { drawDrawings } from './drawings.ts';
import { drawMarkers } from './markers.ts';
import { drawPlots } from './plots.ts';
import type { Pane, Scene } from './scene.ts';
import { drawTables } from './tables.ts';

export { paintedBars } from './bars.ts';
export { Canvas, type Context2D } from './canvas.ts';
export { faded, isInvisible, readColor } from './colors.ts';
export type { Font } from './fonts.ts';
export { type Contents, contentsOf, futureBarsOf, type Output, type PaneContent } from './model.ts';
export { compact, decimalsOfPrices, priceText, valueText } from './numbers.ts';
export { barRange, belowRange, priceRange } from './ranges.ts';
export type { Pane, Scene } from './scene.ts';
export { Slots } from './slots.ts';
export { type Lettering, useLettering } from './text.ts';
export { legible, type Theme, visible } from './theme.ts';
export { Range, type ValueScale, valueScale } from './value-scale.ts';

/** What lies behind the bars. */
export function paintBehind(scene: Scene, pane: Pane): void {
  drawBackgrounds(scene, pane);
  drawFills(scene, pane);
  drawLevels(scene, pane);
}

/** What lies over them. */
export function paintInFront(scene: Scene, pane: Pane): void {
  drawPlots(scene, pane);
  drawMarkers(scene, pane);
  drawDrawings(scene, pane);
  drawTables(scene, pane);
}

// What every part of the drawing gets: the canvas, the colors, the bars and where they stand.

import type { BarColumns } from '../pine/index.ts';
import type { Box } from './box.ts';
import type { Canvas } from './canvas.ts';
import type { Contents, PaneContent } from './model.ts';
import type { Slots } from './slots.ts';
import type { Theme } from './theme.ts';
import type { ValueScale } from './value-scale.ts';

export interface Scene {
  readonly canvas: Canvas;
  readonly theme: Theme;
  readonly bars: BarColumns;
  readonly slots: Slots;
  readonly contents: Contents;
}

export interface Pane {
  /** Without the axis to its right. */
  readonly box: Box;
  readonly scale: ValueScale;
  readonly content: PaneContent;
  /** The pane of the bars. */
  readonly isPrice: boolean;
  /** Height of the line of names and values at its top. */
  readonly legendHeight: number;
}

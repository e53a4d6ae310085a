// How a chart is to look, with the sizes it may have; this file draws nothing, so that whoever only asks loads nothing.

import { readColor } from './colors.ts';
import type { ThemeName } from './theme.ts';

export { THEMES } from './theme.ts';

export const CHART_TYPES = ['line', 'candles'] as const;

export interface ChartOptions {
  readonly type: (typeof CHART_TYPES)[number];
  /** Of the line, or of rising candles: as `isChartColor` knows it. The theme's own when omitted. */
  readonly color?: string | undefined;
  /** A band with the volume, where the bars have one. */
  readonly show_volume: boolean;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly theme: ThemeName;
}

/** Smaller ones have no room for a single label; a larger picture would take more time than a preview is worth. */
export const CHART_WIDTH = { min: 64, max: 1200 } as const;
export const CHART_HEIGHT = { min: 48, max: 600 } as const;

export const DEFAULT_CHART: ChartOptions = {
  type: 'candles',
  show_volume: true,
  width: 800,
  height: 400,
  theme: 'dark',
};

/** #RGB, #RRGGBB, #RRGGBBAA or a name such as red. */
export const isChartColor = (text: string): boolean => !Number.isNaN(readColor(text));

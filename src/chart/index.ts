// Charts as PNG: bars, a script's outputs and drawings, on one pane or two.

import { drawChart } from './chart.ts';
import type { ChartModel } from './model.ts';
import { encodePng } from './png.ts';

export { looksLikePrices } from './looks-like-prices.ts';
export type { ChartModel } from './model.ts';
export { type ChartOptions, DEFAULT_CHART } from './options.ts';

/** The picture as the bytes of a PNG file; the same model gives the same bytes. */
export function renderChart(model: ChartModel): Uint8Array {
  return encodePng(drawChart(model));
}

// Charts as PNG: bars, a script's outputs and drawings, on one pane or two.

import { drawChart } from './chart.ts';
import type { ChartModel } from './model.ts';

export { looksLikePrices } from './looks-like-prices.ts';
export type { ChartModel } from './model.ts';
export { type ChartOptions, DEFAULT_CHART } from './options.ts';
export { chartFault } from './skia.ts';

/** The picture as the bytes of a PNG file. Throws where `chartFault` tells one. */
export function renderChart(model: ChartModel): Uint8Array {
  const canvas = drawChart(model);
  try {
    return canvas.toPng();
  } finally {
    canvas.release();
  }
}

// What moving the dashboard's chart costs: 20,000 candles, five indicators and 2,000 marks, in milliseconds of the browser's main
// thread for each frame: script, style, layout and paint, from a trace. `npm run bench dashboard-chart -- [--quick]`

import { availableParallelism, loadavg } from 'node:os';
import { startChromium } from '../tests/support/chromium.ts';
import { freshDataDir, startProcess } from '../tests/support/process.ts';
import { measurePanning } from './support/chart-panning.ts';

const quick = process.argv.includes('--quick');
const ROUNDS = quick ? 1 : 5;
const SIZE = { bars: 20_000, marks: 2_000, moves: quick ? 80 : 400 };

const load = loadavg()[0]!.toFixed(0);
console.log(
  `${SIZE.bars} candles, 5 indicators, ${SIZE.marks} marks; load of ${load} on ${availableParallelism()} cores`,
);
const signalbox = await startProcess({ dataDir: freshDataDir() });
const browser = await startChromium();
try {
  for (let round = 1; round <= ROUNDS; round += 1)
    for (const isZoomedOut of [false, true]) {
      const bare = await measurePanning(browser, { url: signalbox.url, ...SIZE, isZoomedOut, isBare: true });
      const { frames, meanMs, p95Ms, pixelsMs } = await measurePanning(browser, {
        ...{ url: signalbox.url, ...SIZE, isZoomedOut, isBare: false },
      });
      const times = (meanMs / bare.meanMs).toFixed(1);
      const zoom = isZoomedOut ? 'zoomed out' : 'as opened';
      console.log(
        `${zoom}: ${frames} frames, mean ${meanMs.toFixed(2)} ms, p95 ${p95Ms.toFixed(2)} ms of main thread, ${times} times the candles alone; without a graphics card ${pixelsMs.toFixed(2)} ms for pixels (${bare.pixelsMs.toFixed(2)})`,
      );
    }
} finally {
  await browser.close();
  await signalbox.stop();
}

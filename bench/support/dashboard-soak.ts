// `npm run soak dashboard [minutes]`: the overview and a chart stay open in a real browser while signals trade and prices come, and after
// every minute it is told what the pages hold once everything is gone that could go.

import { startChromium } from '../../tests/support/chromium.ts';
import { tradeToAndFro } from '../../tests/support/dashboard-speed/live-updates.ts';
import { heldBy } from '../../tests/support/dashboard-speed/memory.ts';
import { startProcess } from '../../tests/support/process.ts';

/** What a page may grow in its eight hours; of a shorter soak in proportion, but no less than the heap swings by itself. */
const [MOST_BYTES, WHOLE_MINUTES, SWING_BYTES] = [20_000_000, 8 * 60, 1_000_000];
const PLACES = ['#/overview', '#/signals', '#/chart'];
const MINUTE_MS = 60_000;

/** True when no page grew by more than it may. */
export async function soakDashboard(minutes: number, say: (line: string) => void): Promise<boolean> {
  const signalbox = await startProcess({ env: { WEBHOOK_RATE_PER_MINUTE: '0', LOG_LEVEL: 'error' } });
  const browser = await startChromium();
  try {
    const pages = await Promise.all(PLACES.map(() => browser.newPage()));
    await Promise.all(pages.map((page, index) => page.goto(`${signalbox.url}/${PLACES[index]}`)));
    const minute = async (): Promise<readonly number[]> => {
      const endMs = performance.now() + MINUTE_MS;
      while (performance.now() < endMs) await tradeToAndFro(signalbox.url, String(signalbox.apiKey), 1);
      const held = await Promise.all(pages.map(heldBy));
      return held.map(({ heapBytes }) => heapBytes);
    };
    // The first minute fills what is empty at a start.
    const first = await minute();
    const most = Math.max(SWING_BYTES, (MOST_BYTES * minutes) / WHOLE_MINUTES);
    let grown: readonly number[] = first.map(() => 0);
    for (let turn = 1; turn <= minutes; turn += 1) {
      grown = (await minute()).map((bytes, index) => bytes - (first[index] ?? 0));
      const words = grown.map((bytes, index) => `${PLACES[index]} ${(bytes / 1e6).toFixed(2)} MB`);
      say(`after ${turn} min: ${words.join(', ')}`);
    }
    say(`each may grow by ${(most / 1e6).toFixed(1)} MB`);
    return grown.every((bytes) => bytes <= most);
  } finally {
    await browser.close();
    await signalbox.stop();
  }
}

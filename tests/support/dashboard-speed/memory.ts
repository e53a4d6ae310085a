// What a page of the dashboard holds in memory once everything is gone that could go.

import type { Page } from 'playwright-core';

export interface Held {
  /** Objects and the numbers of typed columns; what the browser has behind them grows with its debugger, which keeps every answer. */
  readonly heapBytes: number;
  readonly nodes: number;
  readonly listeners: number;
}

/** What one collection finishes, such as a closed connection or code that nobody uses, is let go by a later one. */
const [MOST_COLLECTIONS, SETTLED_BYTES, PAUSE_MS] = [12, 10_000, 300];

/** Collects until nothing more goes. */
export async function heldBy(page: Page): Promise<Held> {
  const cdp = await page.context().newCDPSession(page);
  try {
    let [heapBytes, before] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let turn = 0; turn < MOST_COLLECTIONS; turn += 1) {
      await cdp.send('HeapProfiler.collectGarbage');
      const { usedSize, backingStorageSize } = await cdp.send('Runtime.getHeapUsage');
      [before, heapBytes] = [heapBytes, Math.min(heapBytes, usedSize + backingStorageSize)];
      if (before - heapBytes < SETTLED_BYTES && turn > 2) break;
      await page.waitForTimeout(PAUSE_MS);
    }
    const { nodes, jsEventListeners } = await cdp.send('Memory.getDOMCounters');
    return { heapBytes, nodes, listeners: jsEventListeners };
  } finally {
    await cdp.detach();
  }
}

// Waits until a page says yes. Through the debugger, because the page's own policy lets nobody evaluate text in it again and again.

import type { Page } from 'playwright-core';

const [MOST_MS, PAUSE_MS] = [60_000, 20];

export async function until(page: Page, condition: string): Promise<void> {
  const endMs = performance.now() + MOST_MS;
  while ((await page.evaluate(condition)) !== true) {
    if (performance.now() > endMs) throw new Error(`still not so after ${MOST_MS / 1000} s: ${condition}`);
    await page.waitForTimeout(PAUSE_MS);
  }
}

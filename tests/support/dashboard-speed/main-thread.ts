// How long the main thread of a page was busy, by its own clock: what other programs take of the core meanwhile does not count.

import type { Page } from 'playwright-core';

export async function mainThreadMs(page: Page, work: () => Promise<unknown>): Promise<number> {
  const cdp = await page.context().newCDPSession(page);
  try {
    await cdp.send('Performance.enable');
    const busyMs = async (): Promise<number> => {
      const { metrics } = await cdp.send('Performance.getMetrics');
      return 1000 * (metrics.find(({ name }) => name === 'ThreadTime')?.value ?? Number.NaN);
    };
    const before = await busyMs();
    await work();
    return (await busyMs()) - before;
  } finally {
    await cdp.detach();
  }
}

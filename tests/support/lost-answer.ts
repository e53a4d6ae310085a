// A request of a page that is done, and of which the page hears nothing.

import type { Page } from 'playwright-core';

/** The next one with this method to such a path. */
export async function loseNextAnswer(page: Page, method: string, path: RegExp): Promise<void> {
  let isLost = false;
  await page.route(path, async (route) => {
    if (isLost || route.request().method() !== method) return route.fallback();
    isLost = true;
    await route.fetch();
    return route.abort();
  });
}

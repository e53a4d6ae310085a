// Notifications of a real browser: chosen in the settings, shown for fills and for alarms, pressed, and told of where they are refused.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DashboardBrowser, expectAccessible, nextStream, startDashboard } from '../support/dashboard-browser.ts';
import { startWebReceiver, type WebReceiver } from '../support/notice-receivers.ts';

const SETUP_TIMEOUT_MS = 300_000;
const WAIT = { timeout: 30_000 };

let receiver: WebReceiver;
let dashboard: DashboardBrowser;
beforeAll(async () => {
  receiver = await startWebReceiver();
  dashboard = await startDashboard({
    isWhole: true,
    env: {
      ...{ SERVICES: 'gateway,dashboard', NOTIFY_WEBHOOK_NOTICES: 'trades' },
      ...{ NOTIFY_WEBHOOK_URL: `${receiver.url}/notices`, NOTIFY_WEBHOOK_SECRET: 'the-secret-of-the-webhook' },
    },
  });
}, SETUP_TIMEOUT_MS);
afterAll(() => receiver.close());

/** What happens from now on is heard by the page. */
async function reload(page: Page): Promise<void> {
  const streams = nextStream(page);
  await page.reload();
  await streams();
}

/** The settings in a browser that keeps the service worker, and whose reader has said yes. */
async function openWilling() {
  const { page, complaints } = await dashboard.open({ place: '#/settings', keepsFiles: true });
  await page.context().grantPermissions(['notifications'], { origin: dashboard.signalbox.url });
  // Asked from here: what waits in the page is made from text each time, which the page's own policy forbids.
  await expect.poll(() => page.evaluate('navigator.serviceWorker.controller !== null'), WAIT).toBe(true);
  await reload(page);
  const panel = page.getByRole('region', { name: 'Notifications' });
  await panel.getByText('Shown while a page of the dashboard is open').waitFor(WAIT);
  return { page, complaints, fills: panel.getByLabel('Fills'), alarms: panel.getByLabel('Alarms') };
}

/** What the machine shows its reader now, in no order that anybody promises. After twenty seconds it takes each away by itself. */
const shownBy = (page: Page): Promise<readonly string[]> =>
  page.evaluate(async () => {
    interface Registration {
      getNotifications(): Promise<readonly { readonly title: string; readonly body: string }[]>;
    }
    const { serviceWorker } = navigator as unknown as { serviceWorker: { ready: Promise<Registration> } };
    const shown = await (await serviceWorker.ready).getNotifications();
    return shown.map(({ title, body }) => `${title}: ${body}`);
  });

/** All that is shown as soon as this is. */
async function shownWith(page: Page, words: RegExp): Promise<readonly string[]> {
  let shown: readonly string[] = [];
  const look = async (): Promise<boolean> => {
    shown = await shownBy(page);
    return shown.some((each) => words.test(each));
  };
  await expect.poll(look, WAIT).toBe(true);
  return shown;
}

const fillOf = (quantity: number): RegExp => new RegExp(`^Signalbox: LONG ${quantity} BTCUSDT .*Filled`);

interface ShownNotification {
  close(): void;
}
/** What the service worker sees of the browser, and what of it only the press of a hand may use. */
interface WorkerScope {
  readonly registration: { getNotifications(): Promise<readonly ShownNotification[]> };
  readonly clients: { openWindow: (address: string) => Promise<void> };
  readonly WindowClient: { readonly prototype: { focus: () => Promise<void> } };
  readonly NotificationEvent: new (kind: string, init: { notification: object | undefined }) => Event;
  dispatchEvent(event: Event): boolean;
}

/** A press on the notification that is shown: whether it was closed, and where it led. */
async function press(page: Page): Promise<string | undefined> {
  const [worker] = page.context().serviceWorkers();
  return worker?.evaluate(async () => {
    const scope = globalThis as unknown as WorkerScope;
    const [notification] = await scope.registration.getNotifications();
    if (notification === undefined) return 'nothing is shown';
    let closed = 'left open';
    const close = notification.close.bind(notification);
    notification.close = () => {
      closed = 'closed';
      close();
    };
    // Chromium does either only for the press of a hand.
    const went = new Promise<string>((resolve) => {
      scope.clients.openWindow = async (address) => resolve(`opened ${address}`);
      scope.WindowClient.prototype.focus = async () => resolve('focused');
    });
    scope.dispatchEvent(new scope.NotificationEvent('notificationclick', { notification }));
    return `${closed}, ${await went}`;
  });
}

describe('notifications', () => {
  test('are shown of what was chosen, fills or alarms, and of nothing else', async () => {
    const { page, complaints, fills, alarms } = await openWilling();
    expect([await fills.isChecked(), await alarms.isChecked()]).toEqual([false, false]);
    await fills.check();
    await dashboard.signal({ quantity: 0.02 });
    await shownWith(page, fillOf(0.02));
    await reload(page);
    expect([await fills.isChecked(), await alarms.isChecked()]).toEqual([true, false]);
    await dashboard.signal({ quantity: 0.03 });
    await shownWith(page, fillOf(0.03));
    await fills.uncheck();
    await alarms.check();
    // The notice of this fill is refused, which is an alarm: it comes after the fill in the same stream.
    receiver.answers.set('/notices', { status: 404 });
    await dashboard.signal({ quantity: 0.04 });
    const shown = await shownWith(page, /^Signalbox: Notices by webhook do not arrive/);
    expect(shown.filter((each) => fillOf(0.04).test(each))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('are left by a press, which leads to the page that is open or opens one', async () => {
    const { page, complaints, fills } = await openWilling();
    await fills.check();
    await dashboard.signal({ quantity: 0.05 });
    await shownWith(page, fillOf(0.05));
    expect(await press(page)).toBe('closed, focused');
    await dashboard.signal({ quantity: 0.06 });
    await shownWith(page, fillOf(0.06));
    // Another place of the same window: no page of ours is open then.
    await page.goto('about:blank');
    expect(await press(page)).toBe('closed, opened /');
    expect(complaints).toEqual([]);
  });

  test('that the browser refuses cannot be chosen, and the settings say what to do, also after the palette', async () => {
    const { page, complaints } = await dashboard.open();
    await page.getByText('All systems well').or(page.getByText('to look at')).first().waitFor(WAIT);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('notify me');
    await page.keyboard.press('Enter');
    const panel = page.getByRole('region', { name: 'Notifications' });
    await panel.getByText('This browser refuses notifications of this address').waitFor(WAIT);
    expect(await panel.getByLabel('Fills').isDisabled()).toBe(true);
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });
});

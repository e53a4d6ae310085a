// Notifications of this browser for fills and alarms, where its reader has asked for them and while a page is open.

import { type DeskEvent, followEvents } from '../server/live-events.ts';

const KEY = 'signalbox.notify';
const TITLE = 'Signalbox';

/** Not every browser has them. */
export const isNotifying = (): boolean =>
  localStorage.getItem(KEY) === 'yes' && globalThis.Notification?.permission === 'granted';

/** Asks the browser, which asks its reader. */
export async function toggleNotifications(): Promise<void> {
  if (isNotifying()) localStorage.removeItem(KEY);
  else if ((await globalThis.Notification?.requestPermission()) === 'granted') localStorage.setItem(KEY, 'yes');
}

const FILLS = new Set(['filled', 'partially_filled']);

/** What somebody who looks elsewhere wants to know at once. */
export const isNotable = ({ kind, step, state }: Pick<DeskEvent, 'kind' | 'step' | 'state'>): boolean =>
  (kind === 'trade' && step !== undefined && FILLS.has(step)) || (kind === 'alarm' && state === 'raised');

/** Returns how to stop. */
export const notifyOfEvents = (): (() => void) =>
  followEvents((event) => {
    if (isNotifying() && isNotable(event)) void notify(event);
  });

/** By the service worker where there is one, because phones have no other way; else by the page. */
export async function notify({ text, cursor }: Pick<DeskEvent, 'text' | 'cursor'>): Promise<void> {
  // One tag for all tabs, so that an event is shown once.
  const options = { body: text, tag: cursor };
  try {
    const worker = await navigator.serviceWorker?.getRegistration();
    if (worker?.active) return await worker.showNotification(TITLE, options);
  } catch {
    // The page may still have a way of its own.
  }
  try {
    new Notification(TITLE, options);
  } catch {
    // There is no way; the page shows the event all the same.
  }
}

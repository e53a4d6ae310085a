// Notifications of this browser for fills and alarms, where its reader has asked for them and while a page is open.

import { type DeskEvent, followEvents } from '../server/live-events.ts';

const KEY = 'signalbox.notify';

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
    if (isNotifying() && isNotable(event)) new Notification('Signalbox', { body: event.text, tag: event.cursor });
  });

// Notifications of this browser for fills and alarms, where its reader has asked for them and while a page is open.

import { type DeskEvent, followEvents } from '../server/live-events.ts';
import { type NotifyChoice, notifiedOf } from '../ui/notify-choice.ts';

const TITLE = 'Signalbox';

const FILLS = new Set(['filled', 'partially_filled']);

/** What somebody who looks elsewhere has chosen to know at once. */
export const isNotable = (
  { kind, step, state }: Pick<DeskEvent, 'kind' | 'step' | 'state'>,
  { fills, alarms }: NotifyChoice,
): boolean =>
  (fills && kind === 'trade' && step !== undefined && FILLS.has(step)) ||
  (alarms && kind === 'alarm' && state === 'raised');

/** Returns how to stop. */
export const notifyOfEvents = (): (() => void) =>
  followEvents((event) => {
    if (isNotable(event, notifiedOf())) void notify(event);
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

// Delivers the outbox: at once when a trade settles, then again with growing pauses until it arrives or is hopeless.

import type { Timers } from '../../timing/timers.ts';
import { withTimeout } from '../../timing/with-timeout.ts';
import { WorkUnderWay } from '../../timing/work-under-way.ts';
import type { StoredMessage } from '../books/outbox.ts';
import type { OnAlarm } from './alarm.ts';
import { chatOf, deliveryOf, nextDelivery } from './chat-delivery.ts';
import { DeliverySender, type DeliverySenderParts } from './send-delivery.ts';

export interface NotificationResult {
  readonly success: boolean;
  readonly messageId: number | null;
}

export interface Notifications {
  /**
   * Never rejects and never takes longer than the budget; what is not done by then goes on in the background. Null for
   * an outcome no sender asked to be told: nobody waits for it, the next sweeps deliver it.
   */
  deliver(message: StoredMessage, budgetMs: number): Promise<NotificationResult | null>;
  /** One look at the outbox; the owner of the clock calls it about every second. */
  sweep(): Promise<void>;
  /** Resolves when nothing is being sent any more, or the time is up. */
  settle(timeoutMs: number): Promise<void>;
}

export interface NotificationParts extends DeliverySenderParts {
  readonly timers: Timers;
}

/** What a desk needs for them. */
export interface DeskNotificationParts extends Pick<NotificationParts, 'outbox' | 'notifier' | 'nowMs' | 'timers'> {
  readonly onAlarm?: OnAlarm;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Those of a desk, which tells what was not delivered. */
export const openNotifications = ({ onAlarm, onTrouble, ...parts }: DeskNotificationParts): Notifications =>
  createNotifications({
    outbox: parts.outbox,
    notifier: parts.notifier,
    nowMs: parts.nowMs,
    timers: parts.timers,
    onFailure: (message, error) => onTrouble(`notification ${message.id} was not delivered`, error),
    onAbandoned: (_, reason) => onAlarm?.('notification-abandoned', `A notification was given up: ${reason}`),
  });

const SWEEP_LIMIT = 20;
/** So many wait in memory for slow chats; the others wait in the outbox. */
const MAX_UNDER_WAY = 500;
const FAILED: NotificationResult = { success: false, messageId: null };

export function createNotifications(parts: NotificationParts): Notifications {
  const { outbox, nowMs, timers } = parts;
  const sender = new DeliverySender(parts);
  /** Messages somebody is busy with: nobody else may send them meanwhile. */
  const underWay = new Set<number>();
  /** Chats that are being written to, and what waits for them. */
  const lines = new Map<string, { readonly waiting: StoredMessage[]; readonly work: Promise<void> }>();
  const working = new WorkUnderWay();

  /** One message after the other. When the chat cannot take one now, those behind it are not even tried. */
  const workOff = async (chat: string, waiting: StoredMessage[]): Promise<void> => {
    let untilMs: number | undefined;
    while (waiting.length > 0) {
      const delivery = nextDelivery(waiting);
      if (untilMs === undefined) untilMs = await sender.attempt(delivery);
      else for (const stored of delivery.stored) await sender.postpone(stored, untilMs);
      for (const { id } of delivery.stored) underWay.delete(id);
    }
    lines.delete(chat);
  };

  const enqueue = (chat: string, due: readonly StoredMessage[]): Promise<void> => {
    const line = lines.get(chat);
    if (line) {
      line.waiting.push(...due);
      return line.work;
    }
    const waiting = [...due];
    // Begins in the next turn, so that the line is known before it can end.
    const work = working.track(Promise.resolve().then(() => workOff(chat, waiting)));
    lines.set(chat, { waiting, work });
    return work;
  };

  return {
    async deliver(stored, budgetMs) {
      if (stored.message.kind !== 'notify') return null;
      if (underWay.has(stored.id)) return FAILED;
      underWay.add(stored.id);
      let result = FAILED;
      const attempt = sender.attempt(deliveryOf(stored), (messageId) => {
        result = { success: true, messageId };
      });
      const work = working.track(attempt.finally(() => underWay.delete(stored.id)));
      await withTimeout(work, budgetMs, () => undefined, timers);
      return result;
    },
    async sweep() {
      if (underWay.size >= MAX_UNDER_WAY) return;
      // What ends while the outbox is being read may still be in the answer.
      const busy = new Set(underWay);
      const found = await outbox.due(nowMs(), SWEEP_LIMIT + busy.size);
      const due = found.filter(({ id }) => !busy.has(id) && !underWay.has(id)).slice(0, SWEEP_LIMIT);
      // All at once: while the first is being sent, another sweep must not take up the others.
      for (const { id } of due) underWay.add(id);
      // Chats side by side: a slow one holds up nobody else.
      await Promise.all([...Map.groupBy(due, chatOf)].map(([chat, messages]) => enqueue(chat, messages)));
    },
    settle: (timeoutMs) => working.settled(timeoutMs, timers),
  };
}

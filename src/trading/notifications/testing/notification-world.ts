// Notifications over an outbox in memory, a clock in hand and a chat that answers as the test says.

import { START_MS } from '../../../../tests/ports/sample-trades.ts';
import { createHandClock, type HandClock } from '../../../timing/testing/hand-clock.ts';
import { createMemoryOutbox, type MemoryOutbox } from '../../testing/memory-outbox.ts';
import { createNotifications, type Notifications } from '../notifications.ts';
import type { ChatMessage } from '../notifier.ts';

export interface NotificationWorld {
  readonly clock: HandClock;
  readonly outbox: MemoryOutbox;
  readonly sent: ChatMessage[];
  readonly failures: unknown[];
  /** What was given up: its id and why. */
  readonly abandoned: string[];
  readonly notifications: Notifications;
  nowMs: number;
  /** How the chat answers from now on. */
  answer: (message: ChatMessage) => Promise<{ messageId: number | null }>;
}

export function openNotificationWorld(): NotificationWorld {
  const [clock, outbox] = [createHandClock(0), createMemoryOutbox()];
  const [sent, failures, abandoned]: [ChatMessage[], unknown[], string[]] = [[], [], []];
  const notifications = createNotifications({
    outbox,
    notifier: {
      send: (message) => {
        sent.push(message);
        return world.answer(message);
      },
    },
    nowMs: () => world.nowMs,
    timers: clock.timers,
    onFailure: (_, error) => void failures.push(error),
    onAbandoned: ({ id }, reason) => void abandoned.push(`${id} ${reason}`),
  });
  const world: NotificationWorld = {
    ...{ clock, outbox, sent, failures, abandoned, notifications },
    nowMs: START_MS,
    answer: async () => ({ messageId: 42 }),
  };
  return world;
}

// Delivers the outbox: at once when a trade settles, then again with growing pauses until it arrives or is hopeless.

import { type Notifier, NotifierError } from './notifier.ts';
import type { Outbox, StoredMessage } from './outbox.ts';

export interface NotificationResult {
  readonly success: boolean;
  readonly messageId: number | null;
}

export interface Notifications {
  /** Never rejects and never takes longer than the budget; what is not done by then goes on in the background. */
  deliver(message: StoredMessage, budgetMs: number): Promise<NotificationResult>;
  /** One look at the outbox; the owner of the clock calls it about every second. */
  sweep(): Promise<void>;
}

const FIRST_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 300_000;
/** About a day of trying. */
const MAX_ATTEMPTS = 300;
const SWEEP_LIMIT = 20;
const FAILED: NotificationResult = { success: false, messageId: null };

export function createNotifications(options: {
  outbox: Outbox;
  notifier: Notifier;
  nowMs: () => number;
  onFailure: (message: StoredMessage, error: unknown) => void;
}): Notifications {
  const { outbox, notifier, nowMs, onFailure } = options;
  /** Messages somebody is busy with: nobody else may send them meanwhile. */
  const underWay = new Set<number>();
  /** Messages that arrived but could not be crossed off: only the crossing off is tried again. */
  const arrived = new Map<number, { readonly messageId: number | null }>();

  /** The caller has marked the message as under way. */
  const attempt = async (stored: StoredMessage): Promise<NotificationResult> => {
    try {
      const { messageId } = arrived.get(stored.id) ?? (await send(stored));
      await crossOff(stored, messageId);
      return { success: true, messageId };
    } catch (error) {
      onFailure(stored, error);
      await putBack(stored, error);
      return FAILED;
    } finally {
      underWay.delete(stored.id);
    }
  };

  const send = ({ message: { notify, summary } }: StoredMessage) =>
    notifier.send({
      chatId: notify.chatId,
      text: notify.message ?? summary,
      parseMode: notify.message === undefined ? 'Plain' : notify.parseMode,
    });

  const crossOff = async (stored: StoredMessage, messageId: number | null): Promise<void> => {
    try {
      await outbox.delivered(stored, nowMs(), messageId === null ? 'delivered' : `message ${messageId}`);
      arrived.delete(stored.id);
    } catch (storageError) {
      // The row is still there: the next sweep finds it again.
      arrived.set(stored.id, { messageId });
      onFailure(stored, storageError);
    }
  };

  const putBack = async (stored: StoredMessage, error: unknown): Promise<void> => {
    const fault = error instanceof NotifierError ? error : undefined;
    const hopeless = (fault && !fault.retryable) || stored.attempts + 1 >= MAX_ATTEMPTS;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(stored.attempts, 10), LONGEST_PAUSE_MS);
    try {
      if (hopeless) await outbox.abandoned(stored, nowMs(), error instanceof Error ? error.message : String(error));
      else await outbox.postponed(stored, nowMs() + (fault?.retryAfterMs ?? pauseMs));
    } catch (storageError) {
      // The row is still there: the next sweep finds it again.
      onFailure(stored, storageError);
    }
  };

  return {
    async deliver(stored, budgetMs) {
      if (underWay.has(stored.id)) return FAILED;
      underWay.add(stored.id);
      let timer: NodeJS.Timeout | undefined;
      const tooLate = new Promise<NotificationResult>((resolve) => {
        timer = setTimeout(resolve, budgetMs, FAILED);
      });
      const result = await Promise.race([attempt(stored), tooLate]);
      clearTimeout(timer);
      return result;
    },
    async sweep() {
      const due = (await outbox.due(nowMs(), SWEEP_LIMIT)).filter(({ id }) => !underWay.has(id));
      // All at once: while the first is being sent, another sweep must not take up the others.
      for (const { id } of due) underWay.add(id);
      for (const stored of due) await attempt(stored);
    },
  };
}

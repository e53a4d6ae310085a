// Delivers the letters of deployments: at once, then again with growing pauses until they arrive or are given up.
//
// Towards the outside a letter goes at least once: after a crash nobody knows whether it arrived. The id of the event goes
// with every try, so that the receiver can drop repeats. Letters of one deployment to one target go in order.

import { errorText } from '../../errors/error-text.ts';
import { backoffMs } from '../../timing/backoff.ts';
import { withTimeout } from '../../timing/with-timeout.ts';
import type { LogEntry } from './deployment.ts';
import type { DeploymentStore, Letter } from './deployment-store.ts';
import type { Deliveries, DeploymentLog, Owners, Timers } from './ports.ts';

export interface PostParts {
  readonly store: Pick<DeploymentStore, 'due' | 'nextDueMs' | 'settle' | 'postpone'>;
  readonly deliveries: Deliveries;
  readonly timers: Timers;
  readonly log: DeploymentLog;
  readonly owners?: Owners | undefined;
}

export interface Post {
  /** Letters may be due. */
  kick(): void;
  /** Sends nothing more; resolves when what is being sent has ended. */
  stop(): Promise<void>;
}

/** Side by side: slow receivers do not hold up the others, and a flood of letters does not open a flood of sockets. */
const AT_ONCE = 8;
/** An alert that is a quarter of an hour old would only do harm. */
const MAX_AGE_MS = 900_000;
const MAX_TRIES = 20;
const PAUSE = { firstMs: 1000, longestMs: 60_000 };
/** Each way of sending has its own limit below this; one that forgets its own must not hold a place for ever. */
const TRY_LIMIT_MS = 30_000;
/** While the storage fails; nothing is sent again meanwhile. */
const STORAGE_PAUSE_MS = 5000;

const noAnswer = (): never => {
  throw new Error(`no answer within ${TRY_LIMIT_MS / 1000} s`);
};

export function createPost({ store, deliveries, timers, log, owners }: PostParts): Post {
  const underWay = new Map<number, Promise<void>>();
  /** Sent, but not yet crossed off in the store: they must not be sent again. */
  const unsettled = new Map<number, LogEntry>();
  let isSweeping = false;
  let mustSweepAgain = false;
  let isStopped = false;
  let sweeping: Promise<void> = Promise.resolve();
  let cancelTimer: (() => void) | undefined;

  function kick(): void {
    if (isStopped) return;
    mustSweepAgain = isSweeping;
    if (isSweeping) return;
    isSweeping = true;
    sweeping = sweep().then((nextMs) => {
      isSweeping = false;
      if (isStopped) return;
      cancelTimer?.();
      cancelTimer = nextMs === undefined ? undefined : timers.after(nextMs, kick);
      if (mustSweepAgain) kick();
    });
  }

  /** How long until the next look. */
  async function sweep(): Promise<number | undefined> {
    try {
      const due = await store.due(timers.nowMs(), AT_ONCE + underWay.size);
      for (const letter of due) if (!isStopped && underWay.size < AT_ONCE && !underWay.has(letter.id)) send(letter);
      const nextMs = await store.nextDueMs(timers.nowMs());
      return nextMs === undefined ? undefined : Math.min(Math.max(nextMs - timers.nowMs(), 1), PAUSE.longestMs);
    } catch (error) {
      log.error({ reason: errorText(error) }, 'alerts cannot be read from the storage; trying again');
      return STORAGE_PAUSE_MS;
    }
  }

  function send(letter: Letter): void {
    const work = attempt(letter).then(
      () => release(letter.id),
      (error: unknown) => {
        log.error(
          { deployment: letter.deployment.id, reason: errorText(error) },
          'a delivery could not be written down',
        );
        // The letter stays taken for a while: it is still due, and the storage needs no second failure at once.
        timers.after(STORAGE_PAUSE_MS, () => release(letter.id));
      },
    );
    underWay.set(letter.id, work);
  }

  function release(id: number): void {
    underWay.delete(id);
    kick();
  }

  async function attempt(letter: Letter): Promise<void> {
    const known = unsettled.get(letter.id);
    const entry = known ?? (await delivered(letter));
    if (entry === undefined) return;
    unsettled.set(letter.id, entry);
    await store.settle(letter, entry);
    unsettled.delete(letter.id);
  }

  /** What to write down when it is over with this letter; undefined when it is tried again. */
  async function delivered(letter: Letter): Promise<LogEntry | undefined> {
    const { event, target, deployment, attempts } = letter;
    const entry = (kind: LogEntry['kind'], message: string): LogEntry => ({
      atMs: timers.nowMs(),
      kind,
      message: `${target.type}: ${message}`,
      barTimeMs: event.barTimeMs,
      eventId: event.id,
    });
    const ageMs = timers.nowMs() - event.createdAtMs;
    if (ageMs > MAX_AGE_MS) return entry('abandoned', 'it had to wait too long and was not sent any more');
    try {
      // Right before it leaves: whoever revokes a key is not spoken for any more.
      if (owners !== undefined && !(await owners.isOwned(deployment.userId)))
        return entry('abandoned', 'not sent, because its key is revoked or has expired');
      return entry(
        'delivered',
        await withTimeout(deliveries.deliver(event, target, deployment), TRY_LIMIT_MS, noAnswer, timers),
      );
    } catch (error) {
      const { retryable = true, retryAfterMs = 0 } = error as { retryable?: boolean; retryAfterMs?: number };
      const reason = errorText(error);
      if (!retryable) return entry('abandoned', reason);
      if (attempts + 1 >= MAX_TRIES) return entry('abandoned', `given up after ${MAX_TRIES} tries: ${reason}`);
      const pauseMs = Math.max(backoffMs(PAUSE, attempts + 1), Math.min(retryAfterMs, MAX_AGE_MS));
      await store.postpone(letter, timers.nowMs() + pauseMs, entry('delivery-failed', reason));
      return undefined;
    }
  }

  return {
    kick,
    async stop() {
      isStopped = true;
      cancelTimer?.();
      await sweeping;
      await Promise.all(underWay.values());
    },
  };
}

// Sends the alerts of deployments to their targets: at once, then again with growing pauses until they arrive or are given up.
//
// The store holds what is still to be sent, so nothing is lost by a crash. But after one nobody knows whether the last try
// arrived, so it is made again: every delivery is sent at least once. The id of the event goes with every try, so that the
// receiver can drop repeats. Deliveries of one deployment to one target go in order.
//
// | what is to be delivered                     | is given up                                                        |
// |---------------------------------------------|--------------------------------------------------------------------|
// | an order that opens or adds, to be traded   | after the grace of its bars; of a reversal the part that opens     |
// | an order that closes, to be traded          | after a day                                                        |
// | anything else                               | after a quarter of an hour, or twenty tries                        |

import { errorText } from '../../errors/error-text.ts';
import { backoffMs } from '../../timing/backoff.ts';
import { withTimeout } from '../../timing/with-timeout.ts';
import type { DeploymentEvent, LogEntry, Target } from './deployment.ts';
import type { Delivery, DeploymentStore } from './deployment-store.ts';
import { entryGraceMs } from './market-track.ts';
import type { AlertSender, DeploymentLog, Owners, Timers } from './ports.ts';
import { closingPart } from './told-position.ts';

export interface DeliveryQueueOptions {
  readonly store: Pick<DeploymentStore, 'due' | 'nextDueMs' | 'settle' | 'postpone'>;
  readonly sender: AlertSender;
  readonly timers: Timers;
  readonly log: DeploymentLog;
  readonly owners?: Owners | undefined;
}

/** Side by side: slow receivers do not hold up the others, and a flood of alerts does not open a flood of sockets. */
const AT_ONCE = 8;
/** Of those, how many may be one owner's: receivers that never answer must leave places to the others. */
const AT_ONCE_PER_OWNER = 4;
/** An alert that is a quarter of an hour old would only do harm. */
const MAX_AGE_MS = 900_000;
const MAX_TRIES = 20;
const MAX_EXIT_AGE_MS = 86_400_000;
const PAUSE = { firstMs: 1000, longestMs: 60_000 };
/** Each way of sending has its own limit below this; one that forgets its own must not hold a place for ever. */
const TRY_LIMIT_MS = 30_000;
/** While the storage fails; nothing is sent again meanwhile. */
const STORAGE_PAUSE_MS = 5000;

const isTrade = ({ type }: Target): boolean => type === 'trade' || type === 'second-opinion';

/** Whether it is to be traded and closes something: a position has nobody else to close it. */
const closes = ({ target, event: { order } }: Delivery): boolean =>
  target.type === 'trade' && order !== null && closingPart(order) !== undefined;

const noAnswer = (): never => {
  throw new Error(`no answer within ${TRY_LIMIT_MS / 1000} s`);
};

export class DeliveryQueue {
  readonly #options: DeliveryQueueOptions;
  readonly #underWay = new Map<number, { readonly delivery: Delivery; readonly work: Promise<void> }>();
  /** Sent, but not yet crossed off in the store: they must not be sent again. */
  readonly #unsettled = new Map<number, LogEntry>();
  #isSweeping = false;
  #mustSweepAgain = false;
  #isStopped = false;
  #sweeping: Promise<void> = Promise.resolve();
  #cancelTimer: (() => void) | undefined;

  constructor(options: DeliveryQueueOptions) {
    this.#options = options;
  }

  /** Looks for what is due; to be called whenever something may be. */
  kick(): void {
    if (this.#isStopped) return;
    this.#mustSweepAgain = this.#isSweeping;
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    this.#sweeping = this.#sweep().then((nextMs) => {
      this.#isSweeping = false;
      if (this.#isStopped) return;
      this.#cancelTimer?.();
      this.#cancelTimer = nextMs === undefined ? undefined : this.#options.timers.after(nextMs, () => this.kick());
      if (this.#mustSweepAgain) this.kick();
    });
  }

  /** Sends nothing more; resolves when what is being sent has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer?.();
    await this.#sweeping;
    await Promise.all([...this.#underWay.values()].map(({ work }) => work));
  }

  /** Begins what is due and has a place; resolves with how long it is until the next look. */
  async #sweep(): Promise<number | undefined> {
    const { store, timers, log } = this.#options;
    const underWay = this.#underWay;
    try {
      const due = await store.due(timers.nowMs(), 2 * AT_ONCE + underWay.size);
      for (const delivery of due)
        if (!this.#isStopped && !underWay.has(delivery.id) && this.#hasPlace(delivery)) this.#begin(delivery);
      const nextMs = await store.nextDueMs(timers.nowMs());
      return nextMs === undefined ? undefined : Math.min(Math.max(nextMs - timers.nowMs(), 1), PAUSE.longestMs);
    } catch (error) {
      log.error({ reason: errorText(error) }, 'alerts cannot be read from the storage; trying again');
      return STORAGE_PAUSE_MS;
    }
  }

  /** What trades goes no further than our own gateway, and waits for nobody's receiver: it has places of its own. */
  #hasPlace({ target, deployment }: Delivery): boolean {
    const others = [...this.#underWay.values()].filter(({ delivery }) => isTrade(delivery.target) === isTrade(target));
    if (others.length >= AT_ONCE) return false;
    if (isTrade(target)) return true;
    return others.filter(({ delivery }) => delivery.deployment.userId === deployment.userId).length < AT_ONCE_PER_OWNER;
  }

  #begin(delivery: Delivery): void {
    const { id, deployment } = delivery;
    const { log, timers } = this.#options;
    const work = this.#attempt(delivery).then(
      () => this.#release(id),
      (error: unknown) => {
        log.error({ deployment: deployment.id, reason: errorText(error) }, 'a delivery could not be written down');
        // It keeps its place for a while: it is still due, and the storage needs no second failure at once.
        timers.after(STORAGE_PAUSE_MS, () => this.#release(id));
      },
    );
    this.#underWay.set(id, { delivery, work });
  }

  #release(id: number): void {
    this.#underWay.delete(id);
    this.kick();
  }

  async #attempt(delivery: Delivery): Promise<void> {
    const { id } = delivery;
    const entry = this.#unsettled.get(id) ?? (await this.#send(delivery));
    if (entry === undefined) return;
    this.#unsettled.set(id, entry);
    await this.#options.store.settle(delivery, entry);
    this.#unsettled.delete(id);
  }

  /** What to write down when it is over with this delivery; undefined when it is tried again. */
  async #send(delivery: Delivery): Promise<LogEntry | undefined> {
    const { sender, owners, timers } = this.#options;
    const { target, deployment } = delivery;
    const event = timelyPart(delivery, timers.nowMs());
    if (event === undefined)
      return this.#entry(delivery, 'abandoned', 'it had to wait too long and was not sent any more');
    try {
      // Asked right before it leaves: once a key is revoked, nothing is sent in its owner's name any more.
      if (owners !== undefined && !(await owners.isOwned(deployment.userId)))
        return this.#entry(delivery, 'abandoned', 'not sent, because its key is revoked or has expired');
      const sending = sender.send(event, target, deployment);
      return this.#entry(delivery, 'delivered', await withTimeout(sending, TRY_LIMIT_MS, noAnswer, timers));
    } catch (error) {
      return this.#afterFailure(delivery, error);
    }
  }

  async #afterFailure(delivery: Delivery, error: unknown): Promise<LogEntry | undefined> {
    const { store, timers } = this.#options;
    const { retryable = true, retryAfterMs = 0 } = error as { retryable?: boolean; retryAfterMs?: number };
    const reason = errorText(error);
    const tries = delivery.attempts + 1;
    if (!retryable) return this.#entry(delivery, 'abandoned', reason);
    if (tries >= MAX_TRIES && !closes(delivery))
      return this.#entry(delivery, 'abandoned', `given up after ${MAX_TRIES} tries: ${reason}`);
    const pauseMs = Math.max(backoffMs(PAUSE, tries), Math.min(retryAfterMs, MAX_AGE_MS));
    await store.postpone(delivery, timers.nowMs() + pauseMs, this.#entry(delivery, 'delivery-failed', reason));
    return undefined;
  }

  #entry({ event, target }: Delivery, kind: LogEntry['kind'], words: string): LogEntry {
    const message = `${target.type}: ${words}`;
    return { atMs: this.#options.timers.nowMs(), kind, message, barTimeMs: event.barTimeMs, eventId: event.id };
  }
}

/** What is not too old yet: all of it, the closing part of a reversal, or nothing. */
function timelyPart({ event, target, deployment }: Delivery, nowMs: number): DeploymentEvent | undefined {
  const ageMs = nowMs - event.createdAtMs;
  const { order } = event;
  if (target.type !== 'trade' || order === null) return ageMs <= MAX_AGE_MS ? event : undefined;
  if (ageMs <= entryGraceMs(deployment.timeframeMs)) return event;
  const closing = ageMs <= MAX_EXIT_AGE_MS ? closingPart(order) : undefined;
  return closing && { ...event, order: closing };
}

// A lease from its claim to its end: it is renewed again and again. What is counted is the time since before the last successful
// renewal was sent, by its holder's own clocks, whatever becomes of the database.
//
//   on time ──its time is over──► late ──the row still has the token──► on time
//      │                           ├──the row has it no longer──► taken
//      └──the row has it no        └──nobody can say for LATE_AT_MOST_MS──► lost
//         longer──► taken
//
// A late holder does nothing under it and has lost nothing yet: the row decides, by one statement, who has it from then on.

import type { Timers } from '../../../timing/timers.ts';
import { LATE_AT_MOST_MS, LEASE_MS, type Lease, type LeaseEnd } from '../../../trading/leases.ts';

const RENEW_EVERY_MS = 1000;
/** After a renewal that failed, or came too late. */
const TRY_AGAIN_MS = 250;

/** By two clocks: one stands still while its machine is suspended, and the other may be set back. */
export interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

const elapsedMs = (from: Moment, to: Moment): number =>
  Math.max(to.monotonicMs - from.monotonicMs, to.wallMs - from.wallMs);

export interface HeldLeaseParts {
  readonly name: string;
  readonly token: number;
  readonly wasReleased: boolean;
  /** When the claim was sent. */
  readonly sentAt: Moment;
  readonly now: () => Moment;
  readonly timers: Timers;
  /** False where somebody else has it. */
  readonly renew: () => Promise<boolean>;
  readonly release: () => Promise<void>;
  /** Free, but not as one that was given back. */
  readonly leave: () => Promise<void>;
  /** Its time is over, and whether it still has it is not known. */
  readonly onLate: () => void;
}

export class HeldLease implements Lease {
  readonly name: string;
  readonly token: number;
  readonly wasReleased: boolean;
  readonly ended: Promise<LeaseEnd>;
  readonly #parts: HeldLeaseParts;
  readonly #end = Promise.withResolvers<LeaseEnd>();
  #renewedAt: Moment;
  #isOver = false;
  #cancelRenewal: () => void = () => {};
  #cancelDeadline: () => void = () => {};

  constructor(parts: HeldLeaseParts) {
    this.#parts = parts;
    this.name = parts.name;
    this.token = parts.token;
    this.wasReleased = parts.wasReleased;
    this.ended = this.#end.promise;
    this.#renewedAt = parts.sentAt;
    this.#watchDeadline();
    this.#renewAfter(RENEW_EVERY_MS);
  }

  remainingMs(): number {
    return this.#isOver ? 0 : Math.max(0, LEASE_MS - elapsedMs(this.#renewedAt, this.#parts.now()));
  }

  heldMs(): number {
    return this.#parts.now().monotonicMs - this.#parts.sentAt.monotonicMs;
  }

  release(): Promise<void> {
    return this.#endBy(this.#parts.release);
  }

  giveBack(): Promise<void> {
    return this.#endBy(this.wasReleased ? this.#parts.release : this.#parts.leave);
  }

  /** One that cannot be given back runs out. */
  async #endBy(end: () => Promise<void>): Promise<void> {
    if (this.#isOver) return;
    this.#over('released');
    await end().catch(() => undefined);
  }

  #renewAfter(delayMs: number): void {
    this.#cancelRenewal = this.#parts.timers.after(delayMs, () => void this.#renew());
  }

  async #renew(): Promise<void> {
    const sentAt = this.#parts.now();
    const isHeld = await this.#parts.renew().catch(() => undefined);
    if (this.#isOver) return;
    if (isHeld === false) return this.#over('taken');
    if (isHeld) this.#renewedAt = sentAt;
    const isOnTime = this.remainingMs() > 0;
    if (isOnTime) this.#watchDeadline();
    this.#renewAfter(isHeld && isOnTime ? RENEW_EVERY_MS : TRY_AGAIN_MS);
  }

  #watchDeadline(): void {
    this.#cancelDeadline();
    this.#cancelDeadline = this.#parts.timers.after(this.remainingMs(), () => this.#late());
  }

  /** From when it is noticed: a process that was held up for long asks first. */
  #late(): void {
    this.#parts.onLate();
    this.#cancelDeadline = this.#parts.timers.after(LATE_AT_MOST_MS, () => this.#over('lost'));
  }

  #over(end: LeaseEnd): void {
    this.#isOver = true;
    this.#cancelRenewal();
    this.#cancelDeadline();
    this.#end.resolve(end);
  }
}

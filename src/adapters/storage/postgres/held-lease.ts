// A lease from its claim to its end: it is renewed again and again, and it ends by its holder's own clock, whatever becomes of
// the database. What is counted is the time since before the last successful renewal was sent.

import type { Timers } from '../../../timing/timers.ts';
import { LEASE_MS, type Lease, type LeaseEnd } from '../../../trading/leases.ts';

const RENEW_EVERY_MS = 1000;
/** After a renewal that failed. */
const TRY_AGAIN_MS = 250;

export interface HeldLeaseParts {
  readonly name: string;
  readonly token: number;
  readonly wasReleased: boolean;
  /** When the claim was sent, by this clock. */
  readonly sentAtMs: number;
  readonly monotonicMs: () => number;
  readonly timers: Timers;
  /** False where somebody else has it. */
  readonly renew: () => Promise<boolean>;
  readonly release: () => Promise<void>;
  /** Free, but not as one that was given back. */
  readonly leave: () => Promise<void>;
}

export class HeldLease implements Lease {
  readonly name: string;
  readonly token: number;
  readonly wasReleased: boolean;
  readonly ended: Promise<LeaseEnd>;
  readonly #parts: HeldLeaseParts;
  readonly #end = Promise.withResolvers<LeaseEnd>();
  #deadlineMs: number;
  #isOver = false;
  #cancelRenewal: () => void = () => {};
  #cancelDeadline: () => void = () => {};

  constructor(parts: HeldLeaseParts) {
    this.#parts = parts;
    this.name = parts.name;
    this.token = parts.token;
    this.wasReleased = parts.wasReleased;
    this.ended = this.#end.promise;
    this.#deadlineMs = parts.sentAtMs + LEASE_MS;
    this.#watchDeadline();
    this.#renewAfter(RENEW_EVERY_MS);
  }

  remainingMs(): number {
    return this.#isOver ? 0 : Math.max(0, this.#deadlineMs - this.#parts.monotonicMs());
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
    // A process that was held up wakes here, and what it would renew may be somebody else's.
    if (this.remainingMs() === 0) return this.#over('lost');
    const sentAtMs = this.#parts.monotonicMs();
    const isHeld = await this.#parts.renew().catch(() => undefined);
    if (this.#isOver) return;
    if (isHeld === false || this.remainingMs() === 0) return this.#over('lost');
    if (isHeld) {
      this.#deadlineMs = sentAtMs + LEASE_MS;
      this.#watchDeadline();
    }
    this.#renewAfter(isHeld ? RENEW_EVERY_MS : TRY_AGAIN_MS);
  }

  #watchDeadline(): void {
    this.#cancelDeadline();
    this.#cancelDeadline = this.#parts.timers.after(this.remainingMs(), () => this.#over('lost'));
  }

  #over(end: LeaseEnd): void {
    this.#isOver = true;
    this.#cancelRenewal();
    this.#cancelDeadline();
    this.#end.resolve(end);
  }
}

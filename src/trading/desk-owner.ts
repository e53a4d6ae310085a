// Waits for the lease of the desk, opens a desk when this process has it, and ends that desk when another process takes over.
//
//   waiting ──lease──► opening ──► owning ──stop──► closing: what is queued gets its time, then the lease is given back ──► ended
//      ▲                  │           │
//      │                  │           └──lost or fenced──► closing: ends at once ──┐
//      └──────────────────┴──could not be opened: the lease is given back──────────┘

import type { Timers } from '../timing/timers.ts';
import { wait } from '../timing/wait.ts';
import { DESK_LEASE, type Lease, type Leases } from './leases.ts';

export type OwnerState = 'waiting' | 'opening' | 'owning' | 'closing' | 'ended';

/** A desk with everything that was opened for it, its storage too. */
export interface OwnedDesk {
  /** In order: what is queued gets its time, and all of it is on disk afterwards. */
  stop(): Promise<void>;
  /** Another process trades: it ends at once, and writes nothing. */
  abandon(): Promise<void>;
}

export interface DeskOwnerParts {
  readonly leases: Pick<Leases, 'claim'>;
  /** Where other processes reach this one. */
  readonly address: string;
  /** The storage of the desk is opened under the lease, and tells by `onFenced` that another process has it. */
  readonly open: (lease: Lease, onFenced: () => void) => Promise<OwnedDesk>;
  readonly timers: Timers;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Another process may be able to do what this one could not, and gets the time for it. */
const AFTER_FAILURE_MS = 1000;

export class DeskOwner {
  readonly #parts: DeskOwnerParts;
  readonly #stopping = new AbortController();
  #state: OwnerState = 'waiting';
  #run: Promise<void> | undefined;

  constructor(parts: DeskOwnerParts) {
    this.#parts = parts;
  }

  get state(): OwnerState {
    return this.#state;
  }

  /** From now on it waits for the lease. */
  start(): void {
    this.#run ??= this.#untilStopped();
  }

  /** Resolves when the desk has ended in order and somebody else may have the lease. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#run;
    this.#state = 'ended';
  }

  async #untilStopped(): Promise<void> {
    const { leases, address } = this.#parts;
    const stop = this.#stopping.signal;
    while (!stop.aborted) {
      this.#state = 'waiting';
      const lease = await leases.claim(DESK_LEASE, { address, stop });
      if (lease !== undefined) await this.#under(lease);
    }
  }

  /** One turn as the owner, from the claim to the end of the lease. Never rejects. */
  async #under(lease: Lease): Promise<void> {
    const { open, onTrouble, timers } = this.#parts;
    const stop = this.#stopping.signal;
    const over = Promise.withResolvers<'stop' | 'lost'>();
    const onStop = (): void => over.resolve('stop');
    const onLoss = (): void => over.resolve('lost');
    stop.addEventListener('abort', onStop);
    void lease.ended.then(onLoss);
    this.#state = 'opening';
    try {
      const desk = await open(lease, onLoss);
      this.#state = 'owning';
      const end = stop.aborted ? 'stop' : await over.promise;
      this.#state = 'closing';
      // In order only while nobody else trades: it may send what is queued.
      await (end === 'stop' && lease.remainingMs() > 0 ? desk.stop() : desk.abandon());
    } catch (error) {
      onTrouble('the desk could not be opened or ended', error);
      await lease.release();
      await wait(AFTER_FAILURE_MS, { stop, timers });
    }
    stop.removeEventListener('abort', onStop);
    await lease.release();
  }
}

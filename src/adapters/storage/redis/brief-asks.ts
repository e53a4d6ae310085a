// Questions to Redis that nobody waits for long: whoever asks can do without the answer, and Redis is asked again when it is back.
//
//   there ── a question fails, or has no answer in time; the connection is lost ──▶ away
//   away  ── a trial, twice a second, is answered in time ──▶ there
//
// All questions under way end with the first that fails, in the order in which they were asked: no signal may overtake
// an earlier one because of a timer.

import { StorageError } from '../../../errors/storage-error.ts';
import type { MaybePromise } from '../../../timing/maybe-promise.ts';
import type { Timers } from '../../../timing/timers.ts';
import { withTimeout } from '../../../timing/with-timeout.ts';

const TRY_EVERY_MS = 500;

export interface BriefAsksOptions {
  /** Host and port, for people. */
  readonly where: string;
  readonly longestMs: number;
  /** What proves that Redis can be asked. */
  readonly trial: () => Promise<unknown>;
  /** Told why Redis is away, once, and undefined when it is back. */
  readonly onState: (fault: Error | undefined) => void;
  readonly timers: Timers;
}

export class BriefAsks {
  readonly #options: BriefAsksOptions;
  /** How each question under way is given up; the first that was asked comes first. */
  readonly #pending = new Set<() => void>();
  #isAway = false;
  #isClosed = false;
  #cancelTrial = (): void => {};

  constructor(options: BriefAsksOptions) {
    this.#options = options;
  }

  /** Undefined at once while Redis is away, and in time where it does not answer. */
  ask<T>(work: () => Promise<T>): MaybePromise<T | undefined> {
    if (this.#isAway || this.#isClosed) return undefined;
    const { promise, resolve } = Promise.withResolvers<T | undefined>();
    const giveUp = (): void => resolve(undefined);
    const { longestMs, timers } = this.#options;
    // A process that was busy itself looks once more at what has arrived meanwhile, before it calls Redis late.
    const cancel = timers.after(longestMs, () => {
      setImmediate(() => this.#pending.has(giveUp) && this.lose(this.#late()));
    });
    const end = (): void => {
      cancel();
      this.#pending.delete(giveUp);
    };
    this.#pending.add(giveUp);
    work().then(
      (answer) => {
        end();
        resolve(answer);
      },
      (error: Error) => {
        // One that was given up has said so already.
        if (this.#pending.has(giveUp)) this.lose(error);
        end();
      },
    );
    return promise;
  }

  /** Redis cannot be asked any more, as far as is known. */
  lose(fault: Error): void {
    if (this.#isAway || this.#isClosed) return;
    this.#isAway = true;
    this.#giveUpAll();
    this.#options.onState(fault);
    this.#tryLater();
  }

  /** Asks once, so that it is known from the start whether Redis is there. */
  async start(): Promise<void> {
    await this.#tried().catch((error: Error) => this.lose(error));
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelTrial();
    this.#giveUpAll();
  }

  #giveUpAll(): void {
    const all = [...this.#pending];
    this.#pending.clear();
    for (const giveUp of all) giveUp();
  }

  #tryLater(): void {
    this.#cancelTrial = this.#options.timers.after(TRY_EVERY_MS, () => {
      this.#tried().then(
        () => this.#comeBack(),
        () => {
          if (!this.#isClosed) this.#tryLater();
        },
      );
    });
  }

  #comeBack(): void {
    if (this.#isClosed) return;
    this.#isAway = false;
    this.#options.onState(undefined);
  }

  #tried(): Promise<unknown> {
    const { trial, longestMs, timers } = this.#options;
    const late = (): never => {
      throw this.#late();
    };
    return withTimeout(trial(), longestMs, late, timers);
  }

  #late(): StorageError {
    const { where, longestMs } = this.#options;
    return new StorageError(
      `Redis at ${where} does not answer within ${longestMs} ms; see whether it is overloaded or cut off`,
    );
  }
}

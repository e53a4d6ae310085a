// A question about one market that many ask at once, where the venue answers it for all markets in one request: those who ask while
// others are being answered share the next request. It begins after all of them have asked, so each answer is as fresh as one of
// his own would be, and a flood of signals costs the venue's limits no more than four questions a second.

import type { Timers } from '../../timing/timers.ts';
import { VenueError } from '../../trading/venue.ts';
import type { VenueMarket } from './venue-adapter.ts';

export interface SharedReadOptions<Answer> {
  readonly one: (market: VenueMarket) => Promise<Answer>;
  /** Resolves with how to take one market's part out; it throws where that is missing. */
  readonly all: () => Promise<(market: VenueMarket) => Answer>;
  readonly monotonicMs: () => number;
  readonly timers: Pick<Timers, 'after'>;
}

interface Asked<Answer> {
  readonly market: VenueMarket;
  readonly resolve: (answer: Answer | Promise<Answer>) => void;
  readonly reject: (error: unknown) => void;
}

/** How often the venue is asked in a flood. */
const EVERY_MS = 250;
/** So many questions go at once after a quiet time: a single signal asks a few times, and must not wait. */
const MOST_AT_ONCE = 4;
/** A request that takes longer than this holds up nobody who has asked since. */
const SLOW_MS = 2_000;
const CLOSED = 'the account is being closed; nothing was sent';

export class SharedRead<Answer> {
  readonly #options: SharedReadOptions<Answer>;
  #asked: Asked<Answer>[] = [];
  #isReading = false;
  #isClosed = false;
  #cancelTimer: (() => void) | undefined;
  /** How many questions may go at once, and when that was so. */
  #credit = MOST_AT_ONCE;
  #creditAtMs: number;

  constructor(options: SharedReadOptions<Answer>) {
    this.#options = options;
    this.#creditAtMs = options.monotonicMs();
  }

  ask(market: VenueMarket): Promise<Answer> {
    if (this.#isClosed) return Promise.reject(new VenueError('not-sent', CLOSED));
    return new Promise((resolve, reject) => {
      this.#asked.push({ market, resolve, reject });
      this.#next();
    });
  }

  /** Who waits for a request that has not begun hears that it never will. */
  close(): void {
    this.#isClosed = true;
    this.#cancelTimer?.();
    for (const { reject } of this.#asked.splice(0)) reject(new VenueError('not-sent', CLOSED));
  }

  #next(): void {
    if (this.#isReading || this.#cancelTimer !== undefined || this.#asked.length === 0) return;
    const { monotonicMs, timers } = this.#options;
    const nowMs = monotonicMs();
    this.#credit = Math.min(MOST_AT_ONCE, this.#credit + (nowMs - this.#creditAtMs) / EVERY_MS);
    this.#creditAtMs = nowMs;
    if (this.#credit >= 1) {
      this.#credit -= 1;
      void this.#read();
      return;
    }
    this.#cancelTimer = timers.after((1 - this.#credit) * EVERY_MS, () => {
      this.#cancelTimer = undefined;
      this.#next();
    });
  }

  async #read(): Promise<void> {
    const asked = this.#asked;
    this.#asked = [];
    this.#isReading = true;
    let isSlow = false;
    const goOn = (): void => {
      this.#isReading = false;
      this.#next();
    };
    const cancelSlow = this.#options.timers.after(SLOW_MS, () => {
      isSlow = true;
      goOn();
    });
    try {
      const answerTo = await this.#answersFor(asked);
      for (const { market, resolve, reject } of asked) {
        try {
          resolve(answerTo(market));
        } catch (error) {
          reject(error);
        }
      }
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
    cancelSlow();
    if (!isSlow) goOn();
  }

  async #answersFor(asked: readonly Asked<Answer>[]): Promise<(market: VenueMarket) => Answer> {
    const [first, ...others] = asked.map(({ market }) => market);
    if (first === undefined || others.some(({ symbol }) => symbol !== first.symbol)) return this.#options.all();
    const answer = await this.#options.one(first);
    return () => answer;
  }
}

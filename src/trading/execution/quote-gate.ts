// The stale-data gate: nothing is opened on a testnet or live account by prices that are too old, or that cannot be had.
//
// An entry there reads the best prices of its market, and is sized by them. Where they are stale it is refused and an alarm is
// raised; from then on they are looked at again and again, and the alarm ends when they are fresh. Closes and stops never ask.

import { errorText } from '../../errors/error-text.ts';
import { accountInWords } from '../accounts.ts';
import type { OnAlarm } from '../notifications/alarm.ts';
import { type Quote, type Venue, VenueError } from '../venue.ts';

export interface QuoteGateParts {
  readonly nowMs: () => number;
  /** A quote that is older is stale. */
  readonly maxAgeMs: number;
  readonly onAlarm?: OnAlarm | undefined;
  readonly onAlarmOver?: ((kind: string) => void) | undefined;
}

/** Of a paper account a quote that cannot be had is neither. */
export interface Quoted {
  readonly quote?: Quote;
  /** From when on it is too old to open anything by. */
  readonly freshUntilMs?: number;
  /** Why nothing may be opened, in words. */
  readonly stale?: string;
}

interface Watched {
  readonly venue: Venue;
  readonly market: string;
  readonly untilMs: number;
}

/** An alarm that is not raised again is forgotten after this time; then nobody looks any more. */
const WATCH_FOR_MS = 10 * 60_000;

export class QuoteGate {
  readonly #parts: QuoteGateParts;
  /** Markets with an alarm, by its kind, in the order in which they are looked at. */
  readonly #watched = new Map<string, Watched>();
  #isLooking = false;

  constructor(parts: QuoteGateParts) {
    this.#parts = parts;
  }

  /** No answer is as bad as an old one, so a venue's failure is told and not thrown. */
  async look(venue: Venue, market: string): Promise<Quoted> {
    const { nowMs, maxAgeMs } = this.#parts;
    try {
      const quote = await venue.quote?.(market);
      if (venue.mode === 'paper') return quote ? { quote } : {};
      if (quote === undefined) return { stale: staleInWords(venue, market, 'cannot be had there') };
      const ageMs = nowMs() - quote.atMs;
      if (Math.abs(ageMs) <= maxAgeMs) return { quote, freshUntilMs: Math.min(quote.atMs, nowMs()) + maxAgeMs };
      const words =
        ageMs > 0
          ? `are ${inSeconds(ageMs)} s old, and an entry may go by ${maxAgeMs / 1000} s (STALE_QUOTE_S)`
          : `are dated ${inSeconds(-ageMs)} s ahead, so nobody knows how old they are: check the clock of this machine`;
      return { stale: staleInWords(venue, market, words) };
    } catch (error) {
      if (!(error instanceof VenueError)) throw error;
      return venue.mode === 'paper' ? {} : { stale: staleInWords(venue, market, `cannot be had: ${errorText(error)}`) };
    }
  }

  /** Something was not opened because of it. */
  raise(venue: Venue, market: string, stale: string): void {
    const { nowMs, onAlarm } = this.#parts;
    const kind = `stale prices ${accountInWords(venue)} ${market}`;
    this.#watched.set(kind, { venue, market, untilMs: nowMs() + WATCH_FOR_MS });
    onAlarm?.(kind, `An entry was refused: ${stale}`);
  }

  /** Ends the alarms whose prices are fresh again. One market that is still stale ends the round: looks cost requests. */
  async lookAgain(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      for (const [kind, watched] of [...this.#watched]) {
        const { venue, market, untilMs } = watched;
        this.#watched.delete(kind);
        if (untilMs <= this.#parts.nowMs()) continue;
        const { stale } = await this.look(venue, market);
        if (stale !== undefined) {
          this.#watched.set(kind, this.#watched.get(kind) ?? watched);
          return;
        }
        // Another entry may have met stale prices meanwhile.
        if (!this.#watched.has(kind)) this.#parts.onAlarmOver?.(kind);
      }
    } finally {
      this.#isLooking = false;
    }
  }
}

/** Upward, so that what is too old never looks as if it were not. */
const inSeconds = (ms: number): number => Math.ceil(ms / 100) / 10;

const staleInWords = (venue: Venue, market: string, what: string): string =>
  `the prices of ${market} on ${accountInWords(venue)} ${what}; nothing was sent. Closing works; send the entry again when they are fresh`;

// The last price of each market, asked for at most once a second, and for a few seconds more while the venue is silent.

import { UpstreamError } from './upstream-error.ts';
import type { VenueFeed } from './venue-feed.ts';

export interface LastPricesOptions {
  readonly feed: Pick<VenueFeed, 'lastPrice'>;
  readonly monotonicMs: () => number;
  /** So long one answer serves everybody who asks, also the answer that there is none. */
  readonly freshMs: number;
  /** So long the price before it serves while the venue does not answer. */
  readonly staleMs: number;
}

const MAX_PRICES = 1_000;

/** What is known of one market. */
interface Note {
  /** The question under way. */
  asking?: Promise<void> | undefined;
  text?: string;
  textMs: number;
  fault?: unknown;
  faultMs: number;
}

export class LastPrices {
  readonly #options: LastPricesOptions;
  readonly #notes = new Map<string, Note>();

  constructor(options: LastPricesOptions) {
    this.#options = options;
  }

  /** The price as decimal text. Rejects with the venue's fault when no price is new enough. */
  async of(market: string): Promise<string> {
    const { monotonicMs, freshMs, staleMs } = this.#options;
    const note = this.#noteOf(market);
    const isFresh = (): boolean => note.text !== undefined && monotonicMs() - note.textMs < freshMs;
    if (!isFresh() && monotonicMs() - note.faultMs >= freshMs) {
      note.asking ??= this.#ask(market, note);
      await note.asking;
    }
    const isUsable = isFresh() || (note.fault instanceof UpstreamError && monotonicMs() - note.textMs < staleMs);
    if (note.text === undefined || !isUsable) throw note.fault;
    return note.text;
  }

  #noteOf(market: string): Note {
    const known = this.#notes.get(market);
    if (known) return known;
    const oldest = this.#notes.keys().next();
    if (this.#notes.size >= MAX_PRICES && !oldest.done) this.#notes.delete(oldest.value);
    const note: Note = { textMs: Number.NEGATIVE_INFINITY, faultMs: Number.NEGATIVE_INFINITY };
    this.#notes.set(market, note);
    return note;
  }

  /** One question at a time for each market, whoever asks. Its outcome is in the note. */
  async #ask(market: string, note: Note): Promise<void> {
    const { feed, monotonicMs } = this.#options;
    try {
      const text = await feed.lastPrice(market);
      Object.assign(note, { text, textMs: monotonicMs() });
    } catch (fault) {
      Object.assign(note, { fault, faultMs: monotonicMs() });
    }
    note.asking = undefined;
  }
}

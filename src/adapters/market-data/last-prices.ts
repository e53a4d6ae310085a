// The last price of each market, asked for at most once a second, and for a few seconds more while the venue is silent. Who wants many
// prices at once, as stops in many markets do, costs the venue one question: one for each would take what orders need.

import { UpstreamError } from './upstream-error.ts';
import type { VenueFeed } from './venue-feed.ts';

export interface LastPricesOptions {
  readonly feed: Pick<VenueFeed, 'lastPrice' | 'lastPrices' | 'maxSinglePrices'>;
  readonly monotonicMs: () => number;
  /** So long one answer serves everybody who asks, also the answer that there is none. */
  readonly freshMs: number;
  /** So long the price before it serves while the venue does not answer. */
  readonly staleMs: number;
}

const MAX_PRICES = 1_000;

/** A market whose price is to be asked for, and what is to be called when its note is written. */
interface Wanted {
  readonly market: string;
  readonly note: Note;
  readonly done: () => void;
}

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
  /** Markets whose prices are asked for as soon as everybody of this moment has said which he wants. */
  #wanted: Wanted[] = [];

  constructor(options: LastPricesOptions) {
    this.#options = options;
  }

  /** The price as decimal text. Rejects with the venue's fault when no price is new enough. */
  async of(market: string): Promise<string> {
    const { monotonicMs, freshMs, staleMs } = this.#options;
    const note = this.#noteOf(market);
    const isFresh = (): boolean => note.text !== undefined && monotonicMs() - note.textMs < freshMs;
    if (!isFresh() && monotonicMs() - note.faultMs >= freshMs) {
      note.asking ??= this.#askSoon(market, note);
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
  #askSoon(market: string, note: Note): Promise<void> {
    if (this.#wanted.length === 0) setImmediate(() => this.#ask(this.#wanted.splice(0)));
    return new Promise((done) => this.#wanted.push({ market, note, done }));
  }

  async #ask(wanted: readonly Wanted[]): Promise<void> {
    const { feed } = this.#options;
    const all = wanted.length > feed.maxSinglePrices ? feed.lastPrices() : undefined;
    const priceOf = async (market: string): Promise<string> => (await all)?.get(market) ?? feed.lastPrice(market);
    await Promise.all(wanted.map((one) => this.#take(one, priceOf(one.market))));
  }

  async #take({ note, done }: Wanted, price: Promise<string>): Promise<void> {
    const { monotonicMs } = this.#options;
    try {
      const text = await price;
      Object.assign(note, { text, textMs: monotonicMs() });
    } catch (fault) {
      Object.assign(note, { fault, faultMs: monotonicMs() });
    }
    note.asking = undefined;
    done();
  }
}

// A venue's markets and their rules, read once and kept: rules change rarely, and a signal must not wait for them.

import { UnknownMarket } from '../../trading/venue.ts';
import type { MarketList, VenueMarket } from './venue-adapter.ts';

export interface MarketTableOptions {
  readonly title: string;
  readonly monotonicMs: () => number;
  readonly load: () => Promise<MarketList>;
  readonly log: { warn(fields: object, message: string): void };
}

/** Changed rules and new listings are seen after it. */
const KEPT_MS = 3_600_000;
/** An unknown name may be a new listing, and a refusal may mean new rules; asked about more often, anyone could make us ask the venue without end. */
const LOOK_AGAIN_MS = 60_000;
const MAX_SHOWN_CHARS = 40;
const UNREADABLE = 'its rules there cannot be read any more';
const GONE = 'it is listed there no more';

export class MarketTable {
  readonly #options: MarketTableOptions;
  #markets: ReadonlyMap<string, VenueMarket> = new Map();
  #unreadable: ReadonlySet<string> = new Set();
  #loadedMs = Number.NEGATIVE_INFINITY;
  #loading: Promise<void> | undefined;

  constructor(options: MarketTableOptions) {
    this.#options = options;
  }

  /** Rejects with UnknownMarket for one that the venue does not have, or whose rules cannot be read. */
  async find(name: string): Promise<VenueMarket> {
    const ageMs = this.#options.monotonicMs() - this.#loadedMs;
    const known = this.#markets.get(name);
    if (known !== undefined) {
      // Read again in the background: its failure is no reason to stop trading by the rules at hand.
      if (ageMs >= KEPT_MS) this.#load().catch(() => {});
      return known;
    }
    if (ageMs >= LOOK_AGAIN_MS) await this.#load();
    const found = this.#markets.get(name);
    if (found !== undefined) return found;
    const shown = JSON.stringify(name.slice(0, MAX_SHOWN_CHARS));
    const { title } = this.#options;
    if (this.#unreadable.has(name))
      throw new UnknownMarket(
        `${title} lists ${shown} with rules that Signalbox cannot read, so it cannot be traded here; close what is held there at ${title} itself`,
      );
    throw new UnknownMarket(`${title} has no perpetual futures market ${shown}; check the symbol`);
  }

  async all(): Promise<readonly VenueMarket[]> {
    if (this.#markets.size === 0) await this.#load();
    return [...this.#markets.values()];
  }

  /** The venue has refused something, so it may have changed its rules: they are read again, in the background. */
  doubt(): void {
    if (this.#options.monotonicMs() - this.#loadedMs >= LOOK_AGAIN_MS) this.#load().catch(() => {});
  }

  /** Without asking anybody. */
  known(name: string): VenueMarket | undefined {
    return this.#markets.get(name);
  }

  /** One question at a time, whoever asks. */
  #load(): Promise<void> {
    this.#loading ??= this.#options
      .load()
      .then((markets) => {
        this.#take(markets);
        this.#loadedMs = this.#options.monotonicMs();
      })
      .finally(() => {
        this.#loading = undefined;
      });
    return this.#loading;
  }

  /** One that is listed no more, or whose rules cannot be read any more, can still be closed by the rules that it had. */
  #take({ markets, unreadable }: MarketList): void {
    const { title, log } = this.#options;
    const left = [...this.#markets].filter(([name]) => !markets.has(name));
    const news = [...unreadable].filter((name) => !this.#unreadable.has(name));
    if (news.length > 0)
      log.warn({ markets: news }, `${title} lists markets whose rules cannot be read; signals for them are refused`);
    this.#unreadable = unreadable;
    this.#markets = new Map([
      ...left.map(
        ([name, market]) => [name, { ...market, noEntries: unreadable.has(name) ? UNREADABLE : GONE }] as const,
      ),
      ...markets,
    ]);
  }
}

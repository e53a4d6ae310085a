// A venue's list of contracts, read once and kept: it tells which markets exist and how the venue spells them.

import { FeedRefusal } from '../../market-data/bar-feed.ts';
import type { Contract } from './venue-protocol.ts';

export interface ContractListOptions {
  readonly title: string;
  readonly monotonicMs: () => number;
  readonly load: () => Promise<ReadonlyMap<string, Contract>>;
}

/** New listings and changed rules are seen after it. */
const KEPT_MS = 3_600_000;
/** An unknown name may be a new listing; asked about more often, anyone could make us ask the venue without end. */
const LOOK_AGAIN_MS = 60_000;
/** Past this a list that cannot be read again is no longer believed. */
const MAX_AGE_MS = 24 * 3_600_000;
const MAX_SHOWN_CHARS = 40;

export class ContractList {
  readonly #options: ContractListOptions;
  #contracts: ReadonlyMap<string, Contract> = new Map();
  #loadedMs = Number.NEGATIVE_INFINITY;
  #loading: Promise<void> | undefined;

  constructor(options: ContractListOptions) {
    this.#options = options;
  }

  /** Rejects with FeedRefusal for a market that the venue does not have. */
  async find(market: string): Promise<Contract> {
    const ageMs = this.#options.monotonicMs() - this.#loadedMs;
    const known = this.#contracts.get(market);
    if (known !== undefined && ageMs < MAX_AGE_MS) {
      // Read again in the background: with a list at hand nobody has to wait, and its failure is no reason to stop.
      if (ageMs >= KEPT_MS) this.#load().catch(() => {});
      return known;
    }
    if (ageMs >= LOOK_AGAIN_MS) await this.#load();
    const found = this.#contracts.get(market);
    if (found !== undefined) return found;
    const name = JSON.stringify(market.slice(0, MAX_SHOWN_CHARS));
    throw new FeedRefusal(`${this.#options.title} has no perpetual futures market ${name}; check the symbol`);
  }

  /** Every market there is. Rejects where the venue cannot be asked and no list is at hand. */
  async all(): Promise<readonly Contract[]> {
    const ageMs = this.#options.monotonicMs() - this.#loadedMs;
    if (ageMs >= MAX_AGE_MS) await this.#load();
    else if (ageMs >= KEPT_MS) this.#load().catch(() => {});
    return [...this.#contracts.values()];
  }

  /** One question at a time, whoever asks. */
  #load(): Promise<void> {
    this.#loading ??= this.#options
      .load()
      .then((contracts) => {
        this.#contracts = contracts;
        this.#loadedMs = this.#options.monotonicMs();
      })
      .finally(() => {
        this.#loading = undefined;
      });
    return this.#loading;
  }
}

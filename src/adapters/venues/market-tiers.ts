// The leverage tiers of a venue's markets. Most venues tell them with their list of markets; where they would be pages and pages, they
// are asked for when something is to be opened in a market, once, and kept like the other rules.
//
// They only save an order that would be refused: where they cannot be had, nothing waits for them, and the venue itself refuses.

import type { Timers } from '../../timing/timers.ts';
import { withTimeout } from '../../timing/with-timeout.ts';
import { ZERO } from '../../trading/decimal.ts';
import type { LeverageTier, LeverageTiers } from '../../trading/leverage-tiers.ts';
import type { VenueAdapter, VenueMarket } from './venue-adapter.ts';

/** As a venue tells them, in any order; undefined where one of them makes no sense: then the venue alone judges. */
export function tiersFrom(by: LeverageTiers['by'], read: () => readonly LeverageTier[]): LeverageTiers | undefined {
  try {
    const tiers = read().toSorted((a, b) => (a.upTo < b.upTo ? -1 : 1));
    const makeSense = tiers.every(({ upTo, maxLeverage }) => upTo > ZERO && maxLeverage >= 1);
    return makeSense && tiers.length > 0 ? { by, tiers } : undefined;
  } catch {
    return undefined;
  }
}

export interface MarketTiersOptions {
  readonly adapter: Pick<VenueAdapter, 'leverageTiers'>;
  readonly monotonicMs: () => number;
  readonly timers: Timers;
}

/** As long as the list of markets. */
const KEPT_MS = 3_600_000;
/** A venue that does not tell them is not asked with every order. */
const ASK_AGAIN_MS = 60_000;
/** No order waits longer for them. */
const MAX_WAIT_MS = 2_000;

interface Known {
  readonly tiers: LeverageTiers | undefined;
  readonly askAgainAtMs: number;
}

export class MarketTiers {
  readonly #options: MarketTiersOptions;
  readonly #known = new Map<string, Known>();
  readonly #asking = new Map<string, Promise<LeverageTiers | undefined>>();

  constructor(options: MarketTiersOptions) {
    this.#options = options;
  }

  /** Never rejects; undefined where they are not known. */
  async of(market: VenueMarket): Promise<LeverageTiers | undefined> {
    const { adapter, monotonicMs, timers } = this.#options;
    if (adapter.leverageTiers === undefined) return market.leverageTiers;
    const known = this.#known.get(market.symbol);
    if (known !== undefined && monotonicMs() < known.askAgainAtMs) return known.tiers;
    const told = this.#ask(market);
    return known?.tiers ?? withTimeout(told, MAX_WAIT_MS, () => undefined, timers);
  }

  /** One question at a time for each market, whoever asks. What was known stays where it is not answered. */
  #ask(market: VenueMarket): Promise<LeverageTiers | undefined> {
    const { symbol } = market;
    const asking = this.#asking.get(symbol);
    if (asking !== undefined) return asking;
    const asked = this.#read(market).finally(() => this.#asking.delete(symbol));
    this.#asking.set(symbol, asked);
    return asked;
  }

  async #read(market: VenueMarket): Promise<LeverageTiers | undefined> {
    const { adapter, monotonicMs } = this.#options;
    const told = await adapter.leverageTiers?.(market).catch(() => undefined);
    const keptMs = told === undefined ? ASK_AGAIN_MS : KEPT_MS;
    const tiers = told ?? this.#known.get(market.symbol)?.tiers;
    this.#known.set(market.symbol, { tiers, askAgainAtMs: monotonicMs() + keptMs });
    return tiers;
  }
}

// The rules by which stops of a market are placed: its tick and step, and whether its account nets. Venues change the first two and the
// owner the last, so they are asked for again and again; a venue's own table answers, so that is no request.

import type { Market } from '../venue.ts';
import { laneAt, type Place } from './stop-places.ts';

export interface MarketRules {
  readonly market: Pick<Market, 'tickSize' | 'stepSize' | 'minQuantity'>;
  readonly netted: boolean;
}

/** Where nothing is to be done in a market, a change is seen after this time. */
const KEPT_MS = 60_000;

export class RulesOfMarkets {
  readonly #monotonicMs: () => number;
  /** By lane. */
  readonly #known = new Map<string, { readonly rules: MarketRules; readonly readMs: number }>();

  constructor({ monotonicMs }: { readonly monotonicMs: () => number }) {
    this.#monotonicMs = monotonicMs;
  }

  /** As they were read last; undefined before that. */
  of(place: Place): MarketRules | undefined {
    return this.#known.get(laneAt(place))?.rules;
  }

  isToRead(place: Place): boolean {
    const known = this.#known.get(laneAt(place));
    return known === undefined || this.#monotonicMs() - known.readMs >= KEPT_MS;
  }

  /** Where they cannot be read, the last ones stay: what stands by them must be looked after. Rejects where there are none. */
  async read(place: Place): Promise<void> {
    const rules = await rulesAt(place).catch((error: unknown) => {
      const last = this.of(place);
      if (last === undefined) throw error;
      return last;
    });
    this.#known.set(laneAt(place), { rules, readMs: this.#monotonicMs() });
  }
}

async function rulesAt({ venue, market: name }: Place): Promise<MarketRules> {
  const market = await venue.market(name);
  return { market, netted: (await venue.positionMode()) === 'one-way' };
}

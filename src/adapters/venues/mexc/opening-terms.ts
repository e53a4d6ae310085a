// MEXC wants the margin type and the leverage with every order that opens. Who has just set the leverage of a market knows both: the
// order that follows need not ask again, which would halve the rate of orders. They are handed over once, and only for a moment.

import type { PositionSide } from '../../../trading/venue.ts';
import type { VenueMarket } from '../venue-adapter.ts';
import type { VenueClient } from '../venue-client.ts';
import * as account from './account.ts';
import type { OpeningTerms } from './orders.ts';

const SIDES = ['LONG', 'SHORT'] as const;
/** An order follows its leverage within milliseconds; what is older may have been changed by hand. */
const HANDED_OVER_FOR_MS = 1_000;

type TermsOfSides = Readonly<Record<PositionSide, OpeningTerms>>;

export class OpeningTermsReader {
  readonly #client: Pick<VenueClient, 'send'>;
  readonly #nowMs: () => number;
  readonly #known = new Map<string, { readonly terms: TermsOfSides; readonly atMs: number }>();

  constructor(client: Pick<VenueClient, 'send'>, nowMs: () => number) {
    this.#client = client;
    this.#nowMs = nowMs;
  }

  async setLeverage(market: VenueMarket, leverage: number): Promise<void> {
    this.#known.delete(market.symbol);
    const terms = await this.#read(market);
    if (SIDES.some((side) => terms[side].leverage !== leverage)) await this.#change(market, terms, leverage);
    const { LONG, SHORT } = terms;
    const asSet = { LONG: { ...LONG, leverage }, SHORT: { ...SHORT, leverage } };
    this.#known.set(market.symbol, { terms: asSet, atMs: this.#nowMs() });
  }

  /** For an order that is sent now. */
  async of(market: VenueMarket, side: PositionSide): Promise<OpeningTerms> {
    const known = this.#known.get(market.symbol);
    this.#known.delete(market.symbol);
    const isFresh = known !== undefined && Math.abs(this.#nowMs() - known.atMs) < HANDED_OVER_FOR_MS;
    return (isFresh ? known.terms : await this.#read(market))[side];
  }

  async #read(market: VenueMarket): Promise<TermsOfSides> {
    const told = await this.#client.send(account.termsCall(market));
    return { LONG: account.readTerms(told, 'LONG'), SHORT: account.readTerms(told, 'SHORT') };
  }

  async #change(market: VenueMarket, terms: TermsOfSides, leverage: number): Promise<void> {
    const positions = await this.#client.send(account.positionsCall(market));
    for (const side of SIDES) {
      const { openType, leverage: present } = terms[side];
      const id = account.positionIdOf(positions, side);
      if (present !== leverage) await this.#client.send(account.leverageCall(market, side, { openType, leverage }, id));
    }
  }
}

// The accounts of an emulated venue, told apart by their API keys. Each has a market of its own, so that nobody but it trades there, at the
// prices of the first one; numbers of orders, stops and trades are those of the venue, so that no two accounts have one of the same.

import type { Credentials, EmulatedAccount } from './emulated-venue.ts';
import { MatchingMarket, type MatchingMarketOptions } from './matching-market.ts';

/** More than any test makes. */
const IDS_OF_AN_ACCOUNT = 10_000_000;

export interface KeptAccount<Parts> extends EmulatedAccount {
  /** Of the venue's protocol. */
  readonly parts: Parts;
}

export class VenueAccounts<Parts> {
  readonly first: KeptAccount<Parts>;
  readonly #options: MatchingMarketOptions;
  readonly #partsOf: (account: EmulatedAccount) => Parts;
  readonly #byKey = new Map<string, KeptAccount<Parts>>();

  constructor(options: MatchingMarketOptions, credentials: Credentials, partsOf: (account: EmulatedAccount) => Parts) {
    this.#options = options;
    this.#partsOf = partsOf;
    this.first = this.#keep(new MatchingMarket(options), credentials);
  }

  open(credentials: Credentials): KeptAccount<Parts> {
    if (this.#byKey.has(credentials.apiKey))
      throw new Error('another account has this API key; give it one of its own');
    const market = new MatchingMarket({ ...this.#options, idsFrom: this.#byKey.size * IDS_OF_AN_ACCOUNT });
    const account = this.#keep(market, credentials);
    market.follow(this.first.market);
    return account;
  }

  #keep(market: MatchingMarket, credentials: Credentials): KeptAccount<Parts> {
    const account = { market, credentials, parts: this.#partsOf({ market, credentials }) };
    this.#byKey.set(credentials.apiKey, account);
    return account;
  }

  find(apiKey: string): KeptAccount<Parts> | undefined {
    return this.#byKey.get(apiKey);
  }

  all(): readonly KeptAccount<Parts>[] {
    return [...this.#byKey.values()];
  }

  close(): void {
    for (const { market } of this.#byKey.values()) market.close();
  }
}

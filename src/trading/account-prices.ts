// Where the prices of each account come from: all paper accounts share one source, every other account has that of its own venue.

import type { AccountName } from './accounts.ts';

/** By exchange and mode. An account that is not open has a source that knows no price, never that of another account. */
export type PricesOf<Source> = (account: Pick<AccountName, 'exchange' | 'mode'>) => Source;

/** What is shown of a source: its name, of which "simulated" is not a real market, and last prices as decimal text. */
export interface ShownPrices {
  readonly label: string;
  lastPrice(market: string): Promise<string>;
}

/** Each source of these accounts once, in their order; `none` where there is no account. */
export const sourcesInWords = (
  accounts: readonly Pick<AccountName, 'exchange' | 'mode'>[],
  pricesOf: PricesOf<Pick<ShownPrices, 'label'>>,
): string => [...new Set(accounts.map((account) => pricesOf(account).label))].join(', ') || 'none';

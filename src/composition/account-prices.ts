// The prices of each account: those on paper go by MARKET_DATA, every other one by its own venue, whatever MARKET_DATA says.

import type { Config } from '../config.ts';
import type { Exchange } from '../exchanges/exchange.ts';
import type { PricesOf } from '../trading/account-prices.ts';
import type { Venue } from '../trading/venue.ts';
import { openVenuePrices, type Prices } from './market.ts';
import type { ProcessContext } from './process-context.ts';
import type { Teardown } from './teardown.ts';

export interface AccountPricesParts {
  readonly context: Pick<ProcessContext, 'log' | 'alarms'> & { readonly config: Pick<Config, 'venues'> };
  /** The accounts that are open. */
  readonly accounts: readonly Pick<Venue, 'exchange' | 'mode'>[];
  /** Those of MARKET_DATA. */
  readonly paper: Prices;
  readonly teardown: Teardown;
}

/** Accounts of one mode at one venue share its feed; nobody waits here for a venue that is away. */
export async function openAccountPrices(parts: AccountPricesParts): Promise<PricesOf<Prices>> {
  const { context, accounts, paper, teardown } = parts;
  const ofVenues = new Map<string, Prices>();
  for (const { exchange, mode } of accounts) {
    if (mode === 'paper' || ofVenues.has(keyOf(exchange, mode))) continue;
    const { baseUrl } = context.config.venues[exchange];
    ofVenues.set(keyOf(exchange, mode), await openVenuePrices({ exchange, mode, baseUrl }, context, teardown));
  }
  return ({ exchange, mode }) =>
    mode === 'paper' ? paper : (ofVenues.get(keyOf(exchange, mode)) ?? unknownPrices(exchange, mode));
}

const keyOf = (exchange: Exchange, mode: Venue['mode']): string => `${exchange} ${mode}`;

/** Of positions that are still in the books of an account that is not open now. */
function unknownPrices(exchange: Exchange, mode: Venue['mode']): Prices {
  const reject = async (): Promise<never> => {
    throw new Error(`no ${mode} account of ${exchange} is open, so its prices are not read`);
  };
  return { label: exchange, lastPrice: reject, bars: reject, range: reject, markets: reject };
}

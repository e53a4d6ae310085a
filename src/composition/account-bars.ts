// The bars of each deployment: on paper those of MARKET_DATA, at a testnet or live account those of its own exchange, whatever
// MARKET_DATA says.

import { EXCHANGE_ROWS, settingPrefix } from '../exchanges/exchange.ts';
import { type BarOrigin, type BarSource, type MarketBars, ownBarsName } from '../library/deployments/index.ts';
import { type BarMarket, openVenueBars, type RealVenue } from './market.ts';
import type { ProcessContext } from './process-context.ts';
import type { ScriptConfig } from './script-config.ts';
import type { Teardown } from './teardown.ts';

export interface AccountBarsParts {
  readonly context: ProcessContext<ScriptConfig>;
  /** Of MARKET_DATA. */
  readonly market: BarMarket;
  readonly teardown: Teardown;
}

/** Nobody waits here for a venue that is away. */
export async function openAccountBars(parts: AccountBarsParts): Promise<BarOrigin> {
  const { marketData, realVenues } = parts.context.config;
  const own = new Map<string, BarSource | string>();
  for (const venue of realVenues) own.set(venue.exchange, await openOwnBars(venue, parts));
  return { marketData, own };
}

async function openOwnBars(venue: RealVenue, parts: AccountBarsParts): Promise<BarSource | string> {
  const { exchange, mode } = venue;
  const { context, market, teardown } = parts;
  const name = ownBarsName(exchange, mode);
  const opened = isMarketData(venue, context.config) ? market : await openVenueBars(venue, name, context, teardown);
  return opened === undefined
    ? `${EXCHANGE_ROWS[exchange].title} is set to ${mode} and has no testnet; set ${settingPrefix(exchange)}_MODE to paper or live, and restart.`
    : { name, isOwn: true, ...barsOver(opened) };
}

/** One feed is enough where MARKET_DATA is the very same, at no other address. */
const isMarketData = ({ exchange, mode, baseUrl }: RealVenue, { marketData, marketDataUrls }: ScriptConfig): boolean =>
  marketData === exchange &&
  mode === 'live' &&
  [baseUrl, marketDataUrls.restUrl, marketDataUrls.wsUrl].every((url) => url === undefined);

export const barsOver = ({ archive, hub }: BarMarket): MarketBars => ({
  bars: (market, timeframeMs, fromMs, toMs) => archive.bars(market, timeframeMs, fromMs, toMs),
  follow: (market, timeframeMs, listener) => hub.follow(market, timeframeMs, listener),
});

// What each exchange asks of an order on paper: its fees, ticks, steps, minimums and leverage, as the real one publishes them.

import { EXCHANGE_ROWS, EXCHANGES, type Exchange } from '../../../exchanges/exchange.ts';
import type { MarketRow } from '../../../exchanges/exchange-row.ts';
import { stepsFromPrice } from '../../../exchanges/market-steps.ts';
import { type Decimal, decimal } from '../../../trading/decimal.ts';
import type { Market } from '../../../trading/venue.ts';
import { type MarginTier, tiersOf } from './margin-tiers.ts';
import { depthOf } from './market-depth.ts';

/** A market as the paper venue knows it. */
export interface PaperMarket extends Market {
  readonly maxQuantity: Decimal;
  /** USDT that rest within 1 % of the price, on either side. */
  readonly depth: Decimal;
  readonly tiers: readonly MarginTier[];
}

export interface VenueTerms {
  readonly makerFee: Decimal;
  readonly takerFee: Decimal;
  /** Of what the venue closes because the margin is used up, in place of the taker fee. */
  readonly liquidationFee: Decimal;
  /** Until a signal sets another; never above the market's own maximum. */
  readonly defaultLeverage: number;
  /** For markets outside the table. */
  readonly minNotional: string;
  readonly maxLeverage: number;
}

/** Modelled on Binance's liquidation fee of the large markets, taken for all of them. */
const LIQUIDATION_FEE = decimal('0.0125');

interface PaperRules {
  readonly terms: VenueTerms;
  readonly markets: ReadonlyMap<string, PaperMarket>;
}

const RULES = Object.fromEntries(EXCHANGES.map((exchange) => [exchange, rulesOf(exchange)])) as Readonly<
  Record<Exchange, PaperRules>
>;

function rulesOf(exchange: Exchange): PaperRules {
  const { fees, paper, markets } = EXCHANGE_ROWS[exchange];
  const terms = {
    makerFee: decimal(fees.maker),
    takerFee: decimal(fees.taker),
    liquidationFee: LIQUIDATION_FEE,
    ...paper,
  };
  return { terms, markets: new Map(markets.map((row) => [row[0], marketFrom(row, 1)])) };
}

/** The price counts only for a market whose depth is not in the table. */
function marketFrom([symbol, tick, step, minNotional, maxLeverage]: MarketRow, price: number): PaperMarket {
  const stepSize = decimal(step);
  const { depth, maxQuantity, tiers } = depthOf(symbol, price);
  return Object.freeze({
    symbol,
    tickSize: decimal(tick),
    stepSize,
    minQuantity: stepSize,
    minNotional: decimal(minNotional),
    maxLeverage,
    maxQuantity: maxQuantity < stepSize ? stepSize : maxQuantity,
    depth,
    tiers: tiersOf(tiers, maxLeverage),
  });
}

export const venueTerms = (exchange: Exchange): VenueTerms => RULES[exchange].terms;

/** Undefined for a market outside the exchange's table: then its price decides, see `rulesFromPrice`. */
export const listedRules = (exchange: Exchange, market: string): PaperMarket | undefined =>
  RULES[exchange].markets.get(market);

export function rulesFromPrice(exchange: Exchange, market: string, price: number): PaperMarket {
  const { minNotional, maxLeverage } = RULES[exchange].terms;
  const { tick, step } = stepsFromPrice(price);
  return marketFrom([market, tick, step, minNotional, maxLeverage], price);
}

/** By the table, else by the price; undefined where neither is at hand. */
export function rulesAt(exchange: Exchange, market: string, lastPrice: string | undefined): PaperMarket | undefined {
  const listed = listedRules(exchange, market);
  if (listed !== undefined || lastPrice === undefined) return listed;
  return rulesFromPrice(exchange, market, Number(lastPrice));
}

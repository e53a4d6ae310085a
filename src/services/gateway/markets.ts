// GET /markets: the markets that can be traded, with their rules and what they trade at.

import { z } from 'zod';
import { EXCHANGES, type Exchange } from '../../exchanges/exchange.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import type { MarketList, QuotedMarket } from '../../market-data/market-list.ts';
import { nearestMarkets } from '../../market-data/nearest-markets.ts';
import type { PriceSource } from '../../market-data/price-source.ts';
import { toNumber } from '../../trading/decimal.ts';
import { marketOf } from '../../trading/intake/market-symbol.ts';
import type { Market } from '../../trading/venue.ts';
import { answer } from './admin-answers.ts';
import { readQuery } from './read-query.ts';
import { ok, refused } from './responses.ts';
import { errorSchema } from './schemas.ts';

export interface MarketsDeps {
  readonly prices: MarketList & Pick<PriceSource, 'label'>;
  /** What an exchange asks of an order; undefined where it goes by the price and there is none. Asks nobody. */
  readonly rulesOf: (exchange: Exchange, market: string, lastPrice: string | undefined) => Market | undefined;
  readonly onFault: (error: unknown, requestId: string) => void;
}

const marketsQuerySchema = z.strictObject({
  exchange: z.enum(EXCHANGES).optional(),
  symbol: z.string().min(1).max(64).optional().meta({ description: 'Only this market, in any of its spellings' }),
});

const marketSchema = z.object({
  exchange: z.enum(EXCHANGES),
  symbol: z.string(),
  tickSize: z.number().nullable().meta({ description: 'Prices are multiples of it; null while no price is known' }),
  stepSize: z.number().nullable().meta({ description: 'Quantities are multiples of it' }),
  minQuantity: z.number().nullable(),
  minNotional: z.number().nullable().meta({ description: 'Least value in USDT of an order that opens' }),
  maxQuantity: z.number().nullable().meta({ description: 'Largest order that opens, in base currency' }),
  maxLeverage: z.int().nullable(),
  lastPrice: z.number().nullable(),
  source: z.enum(['simulated', ...EXCHANGES]).meta({ description: 'Where the prices come from' }),
});

export const marketEndpoints = ({ prices, rulesOf, onFault }: MarketsDeps): readonly Endpoint[] => [
  {
    method: 'get',
    path: '/markets',
    summary: 'The markets that can be traded, with their rules and last prices',
    tags: ['Market data'],
    query: marketsQuerySchema,
    responses: {
      ...ok('Markets, by exchange', z.array(marketSchema)),
      400: refused('INVALID_QUERY'),
      422: {
        description: 'UNKNOWN_SYMBOL: there is no such market',
        schema: errorSchema.extend({ nearest: z.array(z.string()) }),
      },
      502: refused('MARKET_DATA_UNREACHABLE: the venue does not answer'),
    },
    async handler(c) {
      const { exchange, symbol } = readQuery(c, marketsQuerySchema);
      const all = await prices.markets().catch((error: Error) => {
        onFault(error, c.var.requestId);
        throw new Refusal('MARKET_DATA_UNREACHABLE', error.message, { cause: error });
      });
      const wanted = symbol === undefined ? all : [only(all, symbol)];
      const exchanges = exchange === undefined ? EXCHANGES : [exchange];
      const view = (at: Exchange, { market, lastPrice }: QuotedMarket) => ({
        exchange: at,
        symbol: market,
        ...rulesView(rulesOf(at, market, lastPrice)),
        lastPrice: lastPrice === undefined ? null : Number(lastPrice),
        source: prices.label,
      });
      return answer(
        c,
        exchanges.flatMap((at) => wanted.map((market) => view(at, market))),
      );
    },
  },
];

function only(all: readonly QuotedMarket[], symbol: string): QuotedMarket {
  const market = marketOf(symbol);
  if (market === undefined) throw new Refusal('INVALID_QUERY', 'symbol: names no market, send one such as BTCUSDT');
  const found = all.find((quoted) => quoted.market === market);
  if (found !== undefined) return found;
  const names = all.map((quoted) => quoted.market);
  const nearest = nearestMarkets(market, names);
  const remedy = nearest.length === 0 ? 'GET /markets lists them' : `did you mean ${nearest.join(', ')}?`;
  throw new Refusal('UNKNOWN_SYMBOL', `there is no market ${market}; ${remedy}`, { extra: { nearest } });
}

const rulesView = (rules: Market | undefined) => ({
  tickSize: rules === undefined ? null : toNumber(rules.tickSize),
  stepSize: rules === undefined ? null : toNumber(rules.stepSize),
  minQuantity: rules === undefined ? null : toNumber(rules.minQuantity),
  minNotional: rules === undefined ? null : toNumber(rules.minNotional),
  maxQuantity: rules?.maxQuantity === undefined ? null : toNumber(rules.maxQuantity),
  maxLeverage: rules?.maxLeverage ?? null,
});

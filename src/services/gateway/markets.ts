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
  readonly pricesAt: (exchange: Exchange) => MarketList & Pick<PriceSource, 'label'>;
  /** What an exchange asks of an order; undefined where it goes by the price and there is none. Asks nobody. */
  readonly rulesOf: (exchange: Exchange, market: string, lastPrice: string | undefined) => Market | undefined;
  readonly onFault: (error: unknown, requestId: string) => void;
}

const marketsQuerySchema = z.strictObject({
  exchange: z.enum(EXCHANGES).optional(),
  symbol: z.string().min(1).max(64).optional().meta({ description: 'Only this market, in any of its spellings' }),
});

export const marketSchema = z.object({
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

export const marketEndpoints = ({ pricesAt, rulesOf, onFault }: MarketsDeps): readonly Endpoint[] => [
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
      const exchanges = exchange === undefined ? EXCHANGES : [exchange];
      const listed = await listsOf(exchanges, pricesAt).catch((error: Error) => {
        onFault(error, c.var.requestId);
        throw new Refusal('MARKET_DATA_UNREACHABLE', error.message, { cause: error });
      });
      const wanted = symbol === undefined ? listed : only(listed, symbol);
      const view = ({ at, source, market, lastPrice }: ListedMarket) => ({
        exchange: at,
        symbol: market,
        ...rulesView(rulesOf(at, market, lastPrice)),
        lastPrice: lastPrice === undefined ? null : Number(lastPrice),
        source,
      });
      return answer(c, wanted.map(view));
    },
  },
];

interface ListedMarket extends QuotedMarket {
  readonly at: Exchange;
  readonly source: PriceSource['label'];
}

/** What each exchange has; exchanges that go by the same prices share one question. */
async function listsOf(exchanges: readonly Exchange[], pricesAt: MarketsDeps['pricesAt']): Promise<ListedMarket[]> {
  const sources = [...new Set(exchanges.map(pricesAt))];
  const lists = new Map(await Promise.all(sources.map(async (each) => [each, await each.markets()] as const)));
  return exchanges.flatMap((at) => {
    const source = pricesAt(at);
    return (lists.get(source) ?? []).map((quoted) => ({ ...quoted, at, source: source.label }));
  });
}

function only(all: readonly ListedMarket[], symbol: string): readonly ListedMarket[] {
  const market = marketOf(symbol);
  if (market === undefined) throw new Refusal('INVALID_QUERY', 'symbol: names no market, send one such as BTCUSDT');
  const found = all.filter((quoted) => quoted.market === market);
  if (found.length > 0) return found;
  const names = [...new Set(all.map((quoted) => quoted.market))];
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

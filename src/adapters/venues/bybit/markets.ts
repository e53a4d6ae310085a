// Bybit's markets: instruments-info, page by page, as rules for orders.

import { smaller } from '../../../trading/decimal.ts';
import { type Fields, fieldsOf } from '../../read-json.ts';
import { AnswerReader } from '../read-answer.ts';
import type { VenueMarket } from '../venue-adapter.ts';
import type { VenueClient } from '../venue-client.ts';
import { READ, TITLE } from './dialect.ts';
import { pagesOf } from './pages.ts';

const read = new AnswerReader(TITLE);
const PAGE_SIZE = 1000;

export async function readMarkets(client: VenueClient): Promise<ReadonlyMap<string, VenueMarket>> {
  const instruments = await pagesOf(client, {
    ...{ method: 'GET', section: 'public', path: 'v5/market/instruments-info', cost: READ },
    params: { category: 'linear', limit: PAGE_SIZE },
  });
  const markets = new Map<string, VenueMarket>();
  for (const instrument of instruments) {
    const { symbol, contractType, status } = instrument;
    if (typeof symbol !== 'string' || contractType !== 'LinearPerpetual' || status !== 'Trading') continue;
    markets.set(symbol, marketOf(symbol, instrument));
  }
  return markets;
}

function marketOf(symbol: string, { priceFilter, lotSizeFilter, leverageFilter }: Fields): VenueMarket {
  const lot = fieldsOf(lotSizeFilter);
  return {
    ...{ symbol, venueSymbol: symbol, tickSize: read.decimal(fieldsOf(priceFilter).tickSize) },
    stepSize: read.decimal(lot.qtyStep),
    minQuantity: read.decimal(lot.minOrderQty),
    minNotional: read.decimal(lot.minNotionalValue ?? '0'),
    maxQuantity: smaller(read.decimal(lot.maxOrderQty), read.decimal(lot.maxMktOrderQty ?? lot.maxOrderQty)),
    maxLeverage: Number(fieldsOf(leverageFilter).maxLeverage),
  };
}

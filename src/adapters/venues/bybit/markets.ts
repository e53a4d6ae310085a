// Bybit's markets: instruments-info, page by page, as rules for orders.

import { smaller } from '../../../trading/decimal.ts';
import type { LeverageTiers } from '../../../trading/leverage-tiers.ts';
import { type Fields, fieldsOf } from '../../read-json.ts';
import { haltOf, readMarketList } from '../market-list.ts';
import { tiersFrom } from '../market-tiers.ts';
import { AnswerReader } from '../read-answer.ts';
import type { MarketList, VenueMarket } from '../venue-adapter.ts';
import type { CallParams, VenueCall } from '../venue-call.ts';
import type { VenueClient } from '../venue-client.ts';
import { READ, TITLE } from './dialect.ts';
import { pagesOf } from './pages.ts';

const read = new AnswerReader(TITLE);
const PAGE_SIZE = 1000;

export async function readMarkets(client: VenueClient): Promise<MarketList> {
  const call = (filter: CallParams): VenueCall => ({
    ...{ method: 'GET', section: 'public', path: 'v5/market/instruments-info', cost: READ },
    params: { category: 'linear', limit: PAGE_SIZE, ...filter },
  });
  const [listed, delivering] = await Promise.all([
    pagesOf(client, call({})),
    // Left out of the list unless asked for; without them the others can be traded all the same.
    pagesOf(client, call({ status: 'Delivering' })).catch((): readonly Fields[] => []),
  ]);
  return readMarketList([...listed, ...delivering], {
    nameOf: ({ symbol, contractType }) =>
      typeof symbol === 'string' && contractType === 'LinearPerpetual' ? symbol : undefined,
    read: marketOf,
  });
}

function marketOf(symbol: string, { priceFilter, lotSizeFilter, leverageFilter, status }: Fields): VenueMarket {
  const lot = fieldsOf(lotSizeFilter);
  return {
    ...{ symbol, venueSymbol: symbol, tickSize: read.decimal(fieldsOf(priceFilter).tickSize) },
    stepSize: read.decimal(lot.qtyStep),
    minQuantity: read.decimal(lot.minOrderQty),
    minNotional: read.decimal(lot.minNotionalValue ?? '0'),
    maxQuantity: smaller(read.decimal(lot.maxOrderQty), read.decimal(lot.maxMktOrderQty ?? lot.maxOrderQty)),
    ...haltOf(status, 'Trading'),
    maxLeverage: read.positive(fieldsOf(leverageFilter).maxLeverage),
  };
}

/** Of one market: all of them would be a request for every fifteen markets. */
export async function readLeverageTiers(
  client: VenueClient,
  { venueSymbol }: VenueMarket,
): Promise<LeverageTiers | undefined> {
  const rows = await pagesOf(client, {
    ...{ method: 'GET', section: 'public', path: 'v5/market/risk-limit', cost: READ },
    params: { category: 'linear', symbol: venueSymbol },
  });
  const own = rows.filter(({ symbol }) => symbol === venueSymbol);
  return tiersFrom('worth', () =>
    own.map(({ riskLimitValue, maxLeverage }) => ({
      upTo: read.decimal(riskLimitValue),
      maxLeverage: read.positive(maxLeverage),
    })),
  );
}

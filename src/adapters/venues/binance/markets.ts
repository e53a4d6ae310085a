// Binance's markets: the filters of exchangeInfo as rules for orders, and the highest leverage of each.

import { type Decimal, decimal, ZERO } from '../../../trading/decimal.ts';
import { type Fields, fieldsOf } from '../../read-json.ts';
import { haltOf, readMarketList } from '../market-list.ts';
import { AnswerReader } from '../read-answer.ts';
import type { MarketList, VenueMarket } from '../venue-adapter.ts';
import type { VenueClient } from '../venue-client.ts';
import { READ, TITLE } from './dialect.ts';

const read = new AnswerReader(TITLE);
/** Where the brackets of a market are not told. */
const DEFAULT_MAX_LEVERAGE = 20;

export async function readMarkets(client: VenueClient): Promise<MarketList> {
  const [info, brackets] = await Promise.all([
    client.send({ method: 'GET', section: 'fapiPublic', path: 'exchangeInfo', cost: READ(1) }),
    client.send({ method: 'GET', section: 'fapiPrivate', path: 'leverageBracket', cost: READ(1) }),
  ]);
  const leverages = read.byMarket(read.list(brackets), maxLeverageOf);
  return readMarketList(read.list(fieldsOf(info).symbols), {
    // One that is being settled is called PERPETUAL_DELIVERING.
    nameOf: ({ symbol, contractType }) =>
      typeof symbol === 'string' && String(contractType).includes('PERPETUAL') ? symbol : undefined,
    read: (name, row) => marketOf(name, row, leverages.get(name) ?? DEFAULT_MAX_LEVERAGE),
  });
}

function marketOf(name: string, symbol: Fields, maxLeverage: number): VenueMarket {
  const filters = new Map(read.list(symbol.filters).map((filter) => [filter.filterType, filter]));
  const price = filters.get('PRICE_FILTER');
  const lot = filters.get('LOT_SIZE');
  const marketLot = filters.get('MARKET_LOT_SIZE');
  if (price === undefined || lot === undefined) return read.fail();
  const stepSize = read.decimal(lot.stepSize);
  const maxQuantity = smallestOf([lot.maxQty, marketLot?.maxQty].map(decimalOrZero));
  return {
    ...{ symbol: name, venueSymbol: name, tickSize: read.decimal(price.tickSize), stepSize, maxLeverage },
    minQuantity: read.decimal(lot.minQty),
    minNotional: decimalOrZero(filters.get('MIN_NOTIONAL')?.notional),
    ...(maxQuantity > ZERO && { maxQuantity }),
    ...haltOf(symbol.status, 'TRADING'),
  };
}

/** The first bracket is that of the smallest positions. */
function maxLeverageOf(row: Fields): number {
  const leverages = read.list(row.brackets).map(({ initialLeverage }) => Number(initialLeverage));
  return Math.max(1, ...leverages.filter(Number.isFinite));
}

const decimalOrZero = (value: unknown): Decimal => (typeof value === 'string' ? decimal(value) : ZERO);

const smallestOf = (values: readonly Decimal[]): Decimal =>
  values
    .filter((value) => value > ZERO)
    .reduce((least, value) => (least === ZERO || value < least ? value : least), ZERO);

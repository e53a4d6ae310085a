// Binance's markets: the filters of exchangeInfo as rules for orders, and the leverage brackets of each.

import { type Decimal, decimal, larger, times, ZERO } from '../../../trading/decimal.ts';
import type { LeverageTier } from '../../../trading/leverage-tiers.ts';
import { type Fields, fieldsOf } from '../../read-json.ts';
import { haltOf, readMarketList } from '../market-list.ts';
import { tiersFrom } from '../market-tiers.ts';
import { AnswerReader } from '../read-answer.ts';
import type { MarketList, VenueMarket } from '../venue-adapter.ts';
import type { VenueClient } from '../venue-client.ts';
import { READ, TITLE } from './dialect.ts';

const read = new AnswerReader(TITLE);
const ONE = decimal(1);
/** Where the brackets of a market are not told. */
const DEFAULT_MAX_LEVERAGE = 20;

export async function readMarkets(client: VenueClient): Promise<MarketList> {
  const [info, brackets] = await Promise.all([
    client.send({ method: 'GET', section: 'fapiPublic', path: 'exchangeInfo', cost: READ(1) }),
    client.send({ method: 'GET', section: 'fapiPrivate', path: 'leverageBracket', cost: READ(1) }),
  ]);
  const leverages = read.byMarket(read.list(brackets), leveragesOf);
  return readMarketList(read.list(fieldsOf(info).symbols), {
    // One that is being settled is called PERPETUAL_DELIVERING.
    nameOf: ({ symbol, contractType }) =>
      typeof symbol === 'string' && String(contractType).includes('PERPETUAL') ? symbol : undefined,
    read: (name, row) => marketOf(name, row, leverages.get(name) ?? { maxLeverage: DEFAULT_MAX_LEVERAGE }),
  });
}

function marketOf(name: string, symbol: Fields, leverages: BracketLeverages): VenueMarket {
  const filters = new Map(read.list(symbol.filters).map((filter) => [filter.filterType, filter]));
  const price = filters.get('PRICE_FILTER');
  const lot = filters.get('LOT_SIZE');
  const marketLot = filters.get('MARKET_LOT_SIZE');
  if (price === undefined || lot === undefined) return read.fail();
  const stepSize = read.decimal(lot.stepSize);
  const maxQuantity = smallestOf([lot.maxQty, marketLot?.maxQty].map(decimalOrZero));
  return {
    ...{ symbol: name, venueSymbol: name, tickSize: read.decimal(price.tickSize), stepSize, ...leverages },
    minQuantity: read.decimal(lot.minQty),
    minNotional: decimalOrZero(filters.get('MIN_NOTIONAL')?.notional),
    ...(maxQuantity > ZERO && { maxQuantity }),
    ...haltOf(symbol.status, 'TRADING'),
  };
}

type BracketLeverages = Pick<VenueMarket, 'maxLeverage' | 'leverageTiers'>;

/** The first bracket is that of the smallest positions. */
function leveragesOf(row: Fields): BracketLeverages {
  const leverages = read.list(row.brackets).map(({ initialLeverage }) => Number(initialLeverage));
  const leverageTiers = tiersFrom('worth', () => bracketTiers(row));
  return { maxLeverage: Math.max(1, ...leverages.filter(Number.isFinite)), ...(leverageTiers && { leverageTiers }) };
}

/**
 * Some accounts have brackets that are so many times larger. Binance does not say whether they are worked into the bounds that it
 * tells: taken as if they are not, nothing is refused that Binance would take.
 */
function bracketTiers({ brackets, notionalCoef }: Fields): readonly LeverageTier[] {
  const coefficient = larger(ONE, read.decimalOrNone(notionalCoef) ?? ONE);
  return read.list(brackets).map(({ notionalCap, initialLeverage }) => ({
    upTo: times(read.decimal(notionalCap), coefficient),
    maxLeverage: read.positive(initialLeverage),
  }));
}

const decimalOrZero = (value: unknown): Decimal => (typeof value === 'string' ? decimal(value) : ZERO);

const smallestOf = (values: readonly Decimal[]): Decimal =>
  values
    .filter((value) => value > ZERO)
    .reduce((least, value) => (least === ZERO || value < least ? value : least), ZERO);

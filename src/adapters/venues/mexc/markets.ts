// MEXC's markets: its contracts as rules for orders. MEXC counts contracts; our rules are in base currency.

import { times, ZERO } from '../../../trading/decimal.ts';
import { type Fields, fieldsOf } from '../../read-json.ts';
import { haltOf, readMarketList } from '../market-list.ts';
import { AnswerReader } from '../read-answer.ts';
import type { MarketList, VenueMarket } from '../venue-adapter.ts';
import type { VenueClient } from '../venue-client.ts';
import { PUBLIC, TITLE } from './dialect.ts';

const TRADING = 'trading';
/** MEXC's numbers for them. */
const STATES: Readonly<Record<string, string>> = {
  ...{ '0': TRADING, '1': 'in delivery', '2': 'delivered', '3': 'taken down', '4': 'paused' },
};

const read = new AnswerReader(TITLE);

export async function readMarkets(client: VenueClient): Promise<MarketList> {
  const body = await client.send({ method: 'GET', section: PUBLIC, path: 'detail', cost: { contracts: 1 } });
  return readMarketList(read.list(fieldsOf(body).data), {
    // What settles in its base coin is no linear contract.
    nameOf: ({ baseCoin, quoteCoin, settleCoin }) =>
      typeof baseCoin === 'string' && typeof quoteCoin === 'string' && settleCoin === quoteCoin
        ? `${baseCoin}${quoteCoin}`
        : undefined,
    read: marketOf,
  });
}

function marketOf(symbol: string, contract: Fields): VenueMarket {
  const contractSize = read.decimal(contract.contractSize);
  const inBase = (contracts: unknown) => times(read.decimal(contracts), contractSize);
  return {
    ...{ symbol, venueSymbol: read.text(contract.symbol), contractSize, minNotional: ZERO },
    tickSize: read.decimal(contract.priceUnit),
    stepSize: inBase(contract.volUnit),
    minQuantity: inBase(contract.minVol),
    maxQuantity: inBase(contract.maxVol),
    ...haltOf(STATES[String(contract.state)] ?? contract.state, TRADING),
    maxLeverage: read.positive(contract.maxLeverage),
  };
}

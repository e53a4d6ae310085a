// MEXC's markets: its contracts as rules for orders. MEXC counts contracts; our rules are in base currency.

import { times, ZERO } from '../../../trading/decimal.ts';
import { type Fields, fieldsOf } from '../../read-json.ts';
import { AnswerReader } from '../read-answer.ts';
import type { VenueMarket } from '../venue-adapter.ts';
import type { VenueClient } from '../venue-client.ts';
import { PUBLIC, TITLE } from './dialect.ts';

const read = new AnswerReader(TITLE);

export async function readMarkets(client: VenueClient): Promise<ReadonlyMap<string, VenueMarket>> {
  const body = await client.send({ method: 'GET', section: PUBLIC, path: 'detail', cost: { contracts: 1 } });
  const markets = new Map<string, VenueMarket>();
  for (const contract of read.list(fieldsOf(body).data)) {
    const { baseCoin, quoteCoin, settleCoin, state } = contract;
    // What settles in its base coin is no linear contract.
    if (state !== '0' || typeof baseCoin !== 'string' || typeof quoteCoin !== 'string' || settleCoin !== quoteCoin)
      continue;
    markets.set(`${baseCoin}${quoteCoin}`, marketOf(`${baseCoin}${quoteCoin}`, contract));
  }
  return markets;
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
    maxLeverage: Number(contract.maxLeverage),
  };
}

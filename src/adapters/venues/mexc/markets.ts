// MEXC's markets: its contracts as rules for orders. MEXC counts contracts; our rules are in base currency.

import { type Decimal, decimal, floorTo, over, plus, times, toNumber, ZERO } from '../../../trading/decimal.ts';
import type { LeverageTier, LeverageTiers } from '../../../trading/leverage-tiers.ts';
import { type Fields, fieldsOf } from '../../read-json.ts';
import { haltOf, readMarketList } from '../market-list.ts';
import { tiersFrom } from '../market-tiers.ts';
import { AnswerReader } from '../read-answer.ts';
import type { MarketList, VenueMarket } from '../venue-adapter.ts';
import type { VenueClient } from '../venue-client.ts';
import { PUBLIC, TITLE } from './dialect.ts';

const ONE = decimal(1);
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
  const leverageTiers = tiersOf(contract, contractSize);
  return {
    ...{ symbol, venueSymbol: read.text(contract.symbol), contractSize, minNotional: ZERO },
    tickSize: read.decimal(contract.priceUnit),
    stepSize: inBase(contract.volUnit),
    minQuantity: inBase(contract.minVol),
    maxQuantity: inBase(contract.maxVol),
    ...haltOf(STATES[String(contract.state)] ?? contract.state, TRADING),
    maxLeverage: read.positive(contract.maxLeverage),
    ...(leverageTiers && { leverageTiers }),
  };
}

/** MEXC's words for what its tiers go by: contracts, or the worth of the position. */
const BY: Readonly<Record<string, LeverageTiers['by']>> = { BY_VOLUME: 'quantity', BY_VALUE: 'worth' };
/** Tiers that grow by a fixed step have at most so many levels. */
const MAX_LEVELS = 1_000;

function tiersOf(contract: Fields, contractSize: Decimal): LeverageTiers | undefined {
  const by = BY[String(contract.riskLimitType)];
  if (by === undefined) return undefined;
  const tiers = contract.riskLimitMode === 'CUSTOM' ? customTiers : steppedTiers;
  return tiersFrom(by, () =>
    tiers(contract).map(({ upTo, maxLeverage }) => ({
      upTo: by === 'quantity' ? times(upTo, contractSize) : upTo,
      maxLeverage,
    })),
  );
}

const customTiers = ({ riskLimitCustom }: Fields): readonly LeverageTier[] =>
  read
    .list(riskLimitCustom)
    .map(({ maxVol, maxLeverage }) => ({ upTo: read.decimal(maxVol), maxLeverage: read.positive(maxLeverage) }));

/** Each level is larger by the same volume, and wants more initial margin by the same rate; the leverage is what that margin allows. */
function steppedTiers(contract: Fields): readonly LeverageTier[] {
  const amount = (name: string): Decimal => read.decimal(contract[name]);
  const levels = Math.min(MAX_LEVELS, read.positive(contract.riskLevelLimit));
  return Array.from({ length: levels }, (_, level) => {
    const steps = decimal(level);
    const marginRate = plus(amount('initialMarginRate'), times(steps, amount('riskIncrImr')));
    return {
      upTo: plus(amount('riskBaseVol'), times(steps, amount('riskIncrVol'))),
      maxLeverage: level === 0 ? read.positive(contract.maxLeverage) : toNumber(floorTo(over(ONE, marginRate), ONE)),
    };
  });
}

// A venue's list of markets, read row by row: one whose rules make no sense is left out, and does not take the others with it.
//
// One that the venue does not let trade at the moment stays in the list: what is held there may still be closed, as far as the venue
// allows it. Only entries are refused.

import { ZERO } from '../../trading/decimal.ts';
import type { Fields } from '../read-json.ts';
import type { MarketList, VenueMarket } from './venue-adapter.ts';

export interface MarketRows {
  /** Our name of it; undefined for a contract of another kind than ours. */
  readonly nameOf: (row: Fields) => string | undefined;
  /** Throws where its rules cannot be read. */
  readonly read: (name: string, row: Fields) => VenueMarket;
}

export function readMarketList(rows: readonly Fields[], { nameOf, read }: MarketRows): MarketList {
  const markets = new Map<string, VenueMarket>();
  const unreadable = new Set<string>();
  for (const row of rows) {
    const name = nameOf(row);
    if (name === undefined) continue;
    const market = readOrNone(name, row, read);
    if (market === undefined) unreadable.add(name);
    // An earlier contract of the same name may still be listed: the one that trades has it.
    else if (market.noEntries === undefined || !markets.has(name)) markets.set(name, market);
  }
  for (const name of markets.keys()) unreadable.delete(name);
  return { markets, unreadable };
}

/** Why nothing is opened in a market of this status; undefined where it trades. */
export const haltOf = (status: unknown, trading: string): Pick<VenueMarket, 'noEntries'> =>
  status === trading ? {} : { noEntries: `its status there is ${String(status)}` };

function readOrNone(name: string, row: Fields, read: MarketRows['read']): VenueMarket | undefined {
  try {
    const market = read(name, row);
    return makesSense(market) ? market : undefined;
  } catch {
    return undefined;
  }
}

const makesSense = ({
  tickSize,
  stepSize,
  minQuantity,
  minNotional,
  maxLeverage,
  contractSize,
}: VenueMarket): boolean =>
  tickSize > ZERO &&
  stepSize > ZERO &&
  minQuantity >= ZERO &&
  minNotional >= ZERO &&
  maxLeverage >= 1 &&
  (contractSize === undefined || contractSize > ZERO);

// The account at MEXC: what it is worth, what it holds, its position mode and its leverages.

import { times, ZERO } from '../../../trading/decimal.ts';
import type {
  AccountSummary,
  MarginMode,
  MarginModes,
  PositionMode,
  PositionSide,
  VenuePosition,
} from '../../../trading/venue.ts';
import { type Fields, fieldsOf } from '../../read-json.ts';
import { type HeldPositions, readHeld } from '../held-positions.ts';
import { AnswerReader } from '../read-answer.ts';
import type { VenueMarket } from '../venue-adapter.ts';
import type { VenueCall } from '../venue-call.ts';
import { PRIVATE, TITLE } from './dialect.ts';
import type { OpeningTerms } from './orders.ts';

const read = new AnswerReader(TITLE);
const POSITION_TYPES = { LONG: '1', SHORT: '2' } as const;
const SIDES: Readonly<Record<string, PositionSide>> = { '1': 'LONG', '2': 'SHORT' };

export const SUMMARY_CALL: VenueCall = {
  ...{ method: 'GET', section: PRIVATE, path: 'account/assets', cost: { account: 1 } },
};
export const POSITION_MODE_CALL: VenueCall = {
  ...{ method: 'GET', section: PRIVATE, path: 'position/position_mode', cost: { account: 1 } },
};
export const positionsCall = ({ venueSymbol: symbol }: VenueMarket): VenueCall => ({
  ...{ method: 'GET', section: PRIVATE, path: 'position/open_positions', cost: { positions: 1 } },
  params: { symbol },
});
/** Of the whole account. */
export const ALL_POSITIONS_CALL: VenueCall = {
  ...{ method: 'GET', section: PRIVATE, path: 'position/open_positions', cost: { positions: 1 } },
};
export const termsCall = ({ venueSymbol: symbol }: VenueMarket): VenueCall => ({
  ...{ method: 'GET', section: PRIVATE, path: 'position/leverage', cost: { leverages: 1 } },
  params: { symbol },
});

/** Of an open position by its id; else of the side that will be opened. */
export const leverageCall = (
  { venueSymbol: symbol }: VenueMarket,
  side: PositionSide,
  { openType, leverage }: OpeningTerms,
  positionId: string | undefined,
): VenueCall => ({
  ...{ method: 'POST', section: PRIVATE, path: 'position/change_leverage', cost: { 'leverage-changes': 1 } },
  params:
    positionId === undefined
      ? { symbol, openType, leverage, positionType: Number(POSITION_TYPES[side]) }
      : { positionId, leverage },
});

const rowsOf = (body: unknown): readonly Fields[] => read.list(fieldsOf(body).data);

export function readSummary(body: unknown): AccountSummary {
  const usdt = rowsOf(body).find(({ currency }) => currency === 'USDT') ?? read.fail();
  return {
    balance: read.decimal(usdt.cashBalance),
    unrealizedPnl: read.decimal(usdt.unrealized),
    equity: read.decimal(usdt.equity),
    marginInUse: read.decimal(usdt.positionMargin),
    available: read.decimal(usdt.availableBalance),
  };
}

export const readPositionMode = (body: unknown): PositionMode => {
  const { data } = fieldsOf(body);
  if (data !== '1' && data !== '2') return read.fail();
  return data === '1' ? 'hedge' : 'one-way';
};

/** Of one market. */
export const readPositions = (body: unknown, market: VenueMarket): readonly VenuePosition[] =>
  openRows(body).map((row) => readPosition(row, market));

/** Of the whole account. What `marketOf` does not know settles in another coin, or its contracts cannot be counted. */
export const readHeldPositions = (
  body: unknown,
  marketOf: (venueSymbol: string) => VenueMarket | undefined,
): HeldPositions => {
  const marketIn = ({ symbol }: Fields) => marketOf(read.text(symbol));
  return readHeld(rowsOf(body), {
    marketOf: (row) => marketIn(row)?.symbol,
    read: (row) => (isOpen(row) ? readPosition(row, marketIn(row) ?? read.fail()) : undefined),
  });
};

function readPosition(row: Fields, { symbol, contractSize }: VenueMarket): VenuePosition {
  const liquidationPrice = read.decimal(row.liquidatePrice);
  return {
    ...{ market: symbol, side: SIDES[read.text(row.positionType)] ?? read.fail() },
    quantity: times(read.decimal(row.holdVol), contractSize ?? read.fail()),
    entryPrice: read.decimal(row.holdAvgPrice),
    leverage: Number(row.leverage),
    margin: read.decimal(row.im),
    ...(liquidationPrice > ZERO && { liquidationPrice }),
  };
}

const isOpen = ({ holdVol }: Fields): boolean => read.decimal(holdVol) > ZERO;

const openRows = (body: unknown): readonly Fields[] => rowsOf(body).filter(isOpen);

export const positionIdOf = (body: unknown, side: PositionSide): string | undefined => {
  const found = openRows(body).find(({ positionType }) => positionType === POSITION_TYPES[side]);
  return found && read.text(found.positionId);
};

/** MEXC wants both with every order that opens. */
export function readTerms(body: unknown, side: PositionSide): OpeningTerms {
  const found = rowsOf(body).find(({ positionType }) => positionType === POSITION_TYPES[side]) ?? read.fail();
  return { openType: read.positive(found.openType ?? '1'), leverage: read.positive(found.leverage) };
}

const MARGIN_MODES: Readonly<Record<string, MarginMode>> = { '1': 'isolated', '2': 'cross' };

/** Of one market: each side has its own. */
export function readMarginModes(body: unknown): MarginModes {
  const of = (side: PositionSide): MarginMode => MARGIN_MODES[readTerms(body, side).openType] ?? read.fail();
  return { LONG: of('LONG'), SHORT: of('SHORT') };
}

// The account at Binance: what it is worth, what it holds, its position mode and its leverages.

import { absolute, ZERO } from '../../../trading/decimal.ts';
import type { KeyPermissions } from '../../../trading/key-permissions.ts';
import type { AccountSummary, MarginMode, MarginModes, PositionMode, VenuePosition } from '../../../trading/venue.ts';
import { type Fields, fieldsOf } from '../../read-json.ts';
import { type HeldPositions, readHeld } from '../held-positions.ts';
import { AnswerReader } from '../read-answer.ts';
import type { VenueMarket } from '../venue-adapter.ts';
import type { VenueCall } from '../venue-call.ts';
import { READ, TITLE } from './dialect.ts';

const read = new AnswerReader(TITLE);

export const SUMMARY_CALL: VenueCall = { method: 'GET', section: 'fapiPrivateV3', path: 'account', cost: READ(5) };
export const POSITION_MODE_CALL: VenueCall = {
  ...{ method: 'GET', section: 'fapiPrivate', path: 'positionSide/dual', cost: READ(30) },
};

export const marginModeCall = ({ venueSymbol: symbol }: VenueMarket): VenueCall => ({
  ...{ method: 'GET', section: 'fapiPrivate', path: 'symbolConfig', cost: READ(5) },
  params: { symbol },
});

export const PERMISSIONS_CALL: VenueCall = {
  ...{ method: 'GET', section: 'sapi', path: 'account/apiRestrictions', cost: {} },
};

export const positionsCall = ({ venueSymbol }: VenueMarket): VenueCall => ({
  ...{ method: 'GET', section: 'fapiPrivateV3', path: 'positionRisk', cost: READ(5) },
  params: { symbol: venueSymbol },
});

/** Of the whole account, for the same weight. */
export const ALL_POSITIONS_CALL: VenueCall = {
  ...{ method: 'GET', section: 'fapiPrivateV3', path: 'positionRisk', cost: READ(5) },
};

export const leverageCall = ({ venueSymbol }: VenueMarket, leverage: number): VenueCall => ({
  ...{ method: 'POST', section: 'fapiPrivate', path: 'leverage', cost: READ(1) },
  params: { symbol: venueSymbol, leverage },
});

/** Binance repeats what it has set. An answer that does not is none: the order would be opened with another leverage. */
export function checkLeverage(body: unknown, { venueSymbol }: VenueMarket, leverage: number): void {
  const set = fieldsOf(body);
  if (set.symbol !== venueSymbol || set.leverage !== String(leverage)) read.fail();
}

export function readSummary(body: unknown): AccountSummary {
  const account = fieldsOf(body);
  return {
    balance: read.decimal(account.totalWalletBalance),
    unrealizedPnl: read.decimal(account.totalUnrealizedProfit),
    equity: read.decimal(account.totalMarginBalance),
    marginInUse: read.decimal(account.totalInitialMargin),
    available: read.decimal(account.availableBalance),
  };
}

export const readPositionMode = (body: unknown): PositionMode => {
  const { dualSidePosition } = fieldsOf(body);
  if (typeof dualSidePosition !== 'boolean') return read.fail();
  return dualSidePosition ? 'hedge' : 'one-way';
};

const MARGIN_MODES: Readonly<Record<string, MarginMode>> = { CROSSED: 'cross', ISOLATED: 'isolated' };

/** Of one market, for both sides. */
export function readMarginModes(body: unknown, { venueSymbol }: VenueMarket): MarginModes {
  const row = read.list(body).find(({ symbol }) => symbol === venueSymbol);
  const mode = MARGIN_MODES[read.text(row?.marginType)] ?? read.fail();
  return { LONG: mode, SHORT: mode };
}

export function readPermissions(body: unknown): KeyPermissions {
  const rights = fieldsOf(body);
  const told = (name: string): boolean | undefined => {
    const value = rights[name];
    return typeof value === 'boolean' ? value : undefined;
  };
  return {
    canWithdraw: told('enableWithdrawals'),
    canTransfer: told('permitsUniversalTransfer') || told('enableInternalTransfer'),
    canTrade: told('enableFutures'),
    ipLocked: told('ipRestrict'),
  };
}

/** Of one market. */
export const readPositions = (body: unknown): readonly VenuePosition[] =>
  read
    .list(body)
    .map(readPosition)
    .filter((position) => position !== undefined);

/** Of the whole account. */
export const readHeldPositions = (body: unknown): HeldPositions =>
  readHeld(read.list(body), { marketOf: ({ symbol }) => read.text(symbol), read: readPosition });

function readPosition(row: Fields): VenuePosition | undefined {
  const amount = read.decimal(row.positionAmt);
  if (amount === ZERO) return undefined;
  const liquidationPrice = read.decimal(row.liquidationPrice);
  return {
    market: read.text(row.symbol),
    // One-way accounts call their side BOTH and tell it by the sign; hedge accounts give shorts a negative amount too.
    side: amount > ZERO ? 'LONG' : 'SHORT',
    quantity: absolute(amount),
    entryPrice: read.decimal(row.entryPrice),
    margin: read.decimal(row.initialMargin),
    ...read.valuation(row.markPrice, row.unRealizedProfit),
    ...(liquidationPrice > ZERO && { liquidationPrice }),
  };
}

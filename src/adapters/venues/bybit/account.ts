// The account at Bybit: what it is worth, what it holds, its position mode and its leverages.

import { plus, ZERO } from '../../../trading/decimal.ts';
import type { KeyPermissions } from '../../../trading/key-permissions.ts';
import type {
  AccountSummary,
  MarginMode,
  MarginModes,
  PositionMode,
  PositionSide,
  VenuePosition,
} from '../../../trading/venue.ts';
import { type Fields, fieldsOf } from '../../read-json.ts';
import type { PositionRows } from '../held-positions.ts';
import { AnswerReader } from '../read-answer.ts';
import type { VenueMarket } from '../venue-adapter.ts';
import type { VenueCall } from '../venue-call.ts';
import { POSITION_READ, READ, SETTLE_COINS, TITLE } from './dialect.ts';

const read = new AnswerReader(TITLE);
const SIDES: Readonly<Record<string, PositionSide>> = { Buy: 'LONG', Sell: 'SHORT' };
/** Bybit tells the mode only by the positions of a market; this one exists wherever Bybit does. */
const PROBE_SYMBOL = 'BTCUSDT';
/** Between the wallets of an account, and between accounts of one owner. */
const TRANSFERS: ReadonlySet<unknown> = new Set(['AccountTransfer', 'SubMemberTransfer', 'SubMemberTransferList']);

export const SUMMARY_CALL: VenueCall = {
  ...{ method: 'GET', section: 'private', path: 'v5/account/wallet-balance', cost: READ },
  params: { accountType: 'UNIFIED' },
};

/** A unified account has one margin mode for all markets. */
export const MARGIN_MODE_CALL: VenueCall = {
  ...{ method: 'GET', section: 'private', path: 'v5/account/info', cost: READ },
};

export const PERMISSIONS_CALL: VenueCall = {
  ...{ method: 'GET', section: 'private', path: 'v5/user/query-api', cost: READ },
};

export const positionsCall = (symbol: string): VenueCall => ({
  ...{ method: 'GET', section: 'private', path: 'v5/position/list', cost: POSITION_READ },
  params: { category: 'linear', symbol },
});
export const POSITION_MODE_CALL = positionsCall(PROBE_SYMBOL);

/** All that is held and settles in a coin: Bybit lists positions by market or by coin, never all at once. */
export const heldCall = (settleCoin: string): VenueCall => ({
  ...{ method: 'GET', section: 'private', path: 'v5/position/list', cost: POSITION_READ },
  params: { category: 'linear', settleCoin, limit: 200 },
});

export const leverageCall = ({ venueSymbol: symbol }: VenueMarket, leverage: number): VenueCall => ({
  ...{ method: 'POST', section: 'private', path: 'v5/position/set-leverage', cost: { requests: 1, leverages: 1 } },
  params: { category: 'linear', symbol, buyLeverage: String(leverage), sellLeverage: String(leverage) },
});

const rowsOf = (body: unknown): readonly Fields[] => read.list(fieldsOf(fieldsOf(body).result).list);

export function readSummary(body: unknown): AccountSummary {
  const account = rowsOf(body)[0] ?? read.fail();
  const equity = read.decimal(account.totalEquity);
  // Under isolated margin Bybit leaves some of them empty.
  const orElse = (value: unknown, otherwise: typeof equity) => (value === '' ? otherwise : read.decimal(value));
  // The total is in dollars, and counts coins whose prices move; what trades pay and earn is in these.
  const coins = read.list(account.coin).filter(({ coin }) => SETTLE_COINS.some((name) => name === coin));
  return {
    balance: coins.map(({ walletBalance }) => read.decimal(walletBalance)).reduce(plus, ZERO),
    unrealizedPnl: orElse(account.totalPerpUPL, ZERO),
    equity,
    marginInUse: orElse(account.totalInitialMargin, ZERO),
    available: orElse(account.totalAvailableBalance, equity),
  };
}

export function readPermissions(body: unknown): KeyPermissions {
  const { readOnly, permissions, ips } = fieldsOf(fieldsOf(body).result);
  const { ContractTrade: trading, Wallet: wallet } = fieldsOf(permissions);
  return {
    canWithdraw: Array.isArray(wallet) ? wallet.includes('Withdraw') : undefined,
    canTransfer: Array.isArray(wallet) ? wallet.some((right) => TRANSFERS.has(right)) : undefined,
    canTrade: readOnly !== '1' && Array.isArray(trading) && trading.includes('Order'),
    ipLocked: Array.isArray(ips) ? !ips.includes('*') : undefined,
  };
}

const MARGIN_MODES: Readonly<Record<string, MarginMode>> = {
  ...{ REGULAR_MARGIN: 'cross', ISOLATED_MARGIN: 'isolated', PORTFOLIO_MARGIN: 'portfolio' },
};

export function readMarginModes(body: unknown): MarginModes {
  const { marginMode } = fieldsOf(fieldsOf(body).result);
  const mode = MARGIN_MODES[read.text(marginMode)] ?? read.fail();
  return { LONG: mode, SHORT: mode };
}

/** A hedge account has two rows for each market, flat or not, and a one-way account has one: without any, nothing is told. */
export function readPositionMode(body: unknown): PositionMode {
  const rows = rowsOf(body);
  if (rows.length === 0) return read.fail();
  return rows.some(({ positionIdx }) => positionIdx !== '0') ? 'hedge' : 'one-way';
}

/** One-way accounts have one row, and hedge accounts one for each side, flat or not. */
const ROW_OF_SIDE: Readonly<Record<PositionSide, string>> = { LONG: '1', SHORT: '2' };

export function readLeverage(body: unknown, side: PositionSide): number | undefined {
  const row = rowsOf(body).find(({ positionIdx }) => positionIdx === '0' || positionIdx === ROW_OF_SIDE[side]);
  const leverage = Number(row?.leverage);
  return leverage >= 1 ? leverage : undefined;
}

/** Of one market. */
export const readPositions = (body: unknown): readonly VenuePosition[] =>
  rowsOf(body)
    .map(readPosition)
    .filter((position) => position !== undefined);

function readPosition(row: Fields): VenuePosition | undefined {
  const quantity = read.decimal(row.size);
  if (quantity === ZERO) return undefined;
  return {
    market: read.text(row.symbol),
    side: SIDES[read.text(row.side)] ?? read.fail(),
    quantity,
    entryPrice: read.decimal(row.avgPrice),
    leverage: Number(row.leverage),
    margin: read.decimal(row.positionIM === '' ? '0' : row.positionIM),
    ...read.valuation(row.markPrice, row.unrealisedPnl),
    ...(typeof row.liqPrice === 'string' && row.liqPrice !== '' && { liquidationPrice: read.decimal(row.liqPrice) }),
  };
}

/** Of the whole account. */
export const POSITION_ROWS: PositionRows = { marketOf: ({ symbol }) => read.text(symbol), read: readPosition };

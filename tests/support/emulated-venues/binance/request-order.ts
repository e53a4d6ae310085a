// Reads a new order out of a request and holds it to the rules that Binance checks before the order meets its market.

import type { NewOrder, PositionSide, Side, TimeInForce } from '../futures-order.ts';
import type { MarketSpec } from '../market-spec.ts';
import type { MatchingMarket } from '../matching-market.ts';
import { refuse } from './errors.ts';
import { checkDistance, checkNotional, checkPrice, checkQuantity } from './filters.ts';
import type { Parameters } from './parameters.ts';

export const CONDITIONAL_TYPES = ['STOP', 'STOP_MARKET', 'TAKE_PROFIT', 'TAKE_PROFIT_MARKET', 'TRAILING_STOP_MARKET'];
const TIMES_IN_FORCE = ['GTC', 'IOC', 'FOK', 'GTX'];
const CLIENT_ID_RANGE = '^[\\.A-Z\\:/a-z0-9_-]{1,36}$';
const CLIENT_ID_SHAPE = new RegExp(CLIENT_ID_RANGE);
const LONGEST_CLIENT_ID = 36;

export function specOf(market: MatchingMarket, parameters: Parameters): MarketSpec {
  const spec = market.specs.get(parameters.requiredText('symbol'));
  if (spec === undefined) throw refuse('-1121');
  return spec;
}

export function sideOf(parameters: Parameters): Side {
  const side = parameters.requiredText('side');
  if (side !== 'BUY' && side !== 'SELL') throw refuse('-1117');
  return side;
}

/** A one-way account trades BOTH alone, a hedge account LONG and SHORT alone. */
export function positionSideOf(market: MatchingMarket, parameters: Parameters): PositionSide {
  const side = parameters.text('positionSide') ?? 'BOTH';
  if (side !== 'BOTH' && side !== 'LONG' && side !== 'SHORT') throw refuse('-4060');
  const isHedge = market.account.positionMode === 'hedge';
  if (isHedge === (side === 'BOTH')) throw refuse('-4061');
  return side;
}

/** In hedge mode the sides say it already, and the parameter is refused. */
export function reduceOnlyOf(market: MatchingMarket, parameters: Parameters): boolean {
  if (market.account.positionMode === 'hedge' && parameters.has('reduceOnly')) throw refuse('-1106', 'reduceonly');
  return parameters.flag('reduceOnly') ?? false;
}

/** Undefined where the caller leaves it to the venue. */
export function clientIdOf(parameters: Parameters, name: string): string | undefined {
  const id = parameters.text(name);
  if (id === undefined) return undefined;
  if (id.length > LONGEST_CLIENT_ID) throw refuse('-4015');
  if (!CLIENT_ID_SHAPE.test(id)) throw refuse('-1100', name, CLIENT_ID_RANGE);
  return id;
}

export function timeInForceOf(parameters: Parameters): TimeInForce {
  const value = parameters.requiredText('timeInForce');
  if (!TIMES_IN_FORCE.includes(value)) throw refuse('-1115');
  return value as TimeInForce;
}

export function requestedOrder(market: MatchingMarket, parameters: Parameters, makeId: () => string): NewOrder {
  const spec = specOf(market, parameters);
  const side = sideOf(parameters);
  const type = parameters.requiredText('type');
  if (CONDITIONAL_TYPES.includes(type)) throw refuse('-4120');
  if (type !== 'MARKET' && type !== 'LIMIT') throw refuse('-1116');
  if (parameters.flag('closePosition') === true) throw refuse('-4136', type);
  const isMarket = type === 'MARKET';
  for (const name of ['price', 'timeInForce']) if (isMarket && parameters.has(name)) throw refuse('-1106', name);
  const positionSide = positionSideOf(market, parameters);
  const reduceOnly = reduceOnlyOf(market, parameters);
  const timeInForce = isMarket ? 'IOC' : timeInForceOf(parameters);
  const quantity = checkQuantity(spec, parameters, isMarket);
  const price = isMarket ? undefined : checkPrice(spec, parameters);
  const clientOrderId = clientIdOf(parameters, 'newClientOrderId') ?? makeId();
  checkDistance(market, spec.symbol, side, price);
  if (!market.reduces({ positionSide, side, reduceOnly })) checkNotional(market, spec.symbol, quantity, price);
  const order = { clientOrderId, symbol: spec.symbol, side, positionSide, quantity, timeInForce, reduceOnly };
  return price === undefined ? order : { ...order, price };
}

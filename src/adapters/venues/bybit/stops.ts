// Stops in Bybit's words: conditional orders. A stop and the order that it becomes are one order with one id there.
//
// Bybit also has a stop loss and a take profit of a position (trading-stop). They carry no id of ours: an answer that is lost could
// not be asked about, and there is one of each for the whole position, while here several strategies may hold parts of it.

import { toText } from '../../../trading/decimal.ts';
import {
  CLIENT_ORDER_PREFIX,
  type PositionMode,
  type StopRequest,
  type StopState,
  type VenueStop,
} from '../../../trading/venue.ts';
import type { Fields } from '../../read-json.ts';
import { AnswerReader } from '../read-answer.ts';
import type { StopAdapter, VenueMarket } from '../venue-adapter.ts';
import { isRefusal, type VenueCall } from '../venue-call.ts';
import type { VenueClient } from '../venue-client.ts';
import { ORDER_READ, SETTLE_COINS, TITLE } from './dialect.ts';
import * as orders from './orders.ts';
import { pagesOf } from './pages.ts';

const read = new AnswerReader(TITLE);
const RISE = 1;
const FALL = 2;

/** An ordinary close that waits for its price. */
export function placeCall(market: VenueMarket, request: StopRequest, mode: PositionMode): VenueCall {
  const { clientStopId, kind, positionSide, quantity, triggerPrice } = request;
  const close = orders.placeCall(
    market,
    {
      ...{ clientOrderId: clientStopId, market: market.symbol, positionSide, quantity, reduceOnly: true },
      side: positionSide === 'LONG' ? 'SELL' : 'BUY',
    },
    mode,
  );
  const waitsForRise = (positionSide === 'LONG') === (kind === 'take-profit');
  return {
    ...close,
    params: {
      ...{ ...close.params, triggerPrice: toText(triggerPrice), triggerDirection: waitsForRise ? RISE : FALL },
      // The price of the last trade, which our own guard goes by too. `closeOnTrigger` would let Bybit cancel other orders.
      ...{ triggerBy: 'LastPrice', closeOnTrigger: false },
    },
  };
}

const waitingCall = (where: { readonly symbol: string } | { readonly settleCoin: string }): VenueCall => ({
  ...{ method: 'GET', section: 'private', path: 'v5/order/realtime', cost: ORDER_READ },
  params: { category: 'linear', ...where, orderFilter: 'StopOrder', openOnly: 0, limit: 50 },
});

/** An order or a stop: open or lately closed, else in the history. */
export async function rowOf(client: VenueClient, market: VenueMarket, id: string): Promise<Fields | undefined> {
  try {
    const [recent] = await pagesOf(client, orders.recentCall(market, id));
    return recent ?? (await pagesOf(client, orders.historyCall(market, id)))[0];
  } catch (error) {
    if (isRefusal(error, 'no-order')) return undefined;
    throw error;
  }
}

function readStop(row: Fields): VenueStop {
  const positionSide = row.side === 'Sell' ? 'LONG' : 'SHORT';
  const waitsForRise = row.triggerDirection === String(RISE);
  return {
    ...{ clientStopId: String(row.orderLinkId), market: read.text(row.symbol), positionSide },
    kind: (positionSide === 'LONG') === waitsForRise ? 'take-profit' : 'stop',
    quantity: read.decimal(row.qty),
    triggerPrice: read.decimal(row.triggerPrice),
    state: stateOf(row),
  };
}

function stateOf(row: Fields): StopState {
  if (!orders.isMereStop(row)) return 'sent';
  return row.orderStatus === 'Untriggered' ? 'waiting' : 'ended';
}

export const createStops = (client: VenueClient): StopAdapter => ({
  async place(market, request, mode) {
    await client.send(placeCall(market, request, mode));
  },
  async find(market, clientStopId) {
    const row = await rowOf(client, market, clientStopId);
    return row !== undefined && orders.isStop(row) ? readStop(row) : undefined;
  },
  async waiting(market) {
    const where =
      market === undefined ? SETTLE_COINS.map((settleCoin) => ({ settleCoin })) : [{ symbol: market.venueSymbol }];
    const rows = await Promise.all(where.map((each) => pagesOf(client, waitingCall(each))));
    return rows
      .flat()
      .filter((row) => String(row.orderLinkId).startsWith(CLIENT_ORDER_PREFIX))
      .map(readStop)
      .filter(({ state }) => state === 'waiting');
  },
  async cancel(market, clientStopId) {
    await client.send(orders.cancelCall(market, clientStopId));
  },
});

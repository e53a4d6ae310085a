// Stops in Binance's words: its conditional ("algo") orders, which have a query, a list and a cancel of their own. The ordinary
// ones do not know them. One that acts places an ordinary order.

import { toText } from '../../../trading/decimal.ts';
import {
  CLIENT_ORDER_PREFIX,
  type PositionMode,
  type StopKind,
  type StopRequest,
  type StopState,
  type VenueStop,
} from '../../../trading/venue.ts';
import { type Fields, fieldsOf } from '../../read-json.ts';
import { AnswerReader } from '../read-answer.ts';
import type { StopAdapter, VenueMarket } from '../venue-adapter.ts';
import { isRefusal, type VenueCall } from '../venue-call.ts';
import type { VenueClient } from '../venue-client.ts';
import { ORDER, READ, TITLE } from './dialect.ts';

const read = new AnswerReader(TITLE);
const TYPES: Readonly<Record<StopKind, string>> = { stop: 'STOP_MARKET', 'take-profit': 'TAKE_PROFIT_MARKET' };

/** While it is on its way to the market (TRIGGERING) it cannot be taken back any more. */
const STATES: Readonly<Record<string, StopState>> = {
  NEW: 'waiting',
  TRIGGERING: 'sent',
  TRIGGERED: 'sent',
  FINISHED: 'sent',
  CANCELED: 'ended',
  EXPIRED: 'ended',
  REJECTED: 'ended',
};

export function placeCall(market: VenueMarket, request: StopRequest, mode: PositionMode): VenueCall {
  const { clientStopId, kind, positionSide, quantity, triggerPrice } = request;
  return {
    ...{ method: 'POST', section: 'fapiPrivate', path: 'algoOrder', cost: ORDER },
    params: {
      ...{ algoType: 'CONDITIONAL', symbol: market.venueSymbol, side: positionSide === 'LONG' ? 'SELL' : 'BUY' },
      // A hedge account refuses reduceOnly: there an order that sells a long can only reduce it.
      ...(mode === 'hedge' ? { positionSide } : { reduceOnly: 'true' }),
      ...{ type: TYPES[kind], quantity: toText(quantity), triggerPrice: toText(triggerPrice) },
      // The price of the last trade, which our own guard goes by too.
      ...{ workingType: 'CONTRACT_PRICE', clientAlgoId: clientStopId },
    },
  };
}

const byId = (method: 'GET' | 'DELETE', clientStopId: string): VenueCall => ({
  ...{ method, section: 'fapiPrivate', path: 'algoOrder', cost: READ(1) },
  params: { clientAlgoId: clientStopId },
});

const waitingCall = (market: VenueMarket | undefined): VenueCall => ({
  ...{ method: 'GET', section: 'fapiPrivate', path: 'openAlgoOrders', cost: READ(market === undefined ? 40 : 1) },
  ...(market !== undefined && { params: { symbol: market.venueSymbol } }),
});

function readStop(row: Fields): VenueStop {
  const positionSide = read.text(row.side) === 'SELL' ? 'LONG' : 'SHORT';
  return {
    ...{ clientStopId: read.text(row.clientAlgoId), market: read.text(row.symbol), positionSide },
    kind: read.text(row.orderType).startsWith('TAKE_PROFIT') ? 'take-profit' : 'stop',
    quantity: read.decimal(row.quantity),
    triggerPrice: read.decimal(row.triggerPrice),
    state: STATES[read.text(row.algoStatus)] ?? read.fail(),
  };
}

async function rowOf(client: VenueClient, clientStopId: string): Promise<Fields | undefined> {
  try {
    return fieldsOf(await client.send(byId('GET', clientStopId)));
  } catch (error) {
    if (isRefusal(error, 'no-order')) return undefined;
    throw error;
  }
}

/** The venue's id of the order that a stop has placed; undefined while there is none. */
export async function orderIdOf(client: VenueClient, clientStopId: string): Promise<string | undefined> {
  const { actualOrderId } = (await rowOf(client, clientStopId)) ?? {};
  return typeof actualOrderId === 'string' && actualOrderId !== '' ? actualOrderId : undefined;
}

export const createStops = (client: VenueClient): StopAdapter => ({
  async place(market, request, mode) {
    await client.send(placeCall(market, request, mode));
  },
  async find(_, clientStopId) {
    const row = await rowOf(client, clientStopId);
    return row && readStop(row);
  },
  async waiting(market) {
    const rows = read.list(await client.send(waitingCall(market)));
    return rows.filter((row) => String(row.clientAlgoId).startsWith(CLIENT_ORDER_PREFIX)).map(readStop);
  },
  async cancel(_, clientStopId) {
    await client.send(byId('DELETE', clientStopId));
  },
});

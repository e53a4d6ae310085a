// Binance USDⓈ-M futures as a venue adapter.

import { decimal } from '../../../trading/decimal.ts';
import { AnswerReader, fieldsOf } from '../read-answer.ts';
import type { AdapterParts, VenueAdapter } from '../venue-adapter.ts';
import { isRefusal, type VenueCall } from '../venue-call.ts';
import * as account from './account.ts';
import { READ, RECEIVE_WINDOW_MS, TITLE } from './dialect.ts';
import { readMarkets } from './markets.ts';
import * as orders from './orders.ts';
import { createStream } from './stream.ts';

export { DIALECT as dialect } from './dialect.ts';

const read = new AnswerReader(TITLE);
/** Orders have stayed invisible for many seconds after they were taken, when the venue was busy. */
const MAY_APPEAR_FOR_MS = RECEIVE_WINDOW_MS + 60_000;
/** Worth a dollar each, near enough for a fee. */
const DOLLARS = new Set(['USDT', 'USDC', 'BUSD', 'FDUSD', 'BFUSD', 'USD1']);

const FORCED_ORDERS_CALL: VenueCall = { method: 'GET', section: 'fapiPrivate', path: 'forceOrders', cost: READ(50) };

export function createAdapter(parts: AdapterParts): VenueAdapter {
  const { client, isTestnet } = parts;
  const priceOf = async (symbol: string) => {
    const call: VenueCall = {
      method: 'GET',
      section: 'fapiPublicV2',
      path: 'ticker/price',
      params: { symbol },
      cost: READ(1),
    };
    return read.decimal(fieldsOf(await client.send(call)).price);
  };
  const feePrice = async (asset: string) => (DOLLARS.has(asset) ? decimal(1) : priceOf(`${asset}USDT`));
  return {
    stream: createStream(parts),
    mayAppearForMs: MAY_APPEAR_FOR_MS,
    markets: () => readMarkets(client),
    lastPrice: ({ venueSymbol }) => priceOf(venueSymbol),
    summary: async () => account.readSummary(await client.send(account.SUMMARY_CALL)),
    positionMode: async () => account.readPositionMode(await client.send(account.POSITION_MODE_CALL)),
    async permissions() {
      if (isTestnet) return { canWithdraw: false, canTrade: undefined, ipLocked: undefined };
      return account.readPermissions(await client.send(account.PERMISSIONS_CALL));
    },
    positions: async (market) => account.readPositions(await client.send(account.positionsCall(market))),
    async setLeverage(market, leverage) {
      await client.send(account.leverageCall(market, leverage));
    },
    place: async (market, request, mode) =>
      orders.readOrder(await client.send(orders.placeCall(market, request, mode))),
    async order(market, clientOrderId) {
      try {
        return orders.readOrder(await client.send(orders.findCall(market, clientOrderId)));
      } catch (error) {
        if (isRefusal(error, 'no-order')) return undefined;
        throw error;
      }
    },
    openOrders: async (market) => read.list(await client.send(orders.openOrdersCall(market))).map(orders.readOrder),
    async cancel(market, clientOrderId) {
      await client.send(orders.cancelCall(market, clientOrderId));
    },
    fills: async (market, { orderId }) =>
      orders.readFills(await client.send(orders.fillsCall(market, orderId)), feePrice),
    forcedOrders: async () => read.list(await client.send(FORCED_ORDERS_CALL)).map(orders.readOrder),
  };
}

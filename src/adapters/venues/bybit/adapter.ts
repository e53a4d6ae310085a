// Bybit's linear perpetual futures of a unified account as a venue adapter.

import { AnswerReader, fieldsOf } from '../read-answer.ts';
import type { AdapterParts, VenueAdapter, VenueMarket, VenueOrder } from '../venue-adapter.ts';
import { isRefusal, type VenueCall } from '../venue-call.ts';
import * as account from './account.ts';
import { READ, RECEIVE_WINDOW_MS, TITLE } from './dialect.ts';
import { readMarkets } from './markets.ts';
import * as orders from './orders.ts';
import { pagesOf } from './pages.ts';
import { createStream } from './stream.ts';

export { DIALECT as dialect } from './dialect.ts';

const read = new AnswerReader(TITLE);
/** Orders have stayed invisible for many seconds after they were taken, when the venue was busy. */
const MAY_APPEAR_FOR_MS = RECEIVE_WINDOW_MS + 60_000;

export function createAdapter(parts: AdapterParts): VenueAdapter {
  const { client } = parts;
  const firstOf = async (call: VenueCall): Promise<VenueOrder | undefined> => {
    const [found] = await pagesOf(client, call);
    return found && orders.readOrder(found);
  };
  const order = async (market: VenueMarket, id: string): Promise<VenueOrder | undefined> => {
    try {
      return (await firstOf(orders.recentCall(market, id))) ?? (await firstOf(orders.historyCall(market, id)));
    } catch (error) {
      if (isRefusal(error, 'no-order')) return undefined;
      throw error;
    }
  };
  return {
    stream: createStream(parts),
    mayAppearForMs: MAY_APPEAR_FOR_MS,
    markets: () => readMarkets(client),
    async lastPrice({ venueSymbol: symbol }) {
      const params = { category: 'linear', symbol };
      const call: VenueCall = { method: 'GET', section: 'public', path: 'v5/market/tickers', params, cost: READ };
      const { list } = fieldsOf(fieldsOf(await client.send(call)).result);
      return read.decimal(read.list(list)[0]?.lastPrice);
    },
    summary: async () => account.readSummary(await client.send(account.SUMMARY_CALL)),
    positionMode: async () => account.readPositionMode(await client.send(account.POSITION_MODE_CALL)),
    permissions: async () => account.readPermissions(await client.send(account.PERMISSIONS_CALL)),
    positions: async ({ venueSymbol }) => account.readPositions(await client.send(account.positionsCall(venueSymbol))),
    async setLeverage(market, leverage) {
      await client.send(account.leverageCall(market, leverage));
    },
    async place(market, request, mode) {
      await client.send(orders.placeCall(market, request, mode));
      return undefined;
    },
    order,
    openOrders: async (market) => (await pagesOf(client, orders.openOrdersCall(market))).map(orders.readOrder),
    async cancel(market, clientOrderId) {
      await client.send(orders.cancelCall(market, clientOrderId));
    },
    fills: async (market, { orderId }) =>
      (await pagesOf(client, orders.fillsCall(market, orderId))).filter(orders.isTrade).map(orders.readFill),
    async forcedOrders(listed) {
      const calls = orders.FORCED_TYPES.map(orders.forcedFillsCall);
      // What comes unasked for must never be taken for a liquidation.
      const fills = (await Promise.all(calls.map((call) => pagesOf(client, call)))).flat().filter(orders.isForced);
      const markets = new Map(listed.map((market) => [market.venueSymbol, market]));
      const found = new Map(fills.map(({ orderId, symbol }) => [read.text(orderId), markets.get(read.text(symbol))]));
      const reports = [...found].map(([id, market]) => market && order(market, `${orders.FORCED_PREFIX}${id}`));
      return (await Promise.all(reports)).filter((each) => each !== undefined);
    },
  };
}

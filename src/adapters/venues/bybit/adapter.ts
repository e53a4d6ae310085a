// Bybit's linear perpetual futures of a unified account as a venue adapter.

import type { Fields } from '../../read-json.ts';
import { fillsByWeek } from '../fills-by-week.ts';
import { readHeld } from '../held-positions.ts';
import { readEveryones, readOurs } from '../open-orders.ts';
import { AnswerReader } from '../read-answer.ts';
import { mayAppearForMs } from '../sent-times.ts';
import type { AdapterParts, VenueAdapter, VenueMarket, VenueOrder } from '../venue-adapter.ts';
import type { VenueCall } from '../venue-call.ts';
import * as account from './account.ts';
import { RECEIVE_WINDOW_MS, SETTLE_COINS, TITLE } from './dialect.ts';
import { readFunding } from './funding.ts';
import { readLeverageTiers, readMarkets } from './markets.ts';
import * as orders from './orders.ts';
import { pagesOf } from './pages.ts';
import { quoteCall, readQuote } from './quotes.ts';
import { createStops, rowOf } from './stops.ts';
import { createStream } from './stream.ts';

export { DIALECT as dialect } from './dialect.ts';

const read = new AnswerReader(TITLE);

export function createAdapter(parts: AdapterParts): VenueAdapter {
  const { client } = parts;
  const ofAllCoins = async (callFor: (settleCoin: string) => VenueCall): Promise<readonly Fields[]> =>
    (await Promise.all(SETTLE_COINS.map((coin) => pagesOf(client, callFor(coin))))).flat();
  const order = async (market: VenueMarket, id: string): Promise<VenueOrder | undefined> => {
    const row = await rowOf(client, market, id);
    return row === undefined || orders.isMereStop(row) ? undefined : orders.readOrder(row);
  };
  return {
    stream: createStream(parts),
    stops: createStops(client.urgent),
    mayAppearForMs: mayAppearForMs(RECEIVE_WINDOW_MS),
    markets: () => readMarkets(client),
    quote: async (market) => readQuote(await client.send(quoteCall(market))),
    summary: async () => account.readSummary(await client.send(account.SUMMARY_CALL)),
    positionMode: async () => account.readPositionMode(await client.send(account.POSITION_MODE_CALL)),
    marginModes: async () => account.readMarginModes(await client.send(account.MARGIN_MODE_CALL)),
    funding: (fromMs, toMs) => readFunding(client, fromMs, toMs),
    permissions: async () => account.readPermissions(await client.send(account.PERMISSIONS_CALL)),
    positions: async ({ venueSymbol }) => account.readPositions(await client.send(account.positionsCall(venueSymbol))),
    allPositions: async () => readHeld(await ofAllCoins(account.heldCall), account.POSITION_ROWS),
    async setLeverage(market, leverage) {
      await client.send(account.leverageCall(market, leverage));
    },
    leverage: async ({ venueSymbol }, side) =>
      account.readLeverage(await client.send(account.positionsCall(venueSymbol)), side),
    leverageTiers: (market) => readLeverageTiers(client, market),
    async place(market, request, mode) {
      await client.send({ ...orders.placeCall(market, request, mode), notAfterMs: request.notAfterMs });
      return undefined;
    },
    order,
    openOrders: async (market) => readOurs(await pagesOf(client, orders.openOrdersCall(market)), orders.ROWS),
    allOpenOrders: async () => readEveryones(await ofAllCoins(orders.openByCoinCall), orders.ROWS),
    async cancel(market, clientOrderId) {
      await client.send(orders.cancelCall(market, clientOrderId));
    },
    fillsKeptForMs: orders.FILLS_KEPT_FOR_MS,
    fills: async (market, order) =>
      fillsByWeek(order, await client.venueNowMs(), orders.FILLS_KEPT_FOR_MS, async (week) => {
        const rows = await pagesOf(client, orders.fillsCall(market, order.orderId, week));
        return rows.filter(orders.isTrade).map(orders.readFill);
      }),
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

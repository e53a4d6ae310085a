// Binance USDⓈ-M futures as a venue adapter.

import { type Decimal, decimal, ZERO } from '../../../trading/decimal.ts';
import { fieldsOf } from '../../read-json.ts';
import { fillsByWeek } from '../fills-by-week.ts';
import { readEveryones, readOurs } from '../open-orders.ts';
import { AnswerReader } from '../read-answer.ts';
import { mayAppearForMs } from '../sent-times.ts';
import type { AdapterParts, VenueAdapter, VenueMarket, VenueOrder } from '../venue-adapter.ts';
import { isRefusal, type VenueCall } from '../venue-call.ts';
import type { VenueClient } from '../venue-client.ts';
import * as account from './account.ts';
import { DOLLARS, READ, RECEIVE_WINDOW_MS, TITLE } from './dialect.ts';
import { readFunding } from './funding.ts';
import { Leverages } from './leverages.ts';
import { readMarkets } from './markets.ts';
import * as orders from './orders.ts';
import { ALL_QUOTES_CALL, quoteCall, readQuote, readQuotes } from './quotes.ts';
import { createStops, orderIdOf } from './stops.ts';
import { createStream } from './stream.ts';
import { ToldFills } from './told-fills.ts';

export { DIALECT as dialect } from './dialect.ts';

const read = new AnswerReader(TITLE);

const FORCED_ORDERS_CALL: VenueCall = { method: 'GET', section: 'fapiPrivate', path: 'forceOrders', cost: READ(50) };
const priceCall = (symbol: string): VenueCall => ({
  ...{ method: 'GET', section: 'fapiPublicV2', path: 'ticker/price', cost: READ(1) },
  params: { symbol },
});

export function createAdapter(parts: AdapterParts): VenueAdapter {
  const { client, isTestnet, nowMs, timers } = parts;
  const told = new ToldFills(timers);
  const leverages = new Leverages(client, nowMs);
  return {
    stream: createStream(parts, [told, leverages]),
    stops: createStops(client.urgent),
    mayAppearForMs: mayAppearForMs(RECEIVE_WINDOW_MS),
    markets: () => readMarkets(client),
    quote: async (market) => readQuote(await client.send(quoteCall(market))),
    quotes: async () => readQuotes(await client.send(ALL_QUOTES_CALL)),
    summary: async () => account.readSummary(await client.send(account.SUMMARY_CALL)),
    positionMode: async () => account.readPositionMode(await client.send(account.POSITION_MODE_CALL)),
    marginModes: async (market) => account.readMarginModes(await client.send(account.marginModeCall(market)), market),
    funding: (fromMs, toMs) => readFunding(client, fromMs, toMs),
    async permissions() {
      if (isTestnet) return { canWithdraw: false, canTransfer: false, canTrade: undefined, ipLocked: undefined };
      return account.readPermissions(await client.send(account.PERMISSIONS_CALL));
    },
    positions: async (market) =>
      leverages.addTo(account.readPositions(await client.send(account.positionsCall(market)))),
    async allPositions() {
      const { positions, unreadable } = account.readHeldPositions(await client.send(account.ALL_POSITIONS_CALL));
      return { positions: leverages.addTo(positions), unreadable };
    },
    async setLeverage(market, leverage) {
      account.checkLeverage(await client.send(account.leverageCall(market, leverage)), market, leverage);
      leverages.note(market.symbol, leverage);
    },
    leverage: (market) => leverages.of(market),
    place: async (market, request, mode) =>
      orders.readOrder(
        await client.send({ ...orders.placeCall(market, request, mode), notAfterMs: request.notAfterMs }),
      ),
    async tryOrder(market, request, mode) {
      await client.send({ ...orders.placeCall(market, request, mode), path: 'order/test', cost: READ(1) });
    },
    openOrders: async (market) => readOurs(read.list(await client.send(orders.openOrdersCall(market))), orders.ROWS),
    allOpenOrders: async () => readEveryones(read.list(await client.send(orders.ALL_OPEN_ORDERS_CALL)), orders.ROWS),
    order: (market, clientOrderId) => findOrder(client, market, clientOrderId),
    cancel: (market, clientOrderId) => cancelOrder(client, market, clientOrderId),
    fillsKeptForMs: orders.FILLS_KEPT_FOR_MS,
    fills: async (market, order) =>
      (await told.of(order.clientOrderId, order.executedQuantity)) ??
      fillsByWeek(order, await client.venueNowMs(), orders.FILLS_KEPT_FOR_MS, async (week) =>
        orders.readFills(await client.send(orders.fillsCall(market, order.orderId, week)), (asset) =>
          feePrice(client, asset),
        ),
      ),
    forcedOrders: (listed) => forcedOrders(client, listed),
  };
}

/** An asset without a market has no price: a fill whose fee cannot be counted is booked all the same, because the position is there. */
async function feePrice(client: VenueClient, asset: string): Promise<Decimal> {
  if (DOLLARS.has(asset)) return decimal(1);
  try {
    return read.decimal(fieldsOf(await client.send(priceCall(`${asset}USDT`))).price);
  } catch (error) {
    if (isRefusal(error, 'no-market')) return ZERO;
    throw error;
  }
}

async function findOrder(client: VenueClient, market: VenueMarket, clientOrderId: string) {
  if (!clientOrderId.startsWith(orders.FORCED_PREFIX))
    return (await found(client, orders.findCall(market, clientOrderId))) ?? ofStop(client, market, clientOrderId);
  const forced = await found(client, orders.findByIdCall(market, orders.forcedOrderId(clientOrderId)));
  return forced && { ...forced, clientOrderId };
}

async function found(client: VenueClient, call: VenueCall): Promise<VenueOrder | undefined> {
  try {
    return orders.readOrder(await client.send(call));
  } catch (error) {
    if (isRefusal(error, 'no-order')) return undefined;
    throw error;
  }
}

/** Binance does not promise that the order of a stop has the stop's id, only that the stop names it. */
async function ofStop(client: VenueClient, market: VenueMarket, clientStopId: string): Promise<VenueOrder | undefined> {
  const orderId = await orderIdOf(client, clientStopId);
  const order = orderId === undefined ? undefined : await found(client, orders.findByIdCall(market, orderId));
  return order && { ...order, clientOrderId: clientStopId };
}

/** That of a stop may have another id than the stop, which names it. */
async function cancelOrder(client: VenueClient, market: VenueMarket, clientOrderId: string): Promise<void> {
  try {
    await client.send(orders.cancelCall(market, clientOrderId));
  } catch (error) {
    const orderId = isRefusal(error, 'no-order') ? await orderIdOf(client, clientOrderId) : undefined;
    if (orderId === undefined) throw error;
    await client.send(orders.cancelByIdCall(market, orderId));
  }
}

async function forcedOrders(client: VenueClient, listed: readonly VenueMarket[]): Promise<readonly VenueOrder[]> {
  const markets = new Set(listed.map(({ venueSymbol }) => venueSymbol));
  const rows = read.list(await client.send(FORCED_ORDERS_CALL));
  return rows.filter(({ symbol }) => markets.has(read.text(symbol))).map(orders.readForced);
}

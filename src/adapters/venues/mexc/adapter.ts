// MEXC's futures as a venue adapter.

import { AnswerReader, fieldsOf } from '../read-answer.ts';
import type { AdapterParts, VenueAdapter, VenueMarket, VenueOrder } from '../venue-adapter.ts';
import { beforeSending, isRefusal, type VenueCall } from '../venue-call.ts';
import type { VenueClient } from '../venue-client.ts';
import * as account from './account.ts';
import { PUBLIC, RECEIVE_WINDOW_MS, TITLE } from './dialect.ts';
import { readMarkets } from './markets.ts';
import * as orders from './orders.ts';
import { createStream } from './stream.ts';

export { DIALECT as dialect } from './dialect.ts';

const read = new AnswerReader(TITLE);
/** Orders have stayed invisible for many seconds after they were taken, when the venue was busy. */
const MAY_APPEAR_FOR_MS = RECEIVE_WINDOW_MS + 60_000;
const WOULD_TRADE = 'the order would have traded at once, and it is post-only';
/** MEXC's words for what the venue itself has ordered: liquidations, and its automatic deleveraging. */
const FORCED_CATEGORIES = [2, 4];

export function createAdapter(parts: AdapterParts): VenueAdapter {
  const { client, nowMs } = parts;
  const dataOf = async (call: VenueCall): Promise<unknown> => fieldsOf(await client.send(call)).data;
  const order = async (market: VenueMarket, clientOrderId: string): Promise<VenueOrder | undefined> => {
    try {
      const found = fieldsOf(await dataOf(orders.findCall(market, clientOrderId)));
      return found.orderId === undefined ? undefined : orders.readOrder(found, market);
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
      const call: VenueCall = {
        method: 'GET',
        section: PUBLIC,
        path: 'ticker',
        params: { symbol },
        cost: { prices: 1 },
      };
      return read.decimal(fieldsOf(await dataOf(call)).lastPrice);
    },
    summary: async () => account.readSummary(await client.send(account.SUMMARY_CALL)),
    positionMode: async () => account.readPositionMode(await client.send(account.POSITION_MODE_CALL)),
    // MEXC tells nobody what a key may do.
    permissions: async () => ({ canWithdraw: undefined, canTrade: undefined, ipLocked: undefined }),
    positions: async (market) => account.readPositions(await client.send(account.positionsCall(market)), market),
    setLeverage: (market, leverage) => setLeverage(client, market, leverage),
    async place(market, request, mode) {
      const told = await beforeSending(client.send(account.termsCall(market)));
      const terms = account.readTerms(told, request.positionSide);
      await client.send(orders.placeCall(market, request, mode, terms));
      const placed = await order(market, request.clientOrderId);
      // MEXC cancels it without a word: nobody else could have done so that fast.
      const wouldTrade = request.postOnly === true && placed?.status === 'canceled';
      return wouldTrade ? { ...placed, status: 'rejected', reason: WOULD_TRADE } : placed;
    },
    order,
    openOrders: async (market) =>
      read.list(await dataOf(orders.openOrdersCall(market))).map((row) => orders.readOrder(row, market)),
    async cancel(market, clientOrderId) {
      await client.send(orders.cancelCall(market, clientOrderId));
    },
    fills: async (market, { orderId }) =>
      read.list(await dataOf(orders.fillsCall(orderId))).map((row) => orders.readFill(row, market)),
    forcedOrders: (listed) => forcedOrders(client, listed, nowMs()),
  };
}

async function setLeverage(client: VenueClient, market: VenueMarket, leverage: number): Promise<void> {
  const [terms, positions] = await Promise.all([
    client.send(account.termsCall(market)),
    client.send(account.positionsCall(market)),
  ]);
  for (const side of ['LONG', 'SHORT'] as const) {
    const { openType, leverage: present } = account.readTerms(terms, side);
    const id = account.positionIdOf(positions, side);
    if (present !== leverage) await client.send(account.leverageCall(market, side, { openType, leverage }, id));
  }
}

async function forcedOrders(
  client: VenueClient,
  listed: readonly VenueMarket[],
  nowMs: number,
): Promise<readonly VenueOrder[]> {
  const markets = new Map(listed.map((market) => [market.venueSymbol, market]));
  const answers = await Promise.all(
    FORCED_CATEGORIES.map((category) => client.send(orders.endedCall(category, nowMs))),
  );
  return answers.flatMap((answer) =>
    read.list(fieldsOf(answer).data).flatMap((row) => {
      const market = markets.get(read.text(row.symbol));
      return market === undefined ? [] : [orders.readOrder(row, market)];
    }),
  );
}

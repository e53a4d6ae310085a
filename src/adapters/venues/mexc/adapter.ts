// MEXC's futures as a venue adapter.

import type { Decimal } from '../../../trading/decimal.ts';
import { type Fields, fieldsOf } from '../../read-json.ts';
import { readEveryones, readOurs } from '../open-orders.ts';
import { AnswerReader } from '../read-answer.ts';
import { mayAppearForMs } from '../sent-times.ts';
import type { AdapterParts, VenueAdapter, VenueMarket, VenueOrder } from '../venue-adapter.ts';
import { afterSending, beforeSending, isRefusal, type VenueCall } from '../venue-call.ts';
import type { VenueClient } from '../venue-client.ts';
import * as account from './account.ts';
import { PUBLIC, RECEIVE_WINDOW_MS, TITLE } from './dialect.ts';
import { readFunding } from './funding.ts';
import { readMarkets } from './markets.ts';
import { OpeningTermsReader } from './opening-terms.ts';
import * as orders from './orders.ts';
import { pagesOf } from './pages.ts';
import { ALL_QUOTES_CALL, quoteCall, readQuote, readQuotes } from './quotes.ts';
import { SentStops } from './sent-stops.ts';
import { MexcStops } from './stops.ts';
import { createStream } from './stream.ts';

export { DIALECT as dialect } from './dialect.ts';

const read = new AnswerReader(TITLE);
const MAY_APPEAR_FOR_MS = mayAppearForMs(RECEIVE_WINDOW_MS);
const WOULD_TRADE = 'the order would have traded at once, and it is post-only';
/** MEXC's words for what the venue itself has ordered: liquidations, and its automatic deleveraging. */
const FORCED_CATEGORIES = [2, 4];

/** MEXC tells nobody what a key may do. */
const UNTOLD_PERMISSIONS = {
  ...{ canWithdraw: undefined, canTransfer: undefined, canTrade: undefined, ipLocked: undefined },
};

export function createAdapter(parts: AdapterParts): VenueAdapter {
  const { client, nowMs } = parts;
  const terms = new OpeningTermsReader(client, nowMs);
  const dataOf = async (call: VenueCall): Promise<unknown> => fieldsOf(await client.send(call)).data;
  const lastPrice = async ({ venueSymbol: symbol }: VenueMarket): Promise<Decimal> => {
    const call = { method: 'GET', section: PUBLIC, path: 'ticker', params: { symbol }, cost: { prices: 1 } } as const;
    return read.decimal(fieldsOf(await dataOf(call)).lastPrice);
  };
  const sent = new SentStops(MAY_APPEAR_FOR_MS);
  const stops = new MexcStops({ client: client.urgent, sent, nowMs, lastPrice });
  const found = async (market: VenueMarket, call: VenueCall): Promise<VenueOrder | undefined> => {
    try {
      const row = fieldsOf(await dataOf(call));
      return row.orderId === undefined ? undefined : orders.readOrder(row, market);
    } catch (error) {
      if (isRefusal(error, 'no-order')) return undefined;
      throw error;
    }
  };
  /** The order of a stop has no id of ours: the stop names it. */
  const ofStop = async (market: VenueMarket, clientStopId: string): Promise<VenueOrder | undefined> => {
    const orderId = await stops.orderIdOf(clientStopId);
    const order = orderId && (await found(market, orders.findByIdCall(orderId)));
    return order ? { ...order, clientOrderId: clientStopId } : undefined;
  };
  const order = async (market: VenueMarket, id: string): Promise<VenueOrder | undefined> => {
    if (sent.has(id)) return ofStop(market, id);
    const order = await found(market, orders.findCall(market, id));
    return order && id.startsWith(orders.FORCED_PREFIX) ? { ...order, clientOrderId: id } : order;
  };
  return {
    stream: createStream(parts, sent),
    stops,
    mayAppearForMs: MAY_APPEAR_FOR_MS,
    markets: () => readMarkets(client),
    quote: async (market) => readQuote(await client.send(quoteCall(market))),
    quotes: async () => readQuotes(await client.send(ALL_QUOTES_CALL)),
    summary: async () => account.readSummary(await client.send(account.SUMMARY_CALL)),
    positionMode: async () => account.readPositionMode(await client.send(account.POSITION_MODE_CALL)),
    marginModes: async (market) => account.readMarginModes(await client.send(account.termsCall(market))),
    funding: (fromMs, toMs, markets) => readFunding(client, fromMs, toMs, markets),
    permissions: async () => UNTOLD_PERMISSIONS,
    positions: async (market) => account.readPositions(await client.send(account.positionsCall(market)), market),
    async allPositions(listed) {
      const markets = byVenueSymbol(listed);
      return account.readHeldPositions(await client.send(account.ALL_POSITIONS_CALL), (symbol) => markets.get(symbol));
    },
    setLeverage: (market, leverage) => terms.setLeverage(market, leverage),
    leverage: async (market, side) => account.readTerms(await client.send(account.termsCall(market)), side).leverage,
    async place(market, request, mode) {
      const asSet = await beforeSending(terms.of(market, request.positionSide));
      await client.send({ ...orders.placeCall(market, request, mode, asSet), notAfterMs: request.notAfterMs });
      const placed = await afterSending(order(market, request.clientOrderId));
      // MEXC cancels it without a word: nobody else could have done so that fast.
      const wouldTrade = request.postOnly === true && placed?.status === 'canceled';
      return wouldTrade ? { ...placed, status: 'rejected', reason: WOULD_TRADE } : placed;
    },
    order,
    openOrders: async (market) => oursIn(market, await pagesOf(client, orders.openOrdersCall(market))),
    allOpenOrders: async (listed) => everyonesOrders(await pagesOf(client, orders.ALL_OPEN_ORDERS_CALL), listed),
    async cancel(market, id) {
      const orderId = await stops.orderIdOf(id);
      await client.urgent.send(orderId ? orders.cancelByIdCall(orderId) : orders.cancelCall(market, id));
    },
    fillsKeptForMs: orders.FILLS_KEPT_FOR_MS,
    fills: async (market, { orderId }) =>
      read.list(await dataOf(orders.fillsCall(orderId))).map((row) => orders.readFill(row, market)),
    forcedOrders: async (listed) => forcedOrders(client, listed, await client.venueNowMs()),
  };
}

async function forcedOrders(
  client: VenueClient,
  listed: readonly VenueMarket[],
  nowMs: number,
): Promise<readonly VenueOrder[]> {
  const markets = byVenueSymbol(listed);
  const ended = await Promise.all(
    FORCED_CATEGORIES.map((category) => pagesOf(client, orders.endedCall(category, nowMs))),
  );
  // What comes unasked for must never be taken for a liquidation.
  const forced = ended.flat().filter(({ category }) => FORCED_CATEGORIES.includes(Number(category)));
  return ordersIn(forced, markets);
}

const oursIn = (market: VenueMarket, rows: readonly Fields[]) =>
  readOurs(
    rows,
    orders.rowsIn(() => market),
  );

function everyonesOrders(rows: readonly Fields[], listed: readonly VenueMarket[]) {
  const markets = byVenueSymbol(listed);
  const inMarkets = orders.rowsIn((symbol) => markets.get(symbol));
  return readEveryones(rows, inMarkets);
}

const byVenueSymbol = (listed: readonly VenueMarket[]): ReadonlyMap<string, VenueMarket> =>
  new Map(listed.map((market) => [market.venueSymbol, market]));

/** Those in markets that we know: what settles in another coin is left out. */
const ordersIn = (rows: readonly Fields[], markets: ReadonlyMap<string, VenueMarket>): readonly VenueOrder[] =>
  rows.flatMap((row) => {
    const market = markets.get(read.text(row.symbol));
    return market === undefined ? [] : [orders.readForced(row, market)];
  });

// An emulated MEXC: version 1 of its contract interface, USDT perpetual contracts, on a loopback port.
//
// What is certain of each part and what is assumed stands at the head of its file; in short: paths, fields, numbers, limits
// and nearly all codes are published, while MEXC does not publish which code meets a used `externalOid`, an unknown order
// that is asked for, or maintenance. Orders through the API are open to some accounts only: `allowsOrders`. Not emulated:
// batches of orders, track orders, changes of margin, and closing or reversing by position.

import type { EmulatedVenue, EmulatedVenueOptions } from '../emulated-venue.ts';
import { Faults } from '../faults.ts';
import type { MatchingMarket } from '../matching-market.ts';
import { RollingLimit } from '../rolling-limit.ts';
import { VenueAccounts } from '../venue-accounts.ts';
import { listen } from '../venue-server.ts';
import { assetRow } from './account.ts';
import { publish } from './account-events.ts';
import { Contracts } from './contracts.ts';
import { MexcRefusal } from './error-codes.ts';
import { Klines } from './klines.ts';
import { OrderEntry } from './order-entry.ts';
import { OrderQueries } from './order-queries.ts';
import { OrderRequests } from './order-request.ts';
import { type OrderNotes, OrderRows } from './order-row.ts';
import { PlanOrders } from './plan-orders.ts';
import { Positions } from './positions.ts';
import { PrivateStreams } from './private-stream.ts';
import { keyOf, type MexcKey, type Permission, RequestGate, type Route, type Routes } from './request-gate.ts';
import { StopOrders } from './stop-orders.ts';

export interface MexcVenueOptions extends EmulatedVenueOptions {
  /** What the key may not do, and where from. */
  readonly key?: Omit<MexcKey, 'apiKey' | 'secret'>;
  /** Contracts, by their MEXC names, that take no orders through the API. */
  readonly closedContracts?: readonly string[];
  /** False: the account may not place orders through the API at all. */
  readonly allowsOrders?: boolean;
  /** How long a stream may go without a ping. */
  readonly silenceMs?: number;
}

export interface MexcVenue extends EmulatedVenue {
  /** How late new orders are seen. */
  readonly lagMs: { orders: number };
}

const SILENCE_MS = 60_000;
const STREAM_PATHS = ['/edge', '/ws'];

export async function startMexcVenue(options: MexcVenueOptions = {}): Promise<MexcVenue> {
  const nowMs = options.nowMs ?? Date.now;
  const streams = new PrivateStreams(
    (apiKey) => accounts.find(apiKey)?.credentials.secret,
    nowMs,
    options.silenceMs ?? SILENCE_MS,
  );
  const accounts = new VenueAccounts(
    { ...options, makerFee: '0', takerFee: '0.0002', liquidationId: (atMs) => `_liquidation_${atMs}` },
    options.credentials ?? { apiKey: 'mexc-key', secret: 'mexc-secret' },
    (account) => {
      const lists = partsOf(account.market, options.closedContracts ?? []);
      publish(account, streams, lists);
      const key: MexcKey = { ...options.key, ...account.credentials };
      const gate = new RequestGate(key, nowMs, routes(account.market, lists, options.allowsOrders ?? true));
      return { ...lists, gate };
    },
  );
  const { market, credentials, parts } = accounts.first;
  const { gate, klines, queries } = parts;
  const faults = new Faults();
  const server = await listen(
    {
      words: {
        maintenance: () => gate.refuse(801),
        unknownOutcome: () => gate.refuse(501),
        tooManyRequests: (status) => ({ ...gate.refuse(510), status }),
      },
      answer(request) {
        for (const account of accounts.all()) account.parts.plans.expire();
        // Whoever has no key, or an unknown one, is refused by the first account where a key is needed.
        return (accounts.find(keyOf(request))?.parts.gate ?? gate).answer(request);
      },
      keyOf,
      opens: (path) => STREAM_PATHS.includes(path),
      opened: (stream) => streams.opened(stream),
      heard(stream, text) {
        if (!klines.heard(stream, text)) streams.heard(stream, text);
      },
      closed(stream) {
        streams.closed(stream);
        klines.closed(stream);
      },
    },
    faults,
    nowMs,
  );
  return {
    baseUrl: server.baseUrl,
    streamUrl: server.streamUrl,
    market,
    faults,
    requests: server.requests,
    credentials,
    openAccount: (others) => accounts.open(others),
    lagMs: queries.lagMs,
    async close() {
      accounts.close();
      await server.close();
    },
  };
}

interface Parts {
  readonly contracts: Contracts;
  readonly klines: Klines;
  readonly positions: Positions;
  readonly entry: OrderEntry;
  readonly queries: OrderQueries;
  readonly rows: OrderRows;
  readonly plans: PlanOrders;
  readonly stops: StopOrders;
}

/** In this order: each hears of what happens at the market before those that tell of it. */
function partsOf(market: MatchingMarket, closedContracts: readonly string[]): Parts {
  const notes: OrderNotes = new Map();
  const contracts = new Contracts(market, closedContracts);
  const positions = new Positions(market, contracts);
  const requests = new OrderRequests(market, contracts, positions);
  const entry = new OrderEntry(market, contracts, requests, notes);
  market.listen((event) => {
    if (event.type !== 'order' || event.trade === undefined) return;
    const note = notes.get(event.order.orderId);
    const position = positions.touched(event.order.symbol).at(-1);
    if (note !== undefined && position !== undefined) note.positionId = position.positionId;
  });
  const rows = new OrderRows(market, contracts, notes);
  const queries = new OrderQueries(market, contracts, rows);
  const plans = new PlanOrders(market, contracts, requests);
  const stops = new StopOrders(market, contracts, positions, notes);
  const klines = new Klines(market, contracts);
  return { contracts, klines, positions, entry, queries, rows, plans, stops };
}

const PRIVATE = '/api/v1/private';

function routes(market: MatchingMarket, parts: Parts, allowsOrders: boolean): Routes {
  const { contracts, klines, positions, entry, queries, plans, stops } = parts;
  const needs = (permission: Permission, answer: Route['answer']): Route => ({ permission, answer });
  const places = (answer: Route['answer']): Route =>
    needs(704, (parameters) => {
      if (!allowsOrders) throw new MexcRefusal(1002);
      return answer(parameters);
    });
  return {
    'GET /api/v1/contract/ping': { answer: () => market.nowMs() },
    'GET /api/v1/contract/detail': {
      limit: new RollingLimit(1, 5_000),
      answer: (parameters) => contracts.detail(parameters),
    },
    'GET /api/v1/contract/ticker': { answer: (parameters) => contracts.ticker(parameters) },
    'GET /api/v1/contract/kline/{symbol}': { answer: (parameters) => klines.columns(parameters) },
    [`POST ${PRIVATE}/order/create`]: places((parameters) => entry.create(parameters)),
    [`POST ${PRIVATE}/order/submit`]: places((parameters) => entry.create(parameters).orderId),
    [`POST ${PRIVATE}/order/cancel`]: needs(704, (parameters) => entry.cancel(parameters)),
    [`POST ${PRIVATE}/order/cancel_with_external`]: needs(704, (parameters) => entry.cancelWithExternal(parameters)),
    [`POST ${PRIVATE}/order/cancel_all`]: needs(704, (parameters) => entry.cancelAll(parameters)),
    [`GET ${PRIVATE}/order/external/{symbol}/{external_oid}`]: needs(703, (parameters) =>
      queries.byExternalId(parameters),
    ),
    [`GET ${PRIVATE}/order/get/{order_id}`]: needs(703, (parameters) => queries.byId(parameters)),
    [`GET ${PRIVATE}/order/batch_query`]: needs(703, (parameters) => queries.batch(parameters)),
    [`GET ${PRIVATE}/order/list/open_orders`]: needs(703, (parameters) => queries.open(parameters)),
    [`GET ${PRIVATE}/order/list/open_orders/{symbol}`]: needs(703, (parameters) => queries.open(parameters)),
    [`GET ${PRIVATE}/order/list/history_orders`]: needs(703, (parameters) => queries.history(parameters)),
    [`GET ${PRIVATE}/order/deal_details/{order_id}`]: needs(703, (parameters) => queries.dealsOf(parameters)),
    [`GET ${PRIVATE}/order/list/order_deals`]: needs(703, (parameters) => queries.deals(parameters)),
    [`POST ${PRIVATE}/planorder/place`]: places((parameters) => plans.place(parameters)),
    [`POST ${PRIVATE}/planorder/cancel`]: needs(704, (parameters) => plans.cancel(parameters)),
    [`POST ${PRIVATE}/planorder/cancel_all`]: needs(704, (parameters) => plans.cancelAll(parameters)),
    [`GET ${PRIVATE}/planorder/list/orders`]: needs(703, (parameters) => plans.list(parameters)),
    [`POST ${PRIVATE}/stoporder/place`]: places((parameters) => stops.place(parameters)),
    [`POST ${PRIVATE}/stoporder/change_plan_price`]: places((parameters) => stops.change(parameters)),
    [`POST ${PRIVATE}/stoporder/cancel`]: needs(704, (parameters) => stops.cancel(parameters)),
    [`POST ${PRIVATE}/stoporder/cancel_all`]: needs(704, (parameters) => stops.cancelAll(parameters)),
    [`GET ${PRIVATE}/stoporder/open_orders`]: needs(703, (parameters) => stops.openOrders(parameters)),
    [`GET ${PRIVATE}/stoporder/list/orders`]: needs(703, (parameters) => stops.list(parameters)),
    [`GET ${PRIVATE}/position/open_positions`]: needs(703, (parameters) => positions.openPositions(parameters)),
    [`GET ${PRIVATE}/position/funding_records`]: needs(703, (parameters) => positions.fundingRecords(parameters)),
    [`GET ${PRIVATE}/position/leverage`]: needs(703, (parameters) => positions.leverages(parameters)),
    [`POST ${PRIVATE}/position/change_leverage`]: needs(704, (parameters) => positions.changeLeverage(parameters)),
    [`GET ${PRIVATE}/position/position_mode`]: needs(703, () => positions.positionMode()),
    [`POST ${PRIVATE}/position/change_position_mode`]: needs(704, (parameters) =>
      positions.changePositionMode(parameters),
    ),
    [`GET ${PRIVATE}/account/assets`]: needs(701, () => [assetRow(market)]),
    [`GET ${PRIVATE}/account/asset/{currency}`]: needs(701, (parameters) => {
      if (parameters.text('currency') !== 'USDT') throw new MexcRefusal(4001);
      return assetRow(market);
    }),
    [`GET ${PRIVATE}/account/risk_limit`]: needs(703, (parameters) => contracts.riskLimits(parameters)),
  };
}

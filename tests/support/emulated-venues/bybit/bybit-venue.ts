// An emulated Bybit: version 5 of its interface, unified account, linear perpetual contracts, on a loopback port.
//
// Certain, from Bybit's documentation: paths, parameters, the codes in ret-codes.ts, what the lists of orders keep and for
// how long, the limits of requests, what the stream pushes, and that creating, amending and cancelling only acknowledges.
// Assumed: some texts beside code 10001, that numbers which are not sent as texts are refused, that a query without
// authentication headers is 10001, and the HTTP status 503 during maintenance. Not emulated: spot, inverse, options,
// trailing stops, batches, amending a conditional order, portfolio margin.

import type { EmulatedAccount, EmulatedVenue, EmulatedVenueOptions } from '../emulated-venue.ts';
import { Faults } from '../faults.ts';
import type { MatchingMarket } from '../matching-market.ts';
import { VenueAccounts } from '../venue-accounts.ts';
import { listen } from '../venue-server.ts';
import { Account, type BybitKey, keyInformation } from './account.ts';
import { publish } from './account-events.ts';
import { instruments, orderBook, riskLimits, tickers } from './instruments.ts';
import { Klines } from './klines.ts';
import type { OrderNotes } from './listed-order.ts';
import { OrderEntry } from './order-entry.ts';
import { OrderQueries } from './order-queries.ts';
import { Positions } from './positions.ts';
import { PrivateStreams } from './private-stream.ts';
import { type Caller, keyOf, type PrivateRoutes, type PublicRoutes, RequestGate, type Route } from './request-gate.ts';
import { BybitRefusal } from './ret-codes.ts';
import { TradingStop } from './trading-stop.ts';

export interface BybitVenueOptions extends EmulatedVenueOptions {
  /** What the key may do; everything a trader needs and no withdrawals, unless said. */
  readonly key?: Omit<BybitKey, 'apiKey' | 'secret'>;
  /** How long a stream may be silent. */
  readonly silenceMs?: number;
}

export interface BybitVenue extends EmulatedVenue {
  /** Of the lists of orders: how late they are. */
  readonly lagMs: { realtime: number; history: number };
  /** As after a restart of Bybit's service: closed orders are in the history alone. */
  forgetClosedOrders(): void;
}

const SILENCE_MS = 600_000;
const PRIVATE_PATH = '/v5/private';
const PUBLIC_PATH = '/v5/public/linear';

export async function startBybitVenue(options: BybitVenueOptions = {}): Promise<BybitVenue> {
  const nowMs = options.nowMs ?? Date.now;
  const streams = new PrivateStreams(
    (apiKey) => accounts.find(apiKey)?.credentials.secret,
    nowMs,
    options.silenceMs ?? SILENCE_MS,
  );
  const accounts = new VenueAccounts(
    { ...options, takerFee: '0.00055', liquidationId: () => '' },
    options.credentials ?? { apiKey: 'bybit-key', secret: 'bybit-secret' },
    (account) => partsOf(account, streams, options.key),
  );
  const { market, credentials, parts } = accounts.first;
  const klines = new Klines(market);
  const gate = new RequestGate(nowMs, publicRoutes(market, klines), accounts);
  const faults = new Faults();
  const server = await listen(
    {
      words: {
        maintenance: () => ({ ...gate.refuse(10016, 'Service is restarting'), status: 503 }),
        unknownOutcome: () => gate.refuse(10000),
        tooManyRequests: (status) => gate.tooMany(status),
      },
      answer: (request) => gate.answer(request),
      keyOf,
      opens: (path) => path === PRIVATE_PATH || path === PUBLIC_PATH,
      opened(stream) {
        if (stream.path === PRIVATE_PATH) streams.opened(stream);
      },
      heard(stream, text) {
        if (stream.path === PRIVATE_PATH) streams.heard(stream, text);
        else klines.heard(stream, text);
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
    lagMs: parts.queries.lagMs,
    forgetClosedOrders: () => parts.queries.forgetClosed(),
    async close() {
      accounts.close();
      await server.close();
    },
  };
}

type Parts = Caller & { readonly queries: OrderQueries };

function partsOf(account: EmulatedAccount, streams: PrivateStreams, rights: BybitVenueOptions['key']): Parts {
  const { market, credentials } = account;
  const notes: OrderNotes = new Map();
  const positions = new Positions(market);
  const entry = new OrderEntry(market, positions, notes);
  const stop = new TradingStop(market, positions, notes);
  const queries = new OrderQueries(market, notes);
  const lists = { queries, positions, account: new Account(market) };
  publish(account, streams, lists);
  return { key: { ...rights, ...credentials }, routes: privateRoutes({ entry, stop, ...lists }), queries };
}

const publicRoutes = (market: MatchingMarket, klines: Klines): PublicRoutes => ({
  'GET /v5/market/time': () => ({
    timeSecond: String(Math.floor(market.nowMs() / 1000)),
    timeNano: `${market.nowMs()}000000`,
  }),
  'GET /v5/market/instruments-info': (parameters) => linear(instruments(market, parameters)),
  'GET /v5/market/risk-limit': (parameters) => linear(riskLimits(market, parameters)),
  'GET /v5/market/tickers': (parameters) => linear(tickers(market, parameters)),
  'GET /v5/market/orderbook': (parameters) => orderBook(market, parameters),
  'GET /v5/market/kline': (parameters) => linear(klines.list(parameters)),
});

function privateRoutes(parts: {
  entry: OrderEntry;
  stop: TradingStop;
  queries: OrderQueries;
  positions: Positions;
  account: Account;
}): PrivateRoutes {
  const { entry, stop, queries, positions, account } = parts;
  const reads = (answer: Route['answer']): Route => ({ permission: 'read', limit: 50, answer });
  const orders = (answer: Route['answer']): Route => ({ permission: 'Order', limit: 10, answer });
  const changes = (answer: Route['answer']): Route => ({ permission: 'Position', limit: 10, answer });
  return {
    'POST /v5/order/create': orders((parameters) => entry.create(parameters)),
    'POST /v5/order/amend': orders((parameters) => entry.amend(parameters)),
    'POST /v5/order/cancel': orders((parameters) => entry.cancel(parameters)),
    'POST /v5/order/cancel-all': orders((parameters) => entry.cancelAll(parameters)),
    'GET /v5/order/realtime': reads((parameters) => linear(queries.realtime(parameters))),
    'GET /v5/order/history': reads((parameters) => linear(queries.history(parameters))),
    'GET /v5/execution/list': reads((parameters) => linear(queries.executions(parameters))),
    'GET /v5/position/list': reads((parameters) => linear(positions.list(parameters))),
    'POST /v5/position/set-leverage': changes((parameters) => positions.setLeverage(parameters)),
    'POST /v5/position/switch-mode': changes((parameters) => positions.switchMode(parameters)),
    'POST /v5/position/trading-stop': changes((parameters) => stop.set(parameters)),
    'POST /v5/position/switch-isolated': changes(() => {
      throw new BybitRefusal(100028);
    }),
    'GET /v5/account/wallet-balance': reads((parameters) => account.balances(parameters)),
    'GET /v5/account/info': reads(() => account.info()),
    'POST /v5/account/set-margin-mode': changes((parameters) => account.setMarginMode(parameters)),
    'GET /v5/account/transaction-log': reads((parameters) => account.transactions(parameters)),
    'GET /v5/user/query-api': { permission: 'read', limit: 10, answer: (_, key) => keyInformation(key) },
  };
}

const linear = (result: object): object => ({ category: 'linear', ...result });

// The whole gateway over an emulated venue, as a live account: for tests of what happens to real orders.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Built, build } from '../../src/composition/build.ts';
import { type Config, loadConfig } from '../../src/config.ts';
import type { Exchange } from '../../src/exchanges/exchange.ts';
import { createLog, type Log } from '../../src/http/log.ts';
import { foregroundTimers } from '../../src/timing/timers.ts';
import { wait } from '../../src/timing/wait.ts';
import { toText } from '../../src/trading/decimal.ts';
import type { Lease } from '../../src/trading/leases.ts';
import { startBinance } from './emulated-venues/binance/venue.ts';
import { startBybitVenue } from './emulated-venues/bybit/bybit-venue.ts';
import type { EmulatedVenue, EmulatedVenueOptions } from './emulated-venues/emulated-venue.ts';
import type { FaultMatch } from './emulated-venues/faults.ts';
import { startMexcVenue } from './emulated-venues/mexc/mexc-venue.ts';

export const WEBHOOK_KEY = `whk_${'k'.repeat(43)}`;
/** Nobody is there to confirm the first order. */
const CONFIRMED = { CONFIRM_FIRST_LIVE_ORDER: 'no' };
const silent = createLog({ level: 'silent', name: 'test' });
export const MARKET = 'BTCUSDT';
const POLL_MS = 20;

/** What differs between the venues in tests that are the same for all of them. */
export interface LiveVenueRow {
  readonly exchange: Exchange;
  readonly start: (options?: EmulatedVenueOptions) => Promise<EmulatedVenue>;
  /** Where it takes orders. */
  readonly orders: FaultMatch;
  /** Where one order is asked for. */
  readonly order: FaultMatch;
  readonly cancel: FaultMatch;
  readonly fills: FaultMatch;
  readonly positions: FaultMatch;
  readonly leverage: FaultMatch;
  /** Two orders that fill at once may have the same id there, and are two. */
  readonly doublesIds: boolean;
  /** Its word for positions where nothing is held. */
  readonly noPositions: object;
}

export const LIVE_VENUES: readonly LiveVenueRow[] = [
  {
    ...{ exchange: 'binance', start: startBinance },
    orders: { method: 'POST', path: '/fapi/v1/order' },
    order: { method: 'GET', path: '/fapi/v1/order' },
    cancel: { method: 'DELETE', path: '/fapi/v1/order' },
    fills: { method: 'GET', path: '/fapi/v1/userTrades' },
    positions: { method: 'GET', path: '/fapi/v3/positionRisk' },
    leverage: { method: 'POST', path: '/fapi/v1/leverage' },
    doublesIds: true,
    noPositions: [],
  },
  {
    ...{ exchange: 'bybit', start: startBybitVenue },
    orders: { method: 'POST', path: '/v5/order/create' },
    order: { method: 'GET', path: '/v5/order/*' },
    cancel: { method: 'POST', path: '/v5/order/cancel' },
    fills: { method: 'GET', path: '/v5/execution/list' },
    positions: { method: 'GET', path: '/v5/position/list' },
    leverage: { method: 'POST', path: '/v5/position/set-leverage' },
    doublesIds: false,
    noPositions: { retCode: 0, result: { category: 'linear', list: [] } },
  },
  {
    ...{ exchange: 'mexc', start: startMexcVenue },
    orders: { method: 'POST', path: '/api/v1/private/order/create' },
    order: { method: 'GET', path: '/api/v1/private/order/external/*' },
    cancel: { method: 'POST', path: '/api/v1/private/order/cancel_with_external' },
    fills: { method: 'GET', path: '/api/v1/private/order/deal_details/*' },
    positions: { method: 'GET', path: '/api/v1/private/position/open_positions' },
    leverage: { method: 'POST', path: '/api/v1/private/position/change_leverage' },
    doublesIds: false,
    noPositions: { success: true, code: 0, data: [] },
  },
];

export interface TradeAnswer {
  readonly status: number;
  readonly requestId?: string;
  readonly code?: string;
  readonly error?: string;
  readonly tradeResult?: Readonly<Record<string, unknown>>;
}

export interface LiveGateway {
  readonly emulated: EmulatedVenue;
  readonly built: () => Built;
  /** A signal of 0.01 BTCUSDT long, unless said. */
  send(fields?: object): Promise<TradeAnswer>;
  /** As above; resolves with the trade when it is no longer under way. */
  outcome(fields?: object): Promise<Readonly<Record<string, unknown>>>;
  /** An answer of the owner's own interface, by its path. */
  ask<T = { readonly result: readonly Readonly<Record<string, unknown>>[] }>(
    path: string,
    init?: RequestInit,
  ): Promise<T>;
  /** The venue's orders in words, oldest first. */
  orders(): readonly string[];
  /** What the venue holds in a market, in words. */
  held(market?: string): string;
  /** Ends the process in order and begins the next on the same folder, with other settings where some are given. */
  restart(settings?: Readonly<Record<string, string>>): Promise<void>;
  /** Ends the process and stays down until `restart`. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

export interface LiveGatewayOptions {
  readonly settings?: Readonly<Record<string, string>>;
  readonly venue?: EmulatedVenueOptions;
  /** Nobody reads it if left out. */
  readonly log?: Log;
  /** As of one that shares its database with others; its books are files all the same. */
  readonly lease?: Lease;
}

/** Where a venue is, and who trades there. */
export type LiveAddress = Pick<EmulatedVenue, 'baseUrl' | 'credentials'>;

/** Several venues by one row each, whatever the settings of each are called. */
export function liveConfig(
  dataDir: string,
  settings: Readonly<Record<string, string>>,
  venues: Partial<Readonly<Record<Exchange, LiveAddress>>>,
): Config {
  const env = { DATA_DIR: dataDir, SERVICES: 'gateway', WEBHOOK_API_KEYS: WEBHOOK_KEY, ...CONFIRMED, ...settings };
  const loaded = loadConfig(env, { checkAddressEntry: () => undefined });
  const live = Object.entries(venues).map(([exchange, { baseUrl, credentials }]) => {
    return [exchange, { mode: 'live', hasOwnMode: true, credentials, baseUrl }] as const;
  });
  return { ...loaded, venues: { ...loaded.venues, ...Object.fromEntries(live) } };
}

export async function openLiveGateway(row: LiveVenueRow, options: LiveGatewayOptions = {}): Promise<LiveGateway> {
  const { exchange } = row;
  const { log = silent } = options;
  const emulated = await row.start(options.venue);
  emulated.market.setPrice(MARKET, '50000');
  const dataDir = mkdtempSync(join(tmpdir(), 'signalbox-live-'));
  let settings = options.settings ?? {};
  let built: Built | undefined = await start();

  async function start(): Promise<Built> {
    const made = await build(liveConfig(dataDir, settings, { [exchange]: emulated }), log, {
      ...{ trade: true, lease: options.lease },
    });
    await made.gateway?.desk.start({ afterCrash: true });
    return made;
  }

  const running = (): Built => {
    if (built === undefined) throw new Error('the gateway is down; restart it first');
    return built;
  };
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> =>
    running().app.request(path, { headers: { host: 'localhost' }, ...init }, { peer: '127.0.0.1' });
  const stop = async (): Promise<void> => {
    await built?.tearDown();
    built = undefined;
  };
  const send = async (fields: object = {}): Promise<TradeAnswer> => {
    const body = { apiKey: WEBHOOK_KEY, exchange, action: 'LONG', symbol: MARKET, quantity: 0.01, ...fields };
    const response = await ask('/webhook', { method: 'POST', body: JSON.stringify(body) });
    return { status: response.status, ...((await response.json()) as object) };
  };
  const outcome = async (fields: object = {}): Promise<Readonly<Record<string, unknown>>> => {
    const { requestId } = await send(fields);
    for (;;) {
      const { result } = (await (await ask(`/trades/${requestId}`)).json()) as { result: Record<string, unknown> };
      if (result.status !== 'Enqueued') return result;
      await wait(POLL_MS, { timers: foregroundTimers });
    }
  };
  return {
    emulated,
    built: running,
    send,
    outcome,
    ask: async <T>(path: string, init?: RequestInit) => (await (await ask(path, init)).json()) as T,
    orders: () => emulated.market.orders.map(({ side, status, executed }) => `${side} ${toText(executed)} ${status}`),
    held(market = MARKET) {
      const held = emulated.market.account.heldPositions(market);
      return held
        .map(({ quantity }) => `${quantity > 0n ? 'LONG' : 'SHORT'} ${toText(quantity).replace('-', '')}`)
        .join();
    },
    async restart(changes) {
      await stop();
      settings = { ...settings, ...changes };
      built = await start();
    },
    stop,
    async close() {
      await stop();
      await emulated.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

// An emulated Binance on a loopback port: USDⓈ-M futures, a little of spot, and the user data stream.

import type { Credentials, EmulatedVenue, EmulatedVenueOptions } from '../emulated-venue.ts';
import { Faults } from '../faults.ts';
import { Refusal } from '../futures-order.ts';
import { MatchingMarket } from '../matching-market.ts';
import { listen, type Reply, type VenueProtocol, type VenueRequest, type VenueStream } from '../venue-server.ts';
import { AccountInfo, type KeyPermissions } from './account.ts';
import { AlgoOrders } from './algo-orders.ts';
import { BinanceError, marketRefusal, refuse } from './errors.ts';
import { Klines } from './klines.ts';
import { MarketInfo } from './market-info.ts';
import { BinanceOrders } from './orders.ts';
import { Parameters } from './parameters.ts';
import { RateLimits, tooManyRequests } from './rate-limits.ts';
import { type Parts, type Route, routesOf } from './routes.ts';
import { AccountSettings } from './settings.ts';
import { checkKey, checkSignature, checkTime } from './signed-request.ts';
import { SpotWallet } from './spot-wallet.ts';
import { UserStream } from './user-stream.ts';

/** The key and secret of the examples in Binance's documentation. */
const PUBLISHED_CREDENTIALS = {
  apiKey: 'vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A',
  secret: 'NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j',
};

export interface EmulatedBinanceOptions extends EmulatedVenueOptions {
  /** The user stream of the test network has its old address; the live one has a road of its own since April 2026. */
  readonly testnet?: boolean;
}

export interface EmulatedBinance extends EmulatedVenue {
  readonly limits: RateLimits;
  readonly permissions: KeyPermissions;
  readonly orders: BinanceOrders;
  readonly userStream: UserStream;
  readonly spot: SpotWallet;
}

export async function startBinance(options: EmulatedBinanceOptions = {}): Promise<EmulatedBinance> {
  const nowMs = options.nowMs ?? Date.now;
  const credentials = options.credentials ?? PUBLISHED_CREDENTIALS;
  const market = new MatchingMarket(options);
  const faults = new Faults();
  const limits = new RateLimits(nowMs);
  const account = new AccountInfo(market);
  const parts = {
    market,
    account,
    orders: new BinanceOrders(market),
    algoOrders: new AlgoOrders(market),
    settings: new AccountSettings(market),
    info: new MarketInfo(market, limits),
    klines: new Klines(market),
    userStream: new UserStream(market),
    spot: new SpotWallet(market),
  };
  const protocol = new BinanceProtocol(parts, limits, credentials, options.testnet ? TESTNET_ROAD : LIVE_ROAD);
  const server = await listen(protocol, faults, nowMs);
  const close = async (): Promise<void> => {
    market.close();
    await server.close();
  };
  const { orders, userStream, spot } = parts;
  const { baseUrl, streamUrl, requests } = server;
  const { permissions } = account;
  return {
    baseUrl,
    streamUrl,
    requests,
    market,
    faults,
    credentials,
    limits,
    permissions,
    orders,
    userStream,
    spot,
    close,
  };
}

const LIVE_ROAD = /^\/private\/ws(?:\/\w*)?$/;
const TESTNET_ROAD = /^\/ws(?:\/\w*)?$/;
const MAINTENANCE = { code: -1016, msg: 'This service is no longer available.' };
/** This answer has no code. */
const UNKNOWN_OUTCOME = 'Unknown error, please check your request or try again later.';

class BinanceProtocol implements VenueProtocol {
  readonly words = {
    maintenance: (): Reply => ({ status: 503, body: MAINTENANCE }),
    unknownOutcome: ({ path }: VenueRequest): Reply => ({
      status: 503,
      body: { timestamp: this.#parts.market.nowMs(), path, msg: UNKNOWN_OUTCOME },
    }),
    tooManyRequests: (status: number, retryAfterS: number): Reply =>
      tooManyRequests(status, retryAfterS, this.#parts.market.nowMs()),
  };
  readonly #parts: Parts;
  readonly #routes: ReadonlyMap<string, Route>;
  readonly #limits: RateLimits;
  readonly #credentials: Credentials;
  readonly #road: RegExp;

  constructor(parts: Parts, limits: RateLimits, credentials: Credentials, road: RegExp) {
    this.#parts = parts;
    this.#routes = routesOf(parts);
    this.#limits = limits;
    this.#credentials = credentials;
    this.#road = road;
  }

  answer(request: VenueRequest): Reply {
    const route = this.#routes.get(`${request.method} ${request.path}`);
    if (route === undefined)
      return { status: 404, body: { code: -5000, msg: `Path ${request.path}, Method ${request.method} is invalid` } };
    try {
      return this.#answered(request, route);
    } catch (error) {
      const refusal =
        error instanceof Refusal
          ? marketRefusal(error.reason, this.#parts.market.account.positionMode === 'hedge')
          : error;
      if (!(refusal instanceof BinanceError)) throw error;
      const headers = { ...this.#headers(route), ...refusal.headers };
      return { status: refusal.status, body: { code: refusal.code, msg: refusal.message }, headers };
    }
  }

  #answered(request: VenueRequest, route: Route): Reply {
    const parameters = new Parameters(request.rawQuery, request.body);
    const refused = this.#limits.use(typeof route.weight === 'number' ? route.weight : route.weight(parameters));
    if (refused !== undefined) return { ...refused, headers: { ...this.#limits.headers(), ...refused.headers } };
    this.#gate(request, route, parameters);
    if (route.isOrder) this.#limits.countOrder();
    return { body: route.answer(parameters), headers: this.#headers(route) };
  }

  #gate(request: VenueRequest, route: Route, parameters: Parameters): void {
    if (route.security === 'public') return;
    checkKey(request, this.#credentials);
    if (route.security === 'key') return;
    checkTime(parameters, this.#parts.market.nowMs());
    checkSignature(request, parameters, this.#credentials);
    if (!this.#parts.account.permissions[route.needs]) throw refuse('-2015');
  }

  #headers(route: Route): Record<string, string> {
    return { ...this.#limits.headers(), ...(route.isOrder ? this.#limits.orderHeaders() : {}) };
  }

  opens(path: string): boolean {
    return this.#road.test(path) || this.#parts.klines.isStream(path);
  }

  opened(stream: VenueStream): void {
    this.#sourceOf(stream).add(stream);
  }

  #sourceOf({ path }: VenueStream): UserStream | Klines {
    return this.#parts.klines.isStream(path) ? this.#parts.klines : this.#parts.userStream;
  }

  heard(stream: VenueStream, text: string): void {
    const { id } = JSON.parse(text) as { id?: number };
    stream.reply(JSON.stringify({ result: null, id: id ?? null }));
  }

  closed(stream: VenueStream): void {
    this.#sourceOf(stream).remove(stream);
  }
}

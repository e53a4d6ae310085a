// How a request to the emulated Binance is answered: limits, key, clock and signature first, then the address; and who
// hears what on a stream.

import type { Credentials } from '../emulated-venue.ts';
import { Refusal } from '../futures-order.ts';
import type { Reply, VenueProtocol, VenueRequest, VenueStream } from '../venue-server.ts';
import { BinanceError, marketRefusal, refuse } from './errors.ts';
import type { Klines } from './klines.ts';
import { Parameters } from './parameters.ts';
import { type RateLimits, tooManyRequests } from './rate-limits.ts';
import { type Parts, type Route, routesOf } from './routes.ts';
import { checkKey, checkSignature, checkTime } from './signed-request.ts';
import type { UserStream } from './user-stream.ts';

/** Of the user stream. */
const LIVE_ROAD = /^\/private\/ws(?:\/\w*)?$/;
const TESTNET_ROAD = /^\/ws(?:\/\w*)?$/;
const MAINTENANCE = { code: -1016, msg: 'This service is no longer available.' };
/** This answer has no code. */
const UNKNOWN_OUTCOME = 'Unknown error, please check your request or try again later.';

export class BinanceProtocol implements VenueProtocol {
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

  constructor(parts: Parts, limits: RateLimits, credentials: Credentials, isTestnet: boolean) {
    this.#parts = parts;
    this.#routes = routesOf(parts);
    this.#limits = limits;
    this.#credentials = credentials;
    this.#road = isTestnet ? TESTNET_ROAD : LIVE_ROAD;
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

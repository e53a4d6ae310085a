// How a request to the emulated Binance is answered: limits, key, clock and signature first, then the address; and who
// hears what on a stream.

import { Refusal } from '../futures-order.ts';
import type { KeptAccount, VenueAccounts } from '../venue-accounts.ts';
import type { Reply, VenueProtocol, VenueRequest, VenueStream } from '../venue-server.ts';
import { BinanceError, marketRefusal, refuse } from './errors.ts';
import { Parameters } from './parameters.ts';
import { type RateLimits, tooManyRequests } from './rate-limits.ts';
import type { Parts, Route } from './routes.ts';
import { checkKey, checkSignature, checkTime } from './signed-request.ts';

/** Of the user stream. */
const LIVE_ROAD = /^\/private\/ws(?:\/\w*)?$/;
const TESTNET_ROAD = /^\/ws(?:\/\w*)?$/;
const MAINTENANCE = { code: -1016, msg: 'This service is no longer available.' };
/** This answer has no code. */
const UNKNOWN_OUTCOME = 'Unknown error, please check your request or try again later.';

/** Of one account. */
export type BinanceParts = Parts & { readonly routes: ReadonlyMap<string, Route> };
type Account = KeptAccount<BinanceParts>;

export class BinanceProtocol implements VenueProtocol {
  readonly words = {
    maintenance: (): Reply => ({ status: 503, body: MAINTENANCE }),
    unknownOutcome: ({ path }: VenueRequest): Reply => ({
      status: 503,
      body: { timestamp: this.#nowMs(), path, msg: UNKNOWN_OUTCOME },
    }),
    tooManyRequests: (status: number, retryAfterS: number): Reply =>
      tooManyRequests(status, retryAfterS, this.#nowMs()),
  };
  readonly #accounts: VenueAccounts<BinanceParts>;
  readonly #limits: RateLimits;
  readonly #road: RegExp;

  constructor(accounts: VenueAccounts<BinanceParts>, limits: RateLimits, isTestnet: boolean) {
    this.#accounts = accounts;
    this.#limits = limits;
    this.#road = isTestnet ? TESTNET_ROAD : LIVE_ROAD;
  }

  #nowMs(): number {
    return this.#accounts.first.market.nowMs();
  }

  keyOf({ headers }: VenueRequest): string {
    return String(headers['x-mbx-apikey'] ?? '');
  }

  /** Whoever has no key, or an unknown one, is refused by the first account where a key is needed. */
  answer(request: VenueRequest): Reply {
    const account = this.#accounts.find(this.keyOf(request)) ?? this.#accounts.first;
    const route = account.parts.routes.get(`${request.method} ${request.path}`);
    if (route === undefined)
      return { status: 404, body: { code: -5000, msg: `Path ${request.path}, Method ${request.method} is invalid` } };
    try {
      return this.#answered(request, route, account);
    } catch (error) {
      const isHedge = account.market.account.positionMode === 'hedge';
      const refusal = error instanceof Refusal ? marketRefusal(error.reason, isHedge) : error;
      if (!(refusal instanceof BinanceError)) throw error;
      const headers = { ...this.#headers(route, account), ...refusal.headers };
      return { status: refusal.status, body: { code: refusal.code, msg: refusal.message }, headers };
    }
  }

  #answered(request: VenueRequest, route: Route, account: Account): Reply {
    const parameters = new Parameters(request.rawQuery, request.body);
    const refused = this.#limits.use(typeof route.weight === 'number' ? route.weight : route.weight(parameters));
    if (refused !== undefined) return { ...refused, headers: { ...this.#limits.headers(), ...refused.headers } };
    this.#gate(request, route, account, parameters);
    if (route.isOrder) this.#limits.countOrder(account.credentials.apiKey);
    return { body: route.answer(parameters), headers: this.#headers(route, account) };
  }

  #gate(request: VenueRequest, route: Route, { credentials, parts }: Account, parameters: Parameters): void {
    if (route.security === 'public') return;
    checkKey(request, credentials);
    if (route.security === 'key') return;
    checkTime(parameters, this.#nowMs());
    checkSignature(request, parameters, credentials);
    if (!parts.account.permissions[route.needs]) throw refuse('-2015');
  }

  #headers(route: Route, { credentials }: Account): Record<string, string> {
    return { ...this.#limits.headers(), ...(route.isOrder ? this.#limits.orderHeaders(credentials.apiKey) : {}) };
  }

  opens(path: string): boolean {
    return this.#road.test(path) || this.#accounts.first.parts.klines.isStream(path);
  }

  /** The listen key says whose events a stream gets, so it may be anybody's. */
  opened(stream: VenueStream): void {
    const { klines } = this.#accounts.first.parts;
    if (klines.isStream(stream.path)) klines.add(stream);
    else for (const { parts } of this.#accounts.all()) parts.userStream.add(stream);
  }

  heard(stream: VenueStream, text: string): void {
    const { id } = JSON.parse(text) as { id?: number };
    stream.reply(JSON.stringify({ result: null, id: id ?? null }));
  }

  closed(stream: VenueStream): void {
    this.#accounts.first.parts.klines.remove(stream);
    for (const { parts } of this.#accounts.all()) parts.userStream.remove(stream);
  }
}

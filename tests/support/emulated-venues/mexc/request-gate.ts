// What a request meets at MEXC before it is answered: the limit of its path, the signature, and whether the key may do what
// it asks.
//
// Certain: 20 requests in two seconds for each path, one in five seconds for the list of contracts, and code 510.
// Assumed: that the HTTP status is 200 all the same, and that limits are counted by key.

import { Refusal } from '../futures-order.ts';
import { RollingLimit } from '../rolling-limit.ts';
import type { Reply, VenueRequest } from '../venue-server.ts';
import { ERROR_MESSAGES, type ErrorCode, MexcRefusal } from './error-codes.ts';
import { Parameters } from './parameters.ts';
import { checkSignature } from './signature.ts';

/** Each permission is known by what MEXC says to a key without it. */
export type Permission = 701 | 703 | 704;

export interface Route {
  /** Absent: everybody. */
  readonly permission?: Permission;
  readonly limit?: RollingLimit;
  readonly answer: (parameters: Parameters) => unknown;
}

/** By method and path; a part of the path in braces is a parameter. */
export type Routes = Readonly<Record<string, Route>>;

export interface MexcKey {
  readonly apiKey: string;
  readonly secret: string;
  /** What it may not do; everything may be done unless said. */
  readonly lacks?: readonly Permission[];
  /** Where it may be used from; empty means anywhere. */
  readonly ips?: readonly string[];
  readonly isExpired?: boolean;
}

interface KnownRoute extends Route {
  readonly pattern: RegExp;
  readonly limit: RollingLimit;
}

const USUAL_LIMIT = { requests: 20, windowMs: 2_000 };

export const keyOf = ({ headers }: VenueRequest): string => String(headers.apikey ?? '');

export class RequestGate {
  readonly #key: MexcKey;
  readonly #nowMs: () => number;
  readonly #routes: readonly KnownRoute[];

  constructor(key: MexcKey, nowMs: () => number, routes: Routes) {
    this.#key = key;
    this.#nowMs = nowMs;
    this.#routes = Object.entries(routes).map(([name, route]) => ({
      ...route,
      pattern: new RegExp(`^${name.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
      limit: route.limit ?? new RollingLimit(USUAL_LIMIT.requests, USUAL_LIMIT.windowMs),
    }));
  }

  refuse(code: ErrorCode, message: string = ERROR_MESSAGES[code]): Reply {
    return { body: { success: false, code, message } };
  }

  answer(request: VenueRequest): Reply {
    try {
      for (const route of this.#routes) {
        const match = route.pattern.exec(`${request.method} ${request.path}`);
        if (match === null) continue;
        const data = this.#ask(route, request, match.groups ?? {});
        return { body: data === null ? { success: true, code: 0 } : { success: true, code: 0, data } };
      }
      return { status: 404, body: { success: false, code: 404, message: 'Not Found' } };
    } catch (error) {
      // A contract that has no price yet.
      if (error instanceof Refusal) return this.refuse(1002);
      if (!(error instanceof MexcRefusal)) throw error;
      return this.refuse(error.code, error.message);
    }
  }

  #ask(route: KnownRoute, request: VenueRequest, ofPath: Readonly<Record<string, string>>): unknown {
    const nowMs = this.#nowMs();
    const { permission } = route;
    const secretOf = (apiKey: string): string | undefined =>
      apiKey === this.#key.apiKey ? this.#key.secret : undefined;
    const caller = permission === undefined ? '' : checkSignature(request, secretOf, nowMs);
    if (!route.limit.take(caller, nowMs).allowed) throw new MexcRefusal(510);
    if (permission !== undefined) this.#checkKey(permission);
    const decoded = Object.entries(ofPath).map(([name, value]) => [name, decodeURIComponent(value)]);
    return route.answer(new Parameters(request, Object.fromEntries(decoded)));
  }

  #checkKey(permission: Permission): void {
    const { ips = [], isExpired, lacks = [] } = this.#key;
    if (isExpired) throw new MexcRefusal(402);
    if (ips.length > 0 && !ips.includes('127.0.0.1')) throw new MexcRefusal(406);
    if (lacks.includes(permission)) throw new MexcRefusal(permission);
  }
}

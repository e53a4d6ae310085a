// What a request meets at Bybit before it is answered: the limits of its address and key, the signature, and whether the
// key may do what it asks.

import { RollingLimit } from '../rolling-limit.ts';
import type { VenueAccounts } from '../venue-accounts.ts';
import type { Reply, VenueRequest } from '../venue-server.ts';
import { type BybitKey, TRADING_PERMISSIONS } from './account.ts';
import { Parameters } from './parameters.ts';
import { BybitRefusal, RET_MESSAGES, type RetCode } from './ret-codes.ts';
import { checkSignature } from './signature.ts';

export type Permission = 'read' | 'Order' | 'Position';

export interface Route {
  readonly permission: Permission;
  /** In any second, for each key. */
  readonly limit: number;
  readonly answer: (parameters: Parameters, key: BybitKey) => object;
}

/** By method and path. */
export type PublicRoutes = Readonly<Record<string, (parameters: Parameters) => object>>;
export type PrivateRoutes = Readonly<Record<string, Route>>;

/** Of an account: what its key may do, and who answers it. */
export interface Caller {
  readonly key: BybitKey;
  readonly routes: PrivateRoutes;
}

const IP_LIMIT = { requests: 600, windowMs: 5_000, banMs: 600_000 };
const SECOND_MS = 1_000;

export class RequestGate {
  readonly #nowMs: () => number;
  readonly #routes: PublicRoutes;
  readonly #accounts: VenueAccounts<Caller>;
  readonly #byAddress = new RollingLimit(IP_LIMIT.requests, IP_LIMIT.windowMs);
  readonly #byRoute = new Map<string, RollingLimit>();
  #bannedUntilMs = 0;

  constructor(nowMs: () => number, routes: PublicRoutes, accounts: VenueAccounts<Caller>) {
    this.#nowMs = nowMs;
    this.#routes = routes;
    this.#accounts = accounts;
  }

  refuse(retCode: RetCode, retMsg: string = RET_MESSAGES[retCode]): Reply {
    return { body: { retCode, retMsg, result: {}, retExtInfo: {}, time: this.#nowMs() } };
  }

  /** 403: too often from one address. 429: the venue protects itself. Otherwise: too often with one key. */
  tooMany(status: number): Reply {
    if (status === 403) return { ...this.refuse(10018, 'access too frequent'), status };
    return status === 429 ? { ...this.refuse(10006, 'System level frequency protection'), status } : this.refuse(10006);
  }

  answer(request: VenueRequest): Reply {
    const nowMs = this.#nowMs();
    if (nowMs < this.#bannedUntilMs || !this.#byAddress.take('', nowMs).allowed) {
      if (nowMs >= this.#bannedUntilMs) this.#bannedUntilMs = nowMs + IP_LIMIT.banMs;
      return this.tooMany(403);
    }
    let headers: Record<string, string> = {};
    try {
      const name = `${request.method} ${request.path}`;
      const open = this.#routes[name];
      if (open !== undefined) return this.#yes(open(new Parameters(request)), headers);
      const { routes, key } = (this.#accounts.find(keyOf(request)) ?? this.#accounts.first).parts;
      const route = routes[name];
      if (route === undefined) return { ...this.refuse(10017), status: 404 };
      const apiKey = checkSignature(request, (known) => this.#accounts.find(known)?.credentials.secret, nowMs);
      headers = this.#count(name, route, apiKey);
      checkPermission(route.permission, key);
      return this.#yes(route.answer(new Parameters(request), key), headers);
    } catch (error) {
      if (!(error instanceof BybitRefusal)) throw error;
      return { ...this.refuse(error.retCode, error.message), headers: { ...headers, ...limitHeaders(error) } };
    }
  }

  #yes(result: object, headers: Record<string, string>): Reply {
    return { body: { retCode: 0, retMsg: 'OK', result, retExtInfo: {}, time: this.#nowMs() }, headers };
  }

  #count(name: string, { limit }: Route, apiKey: string): Record<string, string> {
    const counter = this.#byRoute.get(name) ?? new RollingLimit(limit, SECOND_MS);
    this.#byRoute.set(name, counter);
    const { allowed, left, freeAtMs } = counter.take(apiKey, this.#nowMs());
    const headers = {
      'x-bapi-limit': String(limit),
      'x-bapi-limit-status': String(left),
      'x-bapi-limit-reset-timestamp': String(freeAtMs),
    };
    if (!allowed) throw new TooManyVisits(headers);
    return headers;
  }
}

export const keyOf = ({ headers }: VenueRequest): string => String(headers['x-bapi-api-key'] ?? '');

function checkPermission(permission: Permission, { ips = [], permissions, readOnly }: BybitKey): void {
  if (ips.length > 0 && !ips.includes('*') && !ips.includes('127.0.0.1')) throw new BybitRefusal(10010);
  if (permission === 'read') return;
  const granted: readonly string[] = (permissions ?? TRADING_PERMISSIONS).ContractTrade ?? [];
  if (readOnly || !granted.includes(permission)) throw new BybitRefusal(10005);
}

/** A refusal that says when to come again. */
class TooManyVisits extends BybitRefusal {
  readonly headers: Readonly<Record<string, string>>;
  constructor(headers: Readonly<Record<string, string>>) {
    super(10006);
    this.headers = headers;
  }
}

const limitHeaders = (error: BybitRefusal): Readonly<Record<string, string>> =>
  error instanceof TooManyVisits ? error.headers : {};

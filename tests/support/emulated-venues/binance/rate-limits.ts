// Binance's limits: request weight per address each minute, new orders per account each ten seconds and minute, and the ban of
// those who go on asking after they were told to wait.

import type { Reply } from '../venue-server.ts';
import { BinanceError } from './errors.ts';

const MINUTE_MS = 60_000;
const TEN_SECONDS_MS = 10_000;
/** So many requests after the first 429 of a minute make a ban of the shortest length. */
const BAN_AFTER = 20;
const BAN_MS = 2 * MINUTE_MS;

/** A count that begins anew when its span of the clock does. */
class WindowCount {
  readonly #spanMs: number;
  #span = -1;
  #count = 0;
  constructor(spanMs: number) {
    this.#spanMs = spanMs;
  }

  add(amount: number, nowMs: number): number {
    const span = Math.floor(nowMs / this.#spanMs);
    if (span !== this.#span) this.#count = 0;
    this.#span = span;
    this.#count += amount;
    return this.#count;
  }

  endsInS(nowMs: number): number {
    return Math.ceil((this.#spanMs - (nowMs % this.#spanMs)) / 1000);
  }
}

/** Of the orders of one account. */
class OrderCount {
  readonly tenSeconds = new WindowCount(TEN_SECONDS_MS);
  readonly minute = new WindowCount(MINUTE_MS);
}

export class RateLimits {
  /** A test may lower them. */
  weightPerMinute = 2_400;
  ordersPerTenSeconds = 300;
  ordersPerMinute = 1_200;
  /** What everything has weighed since the start. */
  weightInAll = 0;
  readonly #nowMs: () => number;
  readonly #weight = new WindowCount(MINUTE_MS);
  readonly #orders = new Map<string, OrderCount>();
  readonly #refusals = new WindowCount(MINUTE_MS);
  #bannedUntilMs = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** What every answer carries. */
  headers(): Record<string, string> {
    return { 'X-MBX-USED-WEIGHT-1M': String(this.#weight.add(0, this.#nowMs())) };
  }

  orderHeaders(apiKey: string): Record<string, string> {
    const { tenSeconds, minute } = this.#ordersOf(apiKey);
    return {
      'X-MBX-ORDER-COUNT-10S': String(tenSeconds.add(0, this.#nowMs())),
      'X-MBX-ORDER-COUNT-1M': String(minute.add(0, this.#nowMs())),
    };
  }

  #ordersOf(apiKey: string): OrderCount {
    const known = this.#orders.get(apiKey) ?? new OrderCount();
    this.#orders.set(apiKey, known);
    return known;
  }

  /** Returns the refusal of one who is banned or has no weight left. */
  use(weight: number): Reply | undefined {
    const nowMs = this.#nowMs();
    this.weightInAll += weight;
    if (nowMs < this.#bannedUntilMs)
      return tooManyRequests(418, Math.ceil((this.#bannedUntilMs - nowMs) / 1000), nowMs);
    if (this.#weight.add(weight, nowMs) <= this.weightPerMinute) return undefined;
    if (this.#refusals.add(1, nowMs) > BAN_AFTER) {
      this.#bannedUntilMs = nowMs + BAN_MS;
      return tooManyRequests(418, BAN_MS / 1000, nowMs);
    }
    return tooManyRequests(429, this.#weight.endsInS(nowMs), nowMs);
  }

  countOrder(apiKey: string): void {
    const nowMs = this.#nowMs();
    const { tenSeconds, minute } = this.#ordersOf(apiKey);
    const [short, long] = [tenSeconds.add(1, nowMs), minute.add(1, nowMs)];
    if (short > this.ordersPerTenSeconds)
      throw this.#tooManyOrders(this.ordersPerTenSeconds, 'TEN_SECONDS', tenSeconds.endsInS(nowMs));
    if (long > this.ordersPerMinute) throw this.#tooManyOrders(this.ordersPerMinute, 'MINUTE', minute.endsInS(nowMs));
  }

  #tooManyOrders(limit: number, span: string, retryAfterS: number): BinanceError {
    return new BinanceError('-1015', [String(limit), span], { 'Retry-After': String(retryAfterS) });
  }
}

/** 429 says wait, 418 says banned; both say how long. */
export function tooManyRequests(status: number, retryAfterS: number, nowMs: number): Reply {
  const msg =
    status === 418
      ? `Way too many requests; IP banned until ${nowMs + retryAfterS * 1000}. Please use the websocket for live updates to avoid bans.`
      : 'Too many requests; current limit of IP is 2400 requests per minute. Please use the websocket for live updates to avoid polling the API.';
  return { status, body: { code: -1003, msg }, headers: { 'Retry-After': String(retryAfterS) } };
}

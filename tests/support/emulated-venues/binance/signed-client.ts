// A caller of the emulated Binance that does everything right, so that a test can do one thing wrong.

import { hmacSha256Hex } from '../emulated-venue.ts';
import type { EmulatedBinance } from './venue.ts';

export type Values = Readonly<Record<string, string | number | boolean>>;

// biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the test expects of it.
type Body = any;

export interface Answer {
  readonly status: number;
  readonly body: Body;
  readonly headers: Headers;
}

export class SignedClient {
  readonly #venue: EmulatedBinance;
  readonly #nowMs: () => number;

  constructor(venue: EmulatedBinance, nowMs: () => number) {
    this.#venue = venue;
    this.#nowMs = nowMs;
  }

  /** Signed, with the parameters in the query. */
  call(method: string, path: string, values: Values = {}): Promise<Answer> {
    const query = new URLSearchParams({ timestamp: String(this.#nowMs()), ...texts(values) }).toString();
    const signature = hmacSha256Hex(this.#venue.credentials.secret, query);
    return this.send(method, `${path}?${query}&signature=${signature}`);
  }

  /** As it stands, with the key. */
  async send(method: string, target: string, init: RequestInit = {}): Promise<Answer> {
    const headers = { 'X-MBX-APIKEY': this.#venue.credentials.apiKey };
    const response = await fetch(this.#venue.baseUrl + target, { method, headers, ...init });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text), headers: response.headers };
  }

  order(values: Values): Promise<Answer> {
    const usual = { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '0.01', newOrderRespType: 'RESULT' };
    return this.call('POST', '/fapi/v1/order', { ...usual, ...values });
  }

  limit(values: Values): Promise<Answer> {
    return this.order({ type: 'LIMIT', timeInForce: 'GTC', price: '49000', ...values });
  }

  algo(values: Values): Promise<Answer> {
    const usual = { algoType: 'CONDITIONAL', symbol: 'BTCUSDT', side: 'SELL', type: 'STOP_MARKET' };
    return this.call('POST', '/fapi/v1/algoOrder', { ...usual, ...values });
  }
}

const texts = (values: Values): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));

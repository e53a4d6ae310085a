// A caller of Bybit for tests: it signs what it sends, and says what came back.

import { hmacSha256Hex } from '../emulated-venue.ts';
import type { BybitVenue } from './bybit-venue.ts';

export interface BybitAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly retCode: number;
  readonly retMsg: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the venue has answered
  readonly result: any;
}

export interface CallOptions {
  readonly timestampMs?: number;
  readonly window?: string;
  readonly apiKey?: string;
  readonly secret?: string;
}

export class BybitClient {
  readonly #venue: BybitVenue;

  constructor(venue: BybitVenue) {
    this.#venue = venue;
  }

  get(path: string, query: Readonly<Record<string, string>> = {}, options: CallOptions = {}): Promise<BybitAnswer> {
    const text = new URLSearchParams({ ...query }).toString();
    const headers = this.#headers(text, options);
    return answerOf(fetch(`${this.#venue.baseUrl}${path}?${text}`, { headers }));
  }

  post(path: string, body: object, options: CallOptions = {}): Promise<BybitAnswer> {
    const text = JSON.stringify(body);
    const headers = { 'content-type': 'application/json', ...this.#headers(text, options) };
    return answerOf(fetch(`${this.#venue.baseUrl}${path}`, { method: 'POST', headers, body: text }));
  }

  order(body: object): Promise<BybitAnswer> {
    const usual = { category: 'linear', symbol: 'BTCUSDT', side: 'Buy', orderType: 'Market', qty: '0.01' };
    return this.post('/v5/order/create', { ...usual, ...body });
  }

  #headers(payload: string, options: CallOptions): Record<string, string> {
    const { apiKey, secret } = { ...this.#venue.credentials, ...options };
    const timestamp = String(options.timestampMs ?? this.#venue.market.nowMs());
    const window = options.window ?? '5000';
    return {
      'X-BAPI-API-KEY': apiKey,
      'X-BAPI-TIMESTAMP': timestamp,
      'X-BAPI-RECV-WINDOW': window,
      'X-BAPI-SIGN': hmacSha256Hex(secret, `${timestamp}${apiKey}${window}${payload}`),
    };
  }
}

async function answerOf(sent: Promise<Response>): Promise<BybitAnswer> {
  const response = await sent;
  const body = (await response.json()) as { retCode: number; retMsg: string; result: unknown };
  return { status: response.status, headers: response.headers, ...body };
}

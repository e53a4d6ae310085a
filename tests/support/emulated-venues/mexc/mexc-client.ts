// A caller of MEXC for tests: it signs what it sends, and says what came back.

import { hmacSha256Hex } from '../emulated-venue.ts';
import type { MexcVenue } from './mexc-venue.ts';

export interface MexcAnswer {
  readonly status: number;
  readonly success: boolean;
  readonly code: number;
  readonly message?: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the venue has answered
  readonly data: any;
}

export interface CallOptions {
  readonly timeMs?: number;
  readonly windowS?: string;
  readonly apiKey?: string;
  readonly secret?: string;
}

export class MexcClient {
  readonly #venue: MexcVenue;

  constructor(venue: MexcVenue) {
    this.#venue = venue;
  }

  get(path: string, query: Readonly<Record<string, string>> = {}, options: CallOptions = {}): Promise<MexcAnswer> {
    const pairs = Object.entries(query).sort(([a], [b]) => (a < b ? -1 : 1));
    const text = new URLSearchParams(pairs).toString();
    const headers = this.#headers(text, options);
    return answerOf(fetch(`${this.#venue.baseUrl}/api/v1/${path}${text === '' ? '' : `?${text}`}`, { headers }));
  }

  post(path: string, body: unknown, options: CallOptions = {}): Promise<MexcAnswer> {
    const text = JSON.stringify(body);
    const headers = { 'content-type': 'application/json', ...this.#headers(text, options) };
    return answerOf(fetch(`${this.#venue.baseUrl}/api/v1/private/${path}`, { method: 'POST', headers, body: text }));
  }

  /** Ten contracts at market, opening long in cross margin, unless said. */
  order(body: object = {}): Promise<MexcAnswer> {
    return this.post('order/create', { symbol: 'BTC_USDT', side: 1, type: 5, openType: 2, vol: 10, ...body });
  }

  #headers(payload: string, options: CallOptions): Record<string, string> {
    const { apiKey, secret } = { ...this.#venue.credentials, ...options };
    const time = String(options.timeMs ?? this.#venue.market.nowMs());
    return {
      ApiKey: apiKey,
      'Request-Time': time,
      Signature: hmacSha256Hex(secret, `${apiKey}${time}${payload}`),
      ...(options.windowS === undefined ? {} : { 'Recv-Window': options.windowS }),
    };
  }
}

async function answerOf(sent: Promise<Response>): Promise<MexcAnswer> {
  const response = await sent;
  return { status: response.status, ...((await response.json()) as Omit<MexcAnswer, 'status'>) };
}

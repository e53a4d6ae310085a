// MEXC's signature: HMAC-SHA256 over key, time and what is sent, in headers.
//
// Certain: the three headers, what is signed (of a GET or DELETE the parameters in the order of their names, of a POST the
// body as it is), 602 for a wrong signature, 513 for a time that is more than ten seconds off, and that a `Recv-Window`
// header (in seconds, at most 60) may stretch that. Assumed: a missing header or an unknown key is 401.

import { createHmac } from 'node:crypto';
import { MexcRefusal } from './error-codes.ts';

const DEFAULT_WINDOW_S = 10;
const MAX_WINDOW_S = 60;

export interface SignedRequest {
  readonly header: (name: string) => string | undefined;
  /** The body of a POST; absent for a GET. */
  readonly body: string | undefined;
  readonly query: URLSearchParams;
  readonly nowMs: number;
}

export const hmac = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('hex');

/** Parameters in the order of their names, as they are signed. */
const sorted = (query: URLSearchParams): string =>
  [...query]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');

/** Throws what MEXC answers to a request that is not signed by the owner of a key, or not now. Returns the key. */
export function checkSignature(
  { header, body, query, nowMs }: SignedRequest,
  secretOf: (apiKey: string) => string | undefined,
): string {
  const apiKey = header('apikey') ?? '';
  const time = header('request-time') ?? '';
  const secret = secretOf(apiKey);
  if (secret === undefined || time === '') throw new MexcRefusal(401);
  const windowS = Math.min(Number(header('recv-window') ?? DEFAULT_WINDOW_S), MAX_WINDOW_S);
  if (!(Math.abs(nowMs - Number(time)) <= windowS * 1000)) throw new MexcRefusal(513);
  if (header('signature') !== hmac(secret, `${apiKey}${time}${body ?? sorted(query)}`)) throw new MexcRefusal(602);
  return apiKey;
}

/** What the private stream wants to be signed. */
export const loginSignature = (secret: string, apiKey: string, requestTime: string): string =>
  hmac(secret, `${apiKey}${requestTime}`);

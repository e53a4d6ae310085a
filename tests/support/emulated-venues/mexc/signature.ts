// MEXC's signature: HMAC-SHA256 over key, time and what is sent, in headers.
//
// Certain: the three headers, what is signed (of a GET the parameters in the order of their names, of a POST the body as it
// is), 602 for a wrong signature, 513 for a time that is more than ten seconds off, and that a `Recv-Window` header (in
// seconds, at most 60) stretches that. Assumed: a missing header or an unknown key is 401.

import { isSignedBy } from '../emulated-venue.ts';
import type { VenueRequest } from '../venue-server.ts';
import { MexcRefusal } from './error-codes.ts';

const DEFAULT_WINDOW_S = 10;
const MAX_WINDOW_S = 60;

const sorted = (rawQuery: string): string =>
  rawQuery
    .split('&')
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
    .join('&');
const nameOf = (pair: string): string => pair.slice(0, pair.indexOf('='));

/** Throws what MEXC answers to a request that is not signed by the owner of a key, or not now. Returns the key. */
export function checkSignature(
  request: VenueRequest,
  secretOf: (apiKey: string) => string | undefined,
  nowMs: number,
): string {
  const header = (name: string): string => String(request.headers[name] ?? '');
  const apiKey = header('apikey');
  const time = header('request-time');
  const secret = secretOf(apiKey);
  if (secret === undefined || time === '') throw new MexcRefusal(401);
  const windowS = Math.min(Number(header('recv-window') || DEFAULT_WINDOW_S), MAX_WINDOW_S);
  if (!(Math.abs(nowMs - Number(time)) <= windowS * 1000)) throw new MexcRefusal(513);
  const payload = request.method === 'POST' ? request.body : sorted(request.rawQuery);
  if (!isSignedBy(secret, `${apiKey}${time}${payload}`, header('signature'))) throw new MexcRefusal(602);
  return apiKey;
}

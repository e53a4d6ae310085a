// Bybit's signature: HMAC-SHA256 over time, key, window and what is sent, in headers; and how old a request may be.

import { isSignedBy, timelinessOf } from '../emulated-venue.ts';
import type { VenueRequest } from '../venue-server.ts';
import { BybitRefusal } from './ret-codes.ts';

/** Where a request names no window. */
const DEFAULT_WINDOW_MS = 5_000;
/** A request may come from a clock that is ahead by less than this. */
const MAX_AHEAD_MS = 1_000;

/** Throws what Bybit answers to a request that is not signed by the owner of a key, or not now. Returns the key. */
export function checkSignature(
  request: VenueRequest,
  secretOf: (apiKey: string) => string | undefined,
  nowMs: number,
): string {
  const header = (name: string): string => String(request.headers[name] ?? '');
  const apiKey = header('x-bapi-api-key');
  const timestamp = header('x-bapi-timestamp');
  const sign = header('x-bapi-sign');
  const window = header('x-bapi-recv-window');
  if (apiKey === '' || timestamp === '' || sign === '')
    throw new BybitRefusal(10001, `empty value: apiTimestamp[${timestamp}] apiKey[${apiKey}] apiSignature[${sign}]`);
  const secret = secretOf(apiKey);
  if (secret === undefined) throw new BybitRefusal(10003);
  checkTime(Number(timestamp), Number(window || DEFAULT_WINDOW_MS), nowMs);
  const signed = `${timestamp}${apiKey}${window}${request.method === 'GET' ? request.rawQuery : request.body}`;
  if (!isSignedBy(secret, signed, sign)) throw new BybitRefusal(10004, `error sign! origin_string[${signed}]`);
  return apiKey;
}

function checkTime(timestampMs: number, receiveMs: number, nowMs: number): void {
  if (timelinessOf(timestampMs, nowMs, { receiveMs, aheadMs: MAX_AHEAD_MS }) === 'in time') return;
  const times = `req_timestamp[${timestampMs}],server_timestamp[${nowMs}],recv_window[${receiveMs}]`;
  throw new BybitRefusal(10002, `invalid request, please check your server timestamp or recv_window param. ${times}`);
}

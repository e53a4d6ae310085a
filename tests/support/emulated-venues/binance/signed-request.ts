// Who may ask: the API key in its header, the signature over the parameters to the letter, and the time window.

import { type Credentials, isSignedBy, timelinessOf } from '../emulated-venue.ts';
import type { VenueRequest } from '../venue-server.ts';
import { BinanceError, refuse } from './errors.ts';
import type { Parameters } from './parameters.ts';

const DEFAULT_RECEIVE_MS = 5_000;
const LONGEST_RECEIVE_MS = 60_000;
const AHEAD_MS = 1_000;
const SIGNATURE = /&?signature=([^&]*)/;

export function checkKey(request: VenueRequest, credentials: Credentials): void {
  const key = request.headers['x-mbx-apikey'];
  if (typeof key !== 'string' || key === '') throw refuse('-2014');
  if (key !== credentials.apiKey) throw refuse('-2015');
}

/** The signature covers the query and then the body, as they came, with nothing between them. */
export function checkSignature(request: VenueRequest, parameters: Parameters, credentials: Credentials): void {
  const signature = parameters.requiredText('signature');
  const payload = request.rawQuery.replace(SIGNATURE, '') + request.body.replace(SIGNATURE, '');
  if (!isSignedBy(credentials.secret, payload, signature)) throw refuse('-1022');
}

export function checkTime(parameters: Parameters, nowMs: number): void {
  const timestampMs = parameters.requiredInteger('timestamp');
  const receiveMs = parameters.integer('recvWindow') ?? DEFAULT_RECEIVE_MS;
  if (receiveMs > LONGEST_RECEIVE_MS) throw refuse('-1130', 'recvWindow');
  const timeliness = timelinessOf(timestampMs, nowMs, { receiveMs, aheadMs: AHEAD_MS });
  if (timeliness === 'ahead')
    throw new BinanceError('-1021', ["Timestamp for this request was 1000ms ahead of the server's time."]);
  if (timeliness === 'late')
    throw new BinanceError('-1021', ['Timestamp for this request is outside of the recvWindow.']);
}

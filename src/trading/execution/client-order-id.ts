// The client order id: derived from the signal alone, so the same signal always asks the venue for the same order.

import type { Leg } from '../books/journal.ts';
import { CLIENT_ORDER_PREFIX } from '../venue.ts';

/** 128 bits in digits of five. */
const DIGITS = 26;
const HEX_128 = /^[0-9a-f]{32}$/i;
const LEG_LETTER: Readonly<Record<Leg, string>> = { flatten: 'f', close: 'c', open: 'o' };

/** `sbx` + the request id's 128 bits in 26 characters that sort like it + the leg: 30 characters, venues allow 32. */
export function clientOrderId(requestId: string, leg: Leg): string {
  return orderIdStem(requestId) + LEG_LETTER[leg];
}

/** Every order of one signal starts with this. */
export function orderIdStem(requestId: string): string {
  const hex = requestId.replaceAll('-', '');
  if (!HEX_128.test(hex)) throw new Error(`not a request id: ${requestId}`);
  return CLIENT_ORDER_PREFIX + BigInt(`0x${hex}`).toString(32).padStart(DIGITS, '0');
}

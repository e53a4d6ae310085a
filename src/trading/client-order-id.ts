// The client order id: derived from the signal alone, so the same signal always asks the venue for the same order.

import type { Leg } from './journal.ts';
import { CLIENT_ORDER_PREFIX } from './venue.ts';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const LEG_LETTER: Readonly<Record<Leg, string>> = { flatten: 'f', close: 'c', open: 'o' };

/** `sbx` + the request id's 128 bits in 26 characters that sort like it + the leg: 30 characters, venues allow 32. */
export function clientOrderId(requestId: string, leg: Leg): string {
  return orderIdStem(requestId) + LEG_LETTER[leg];
}

/** Every order of one signal starts with this. */
export function orderIdStem(requestId: string): string {
  const hex = requestId.replaceAll('-', '');
  if (hex.length !== 32) throw new Error(`not a request id: ${requestId}`);
  let text = CLIENT_ORDER_PREFIX;
  // 128 bits in groups of five, the first group holding the three bits that are left over.
  let bits = 2;
  let value = 0;
  for (let i = 0; i < hex.length; i++) {
    value = (value << 4) | Number.parseInt(hex[i] as string, 16);
    bits += 4;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(value >> bits) & 31];
    }
    value &= 31;
  }
  return text;
}

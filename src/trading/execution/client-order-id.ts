// The client order id: derived from the trade alone, so the same trade always asks the venue for the same order.

import type { Leg } from '../books/journal.ts';
import { CLIENT_ORDER_PREFIX } from '../venue.ts';

/** 128 bits in digits of five. */
const DIGITS = 26;
/** A request id, and the number of the account where it is not the first. */
const TRADE_ID = /^([0-9a-f]{32})(?:\.([2-9]|1[0-6]))?$/i;
const LEG_LETTER: Readonly<Record<Leg, string>> = { flatten: 'f', close: 'c', open: 'o' };

/**
 * `sbx` + the request id's 128 bits in 26 characters that sort like it + the account's number as one digit, from the
 * second account on + the leg: 30 or 31 characters, venues allow 32.
 */
export function clientOrderId(tradeId: string, leg: Leg): string {
  const [, hex, number] = TRADE_ID.exec(tradeId.replaceAll('-', '')) ?? [];
  if (hex === undefined) throw new Error(`not a request id: ${tradeId}`);
  const signal = BigInt(`0x${hex}`).toString(32).padStart(DIGITS, '0');
  return CLIENT_ORDER_PREFIX + signal + (number === undefined ? '' : Number(number).toString(32)) + LEG_LETTER[leg];
}

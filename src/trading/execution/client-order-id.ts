// The client order id: derived from the trade alone, so the same trade always asks the venue for the same order, and the
// order's id tells its trade. A stop that waits at a venue has an id of its own, which is also that of the order it sends.

import { type Leg, tradeIdOf } from '../books/journal.ts';
import { CLIENT_ORDER_PREFIX } from '../venue.ts';

/** 128 bits in digits of five. */
const DIGITS = 26;
/** A request id, and the number of the trade where it is not the first of its signal. */
const TRADE_ID = /^([0-9a-f]{32})(?:\.([2-9]|[1-9][0-9]{1,2}))?$/i;
/** Orders at venues and in journals carry them, so a letter that was used is never given to another leg. */
const LEG_LETTER: Readonly<Record<Leg, string>> = {
  flatten: 'f',
  close: 'c',
  close_rest: 'e',
  open: 'o',
  catch_up_close: 'r',
  catch_up_open: 'u',
};

/**
 * `sbx` + the request id's 128 bits in 26 characters that sort like it + the trade's number, from the second trade of a
 * signal on, as one digit, or as two from the 32nd on + the leg: 30 to 32 characters, venues allow 32.
 */
export function clientOrderId(tradeId: string, leg: Leg): string {
  const [, hex, number] = TRADE_ID.exec(tradeId.replaceAll('-', '')) ?? [];
  if (hex === undefined) throw new Error(`not a request id: ${tradeId}`);
  const signal = BigInt(`0x${hex}`).toString(32).padStart(DIGITS, '0');
  return CLIENT_ORDER_PREFIX + signal + (number === undefined ? '' : Number(number).toString(32)) + LEG_LETTER[leg];
}

const STOP_LETTER = 's';
const STOP_ID = new RegExp(`^${CLIENT_ORDER_PREFIX}[0-9a-v]{${DIGITS}}${STOP_LETTER}$`);

/** The id of a stop, from a request id of its own. */
export const clientStopId = (requestId: string): string => clientOrderId(requestId, 'close').slice(0, -1) + STOP_LETTER;

/** Whether this is the id of a stop, or of the order that a stop has sent. */
export const isStopId = (id: string): boolean => STOP_ID.test(id);

const ORDER_ID = new RegExp(`^${CLIENT_ORDER_PREFIX}([0-9a-v]{${DIGITS}})([2-9a-v]|[1-9a-v][0-9a-v])?[ceforu]$`);
const UUID_BITS = 128n;

/** The other way round; undefined for what is no id of ours. */
export function tradeIdOfOrder(id: string): string | undefined {
  const [, digits, number] = ORDER_ID.exec(id) ?? [];
  if (digits === undefined) return undefined;
  const bits = [...digits].reduce((sum, digit) => sum * 32n + BigInt(Number.parseInt(digit, 32)), 0n);
  if (bits >> UUID_BITS !== 0n) return undefined;
  const hex = bits.toString(16).padStart(32, '0');
  const requestId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return tradeIdOf(requestId, number === undefined ? 1 : Number.parseInt(number, 32));
}

// The one-line command, `LONG 0.01 BTCUSDT on binance at 68000 x10`: a line is one only if every word of it has its place.
//
//   command  = action { quantity | symbol | exchange | price | leverage }      each at most once, in any order
//   action   = [ "close" ] ( "long" | "short" )                                always first
//   exchange = [ "on" ] a name of the table of exchanges: "binance"
//   price    = ( "at" | "@" ) number
//   leverage = "x" number | number "x"
//   symbol   = a market with its quote currency: BTCUSDT, BTC/USDT, BINANCE:BTCUSDT.P
//
// "we are long BTCUSDT 2 years on binance" does not begin with an action, so it is prose. A line that begins with one and
// names a market was meant as a command: whatever in it has no place is a fault, and the mail does not trade.

import { marketOf, SYMBOL_PATTERN } from '../market-symbol.ts';
import {
  actionOf,
  exchangeOf,
  isNumberLike,
  leverageText,
  missingIn,
  NOT_PLAIN,
  plainNumber,
  type Statement,
  type TradeField,
} from './mail-fields.ts';

/** The longest command has about ninety characters; whatever is much longer is prose. */
const MAX_COMMAND_CHARS = 200;

/** In prose any word could be a market. One that ends in a currency that markets are quoted in can not be a plain word. */
const QUOTED_MARKET = /^.+(?:USDT|USDC|FDUSD|BUSD|USD)$/;

interface Reading {
  readonly fields: Partial<Record<TradeField, unknown>>;
  readonly faults: string[];
  /** Words that have no place in a command. */
  strange: number;
}

/** Undefined for prose. */
export function readCommand(line: string): Statement | undefined {
  if (line === '' || line.length > MAX_COMMAND_CHARS) return undefined;
  const words = line.split(' ');
  const reading: Reading = { fields: {}, faults: [], strange: 0 };
  const first = readAction(words, reading);
  for (let at = first; at < words.length; ) at += readWord(words, at, reading);
  if (!isMeant(reading, first > 0)) return undefined;
  const told = new Set(reading.faults.map((fault) => fault.split(':')[0] as string));
  return { fields: reading.fields, faults: [...reading.faults, ...missingIn(reading.fields, told)] };
}

/** How many words the action took. A bare "close" is one that does not say what it closes. */
function readAction(words: readonly string[], { fields, faults }: Reading): number {
  for (const count of [2, 1]) {
    const action = words.length >= count ? actionOf(words.slice(0, count).join(' ')) : undefined;
    if (action === undefined) continue;
    fields.action = action;
    return count;
  }
  if (words[0]?.toLowerCase() !== 'close') return 0;
  faults.push('action: says close but not what, write "close long" or "close short"');
  return 1;
}

/** Puts the word at this place, and the one it belongs to, where they belong; returns how many words that were. */
function readWord(words: readonly string[], at: number, reading: Reading): number {
  const word = words[at] as string;
  const next = words[at + 1];
  const lower = word.toLowerCase();
  if (lower === 'on' && next !== undefined && exchangeOf(next)) return put('exchange', exchangeOf(next), reading, 2);
  if ((lower === 'at' || lower === '@') && next !== undefined && isNumberLike(next)) {
    return putNumber('price', next, reading, 2);
  }
  if (word.startsWith('@') && isNumberLike(word.slice(1))) return putNumber('price', word.slice(1), reading, 1);
  const exchange = exchangeOf(word);
  if (exchange) return put('exchange', exchange, reading, 1);
  const leverage = leverageText(word);
  if (leverage !== undefined) return putNumber('leverage', leverage, reading, 1);
  if (isNumberLike(word)) return putNumber('quantity', word, reading, 1);
  if (isMarket(word)) return put('symbol', word, reading, 1);
  reading.strange++;
  // The word itself stays out of the fault: faults are logged, and mail is nobody else's business.
  reading.faults.push(`text: word ${at + 1} of the command has no place in it, remove or correct it`);
  return 1;
}

function isMarket(word: string): boolean {
  if (!SYMBOL_PATTERN.test(word)) return false;
  const market = marketOf(word);
  return market !== undefined && QUOTED_MARKET.test(market.toUpperCase());
}

function put(field: TradeField, value: unknown, { fields, faults }: Reading, words: number): number {
  if (fields[field] === undefined) fields[field] = value;
  else faults.push(`${field}: stands twice in the command, write it once`);
  return words;
}

function putNumber(field: TradeField, text: string, reading: Reading, words: number): number {
  const value = plainNumber(text);
  if (value !== undefined) return put(field, value, reading, words);
  reading.faults.push(`${field}: ${NOT_PLAIN}`);
  return words;
}

/** Whether somebody meant a command, right or wrong, or just wrote a sentence. */
function isMeant({ fields, faults, strange }: Reading, beginsWithAction: boolean): boolean {
  const named = (field: TradeField): boolean =>
    fields[field] !== undefined || faults.some((fault) => fault.startsWith(`${field}:`));
  const sized = named('quantity') && named('exchange');
  if (!beginsWithAction) return strange === 0 && named('symbol') && sized;
  // One strange word beside a size and an exchange is most likely a market that is not spelled as one.
  if (named('symbol') || (sized && strange <= 1)) return true;
  return strange === 0 && (named('quantity') || named('exchange'));
}

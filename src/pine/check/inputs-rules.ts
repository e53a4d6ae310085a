// What a value of an input must be, whether the script's default or a user's choice, and how that is said in words.

import { parseSession, timeframes } from '../values/index.ts';
import { MAX_STRING_LENGTH } from '../values/strings/limit.ts';
import { quoted } from './constants-of-call.ts';
import type { ConstantValue, InputKind, InputSpec } from './tree.ts';

/** The parts of an input that decide which values it takes. */
export type InputRules = Pick<InputSpec, 'kind' | 'min' | 'max' | 'options' | 'userEnum'>;

/** The series a user can choose by name as a source. */
export const SOURCES: readonly string[] = ['open', 'high', 'low', 'close', 'volume', 'hl2', 'hlc3', 'hlcc4', 'ohlc4'];

/** The times a date can have, in milliseconds to both sides of 1970. */
const MAX_TIME_MS = 8.64e15;
const MAX_COLOR = 0xffffffff;
/** More choices than this are not read in a message. */
const MAX_LISTED_OPTIONS = 20;

/** An empty text means the timeframe of the chart. */
export const isTimeframe = (text: string): boolean => text === '' || parses(timeframes.parseTimeframe, text);

export const isSession = (text: string): boolean => parses(parseSession, text);

function parses(parse: (text: string) => unknown, text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

const isText = (value: ConstantValue): value is string =>
  typeof value === 'string' && value.length <= MAX_STRING_LENGTH;

type Accepts = (value: ConstantValue, rules: InputRules) => boolean;

const KIND_ACCEPTS: Readonly<Record<InputKind, Accepts>> = {
  int: (value) => Number.isSafeInteger(value),
  float: (value) => Number.isFinite(value),
  price: (value) => Number.isFinite(value),
  bool: (value) => typeof value === 'boolean',
  string: isText,
  text_area: isText,
  symbol: isText,
  session: (value) => isText(value) && isSession(value),
  timeframe: (value) => isText(value) && isTimeframe(value),
  time: (value) => Number.isSafeInteger(value) && Math.abs(Number(value)) <= MAX_TIME_MS,
  color: (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_COLOR,
  source: (value) => value === null || (typeof value === 'string' && SOURCES.includes(value)),
  enum: (value, { userEnum }) => userEnum?.members.some(({ name }) => name === value) === true,
};

/** Whether the value, as `InputSpec.defaultValue` holds it, is one that the input takes. */
export function acceptsValue(rules: InputRules, value: ConstantValue): boolean {
  if (!KIND_ACCEPTS[rules.kind](value, rules)) return false;
  if (typeof value === 'number' && value < (rules.min ?? value)) return false;
  if (typeof value === 'number' && value > (rules.max ?? value)) return false;
  if (rules.options === null) return true;
  const listed = rules.kind === 'enum' ? titleOf(rules, value) : value;
  return rules.options.includes(listed);
}

/** An enum's choices are listed by their titles. */
const titleOf = ({ userEnum }: InputRules, member: ConstantValue): string =>
  userEnum?.members.find(({ name }) => name === member)?.title ?? '';

const KIND_NEEDS: Readonly<Record<InputKind, string>> = {
  int: 'a whole number',
  float: 'a number',
  price: 'a price, which is a number',
  bool: 'true or false',
  string: 'a text',
  text_area: 'a text',
  symbol: 'a symbol such as "BINANCE:BTCUSDT"',
  session: 'a session such as "0930-1600:23456" (1 = Sunday)',
  timeframe: 'a timeframe such as "15", "240", "1D" or "1W"',
  time: 'a time in milliseconds or a date such as "2024-01-31T09:30:00Z"',
  color: 'a color such as "#FF9800", or "#FF980080" with transparency',
  source: `one of ${SOURCES.join(', ')}`,
  enum: 'one of the choices of the enum',
};

/** What the input takes, to follow "it must be". */
export function neededText({ kind, min, max, options }: InputRules): string {
  if (options !== null) {
    const listed = options.slice(0, MAX_LISTED_OPTIONS).map(quoted);
    const more = options.length - listed.length;
    return `one of ${listed.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  }
  const needed = KIND_NEEDS[kind];
  if (min !== null && max !== null) return `${needed} from ${min} to ${max}`;
  if (min !== null) return `${needed} of at least ${min}`;
  return max === null ? needed : `${needed} of at most ${max}`;
}

// The form with a field on each line, `exchange: binance`; lines with any other name before the colon are prose.

import { EXCHANGES } from '../../../exchanges/exchange.ts';
import { trimName } from '../../name-spelling.ts';
import { ACTIONS } from '../../signal.ts';
import { readCommand } from './command-line.ts';
import {
  actionOf,
  exchangeOf,
  leverageText,
  type MailFields,
  missingIn,
  NOT_PLAIN,
  plainNumber,
  type Statement,
  TRADE_FIELDS,
} from './mail-fields.ts';
import type { MailLine } from './mail-text.ts';

const FIELD_LINE = /^([A-Za-z][A-Za-z _-]{2,24}) ?: ?(.*)$/;
/** Everything the doors for signals and for a strategy's placeholders know that fits on a line. */
const NAMES = [
  ...TRADE_FIELDS,
  'idempotencyKey',
  'apiKey',
  'account',
  'strategy',
  'quantityType',
  'timeInForce',
  'postOnly',
  'cancelAfterSeconds',
  'comment',
  'stopLoss',
  'takeProfit',
  'trailPercent',
  'activationPrice',
  'alertId',
  'ticker',
  'contracts',
  'ownQuantity',
  'marketPosition',
  'prevMarketPosition',
  'marketPositionSize',
  'prevMarketPositionSize',
  'maxHoldSeconds',
] as const;
type Name = (typeof NAMES)[number];
/** Names are read in any case, with or without blanks and dashes inside. */
const BY_NAME: ReadonlyMap<string, Name> = new Map(NAMES.map((name) => [name.toLowerCase(), name]));
/** Names that somebody gave: they mean the same as at the other doors, so they are taken as they were written. */
const GIVEN_NAMES: ReadonlySet<Name> = new Set(['strategy', 'alertId']);
/** Mail programs break lines behind 65 characters at the earliest, and some count what they put before them. */
const MAY_BE_WRAPPED_CHARS = 60;
const WRAPPED =
  'may go on in the line below, where a mail program broke it; make it shorter, or leave an empty line below it';
const EMPTY = 'is empty, write its value behind the colon';
const UNFILLED = /\{\{.*\}\}/;
/** What a strategy's order says instead; its positions tell which action that is. */
const ORDER_WORD = /^(?:buy|sell)$/i;
const trade: ReadonlySet<string> = new Set(TRADE_FIELDS);

export interface FieldLines {
  /** Absent when no line names a field of the trade. */
  readonly statement?: Statement;
  /** Fields that may stand beside any form of a signal. */
  readonly extras: MailFields;
  readonly faults: readonly string[];
  /** The lines that are something else. */
  readonly rest: readonly string[];
}

export function readFieldLines(lines: readonly MailLine[]): FieldLines {
  const values = new Map<Name, unknown>();
  const faults = new Map<Name, string>();
  const rest: string[] = [];
  for (const [at, line] of lines.entries()) {
    const { name, text } = fieldIn(line.plain);
    if (name === undefined) {
      rest.push(line.plain);
      continue;
    }
    const { value, fault } = GIVEN_NAMES.has(name) ? readName(text, line, lines[at + 1]) : readValue(name, text);
    if (fault !== undefined) faults.set(name, fault);
    else if (values.has(name) && values.get(name) !== value)
      faults.set(name, 'stands there twice with different values, send one mail per signal');
    else values.set(name, value);
  }
  if (ORDER_WORD.test(String(values.get('action'))) && !values.has('marketPosition')) {
    values.delete('action');
    faults.set('action', `${noneOf(ACTIONS)}, or add "marketPosition: long" to buy or sell`);
  }
  const all = Object.fromEntries(values);
  const shown = [...faults].map(([name, fault]) => `${name}: ${fault}`);
  const split = (wanted: boolean): MailFields =>
    Object.fromEntries(Object.entries(all).filter(([name]) => trade.has(name) === wanted));
  const tells = [...values.keys(), ...faults.keys()].some((name) => trade.has(name));
  if (!tells) return { extras: split(false), faults: shown, rest };
  const fields = split(true);
  const told = { symbol: all.ticker, quantity: all.contracts, ...fields };
  const statement = { fields, faults: missingIn(told, new Set(faults.keys())) };
  return { statement, extras: split(false), faults: shown, rest };
}

function fieldIn(line: string): { readonly name: Name | undefined; readonly text: string } {
  const [, written = '', text = ''] = FIELD_LINE.exec(line) ?? [];
  return { name: BY_NAME.get(written.toLowerCase().replace(/[ _-]/g, '')), text };
}

/** Half a name would be that of another alert or strategy. */
function readName(text: string, { raw }: MailLine, below: MailLine | undefined): { value?: unknown; fault?: string } {
  if (text === '') return { fault: EMPTY };
  return below !== undefined && mayBeWrapped(raw, below.plain)
    ? { fault: WRAPPED }
    : { value: trimName(raw.slice(raw.indexOf(':') + 1)) };
}

/** A program breaks a line where the next word did not fit any more. */
function mayBeWrapped(line: string, below: string): boolean {
  const [word = ''] = below.split(' ');
  const goesOn = word !== '' && fieldIn(below).name === undefined && readCommand(below) === undefined;
  return goesOn && line.length + word.length >= MAY_BE_WRAPPED_CHARS;
}

function readValue(name: Name, text: string): { value?: unknown; fault?: string } {
  if (text === '') return { fault: EMPTY };
  // Whoever reads the fields says which placeholder it was; here it would only be a wrong number or word.
  if (UNFILLED.test(text)) return { value: text };
  switch (name) {
    case 'exchange':
      return oneOf(exchangeOf(text), EXCHANGES);
    case 'action':
      return oneOf(ORDER_WORD.test(text) ? text : actionOf(text), ACTIONS);
    case 'stopLoss':
    case 'takeProfit':
      return level(text);
    case 'quantity':
    case 'price':
    case 'trailPercent':
    case 'activationPrice':
    case 'maxHoldSeconds':
    case 'cancelAfterSeconds':
      return number(text);
    case 'timeInForce':
      return { value: text.toUpperCase() };
    case 'postOnly':
      return yesOrNo(text);
    case 'leverage':
      return number(leverageText(text) ?? text);
    default:
      return { value: text };
  }
}

const oneOf = (value: string | undefined, all: readonly string[]): { value?: unknown; fault?: string } =>
  value === undefined ? { fault: noneOf(all) } : { value };

const noneOf = (all: readonly string[]): string => `has a value that is not allowed, write one of ${all.join(', ')}`;

function yesOrNo(text: string): { value?: unknown; fault?: string } {
  const word = text.toLowerCase();
  if (word === 'true' || word === 'yes') return { value: true };
  return word === 'false' || word === 'no'
    ? { value: false }
    : { fault: 'is neither true nor false, write one of them' };
}

/** A price, or `2%` or `50 ticks` from the fill. */
function level(text: string): { value?: unknown; fault?: string } {
  const [, digits = '', suffix] = /^(\S+?) ?(%|ticks)$/i.exec(text) ?? [];
  if (suffix === undefined) return number(text);
  const amount = plainNumber(digits);
  return amount === undefined
    ? { fault: NOT_PLAIN }
    : { value: suffix === '%' ? { percent: amount } : { ticks: amount } };
}

function number(text: string): { value?: unknown; fault?: string } {
  const value = plainNumber(text);
  return value === undefined ? { fault: NOT_PLAIN } : { value };
}

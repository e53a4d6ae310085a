// Lines of a mail that were meant as fields but are not read as such: those that size, price or protect the trade are
// faults, other `name: value` lines are told. Sentences are neither: a near miss begins its line and has a value behind it.

import { isListed, nearMissOf, plainName } from '../near-miss.ts';

/** What counts stands at the beginning; longer lines are prose. */
const READ_CHARS = 200;
/** Bullets, emoji, quotes and stars before a name, and the number of a list. */
const BULLET = /^(?:[^\p{L}\p{N}]+|\d{1,2}[.)] ?)+/u;
const MARKS = /["'`*]/g;
const FIRST_WORDS = /^[A-Za-z_-]+(?: [A-Za-z_-]+){0,3}/;
/** The number of a target (`TP 1: 70000`), if something separates it from the value. */
const ORDINAL = /^ ?\d{1,2}(?= ?[:=：@→])/;
const ASSIGNED = /^ ?[:=：→] ?(.*)$/;
const NUMBER_NEXT = /^ ?(?:(?:at|is|to|near|below|above) )?[-–@~≈<>$€£+ ]*[.,]?\d/i;
const SWITCH = /^ (?:true|false|yes|no|on|off|limit|market)[.!]?$/i;
const UNITS = /usdt|usdc|usd|percent|at|is|k|x/gi;
const LETTER = /\p{L}/u;
/** Words of every language that also begin sentences: "Stop 5 minutes early", "Target 3 was reached". */
const ORDINARY: ReadonlySet<string> = new Set(
  'stop stops target targets limit type price entry trail trailing lots'.split(' '),
);
/** People write it for the limit price. In the JSON of an alert it only informs, in a mail somebody typed it. */
const ENTRY: ReadonlySet<string> = new Set(['entry', 'entryprice']);
const EXAMPLES: Readonly<Record<string, string>> = {
  stopLoss: '60000',
  takeProfit: '75000',
  trailPercent: '2',
  activationPrice: '70000',
  maxHoldSeconds: '3600',
  quantity: '0.01',
  price: '68000',
  leverage: '10',
  idempotencyKey: '<UUID>',
};

const NAMED_VALUE = /^([A-Za-z][A-Za-z0-9_-]{0,30}(?: [A-Za-z0-9_-]{1,30}){0,2}) ?[:=] ?(?!\/\/)\S+$/;

/** The fault of a line that was meant as a field which matters; undefined for every other line. */
export function nearMissIn(line: string): string | undefined {
  const text = line.slice(0, READ_CHARS).replace(MARKS, '').replace(BULLET, '');
  const words = FIRST_WORDS.exec(text)?.[0].split(' ') ?? [];
  for (let count = words.length; count > 0; count--) {
    const name = words.slice(0, count).join(' ');
    const remedy = remedyFor(name);
    if (remedy !== undefined && hasValue(name, text.slice(name.length).replace(ORDINAL, ''))) {
      return `${name.trim()}: is not read in this form, ${remedy}`;
    }
  }
  return undefined;
}

/** Fields are read behind a colon. The sign is told with the name, which is known: the sign is what was wrong. */
const KNOWN_BEFORE_EQUALS = /^((?:strategy|account|alert[ _-]?id) ?=) ?\S/i;

/** The name of a `name: value` line that nobody knows. */
export function unknownNameIn(line: string): string | undefined {
  const text = line.slice(0, READ_CHARS);
  return KNOWN_BEFORE_EQUALS.exec(text)?.[1]?.replace(/ ?=$/, ' =') ?? NAMED_VALUE.exec(text)?.[1];
}

function remedyFor(name: string): string | undefined {
  const miss = nearMissOf(name);
  const field = miss?.field ?? (ENTRY.has(plainName(name)) ? 'price' : undefined);
  return field === undefined ? miss?.remedy : `write "${field}: ${EXAMPLES[field]}" on a line of its own`;
}

function hasValue(name: string, after: string): boolean {
  const plain = plainName(name);
  const ordinary = ORDINARY.has(plain) || !isListed(name);
  const assigned = ASSIGNED.exec(after)?.[1];
  if (assigned !== undefined) {
    if (assigned.includes('//')) return false;
    return !ordinary || !assigned.includes(' ') || /\d/.test(assigned);
  }
  if (SWITCH.test(after)) return true;
  if (plain === 'reduceonly') return after === '';
  return NUMBER_NEXT.test(after) && (!ordinary || !LETTER.test(after.replace(UNITS, '')));
}

// Values that a careless or hostile client sends, and how a good value becomes a bad one.

import type { Random } from '../random.ts';

/** Texts on which programs have stumbled: signs that end things, signs that are half, names that objects have already. */
export const ODD_TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\udc00x',
  '\u202egnol',
  '\ufeff',
  '\u2028',
  '\r\nX-Injected: 1',
  '𝕭𝖀𝖞 😀',
  'ß'.repeat(200),
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'NaN',
  'Infinity',
  '-0',
  '1e400',
  '0x10',
  '1_000',
  '1,5',
  '٣',
  '../../etc/passwd',
  '%00',
  '%',
  '%zz',
  "' OR 1=1 --",
  '"; DROP TABLE trades; --',
  '#{7*7}',
  '{{ticker}}',
  '<script>alert(1)</script>',
  '[',
  '{',
  'BTCUSDT',
  'BINANCE:BTCUSDT.P',
  'LONG',
  '2026-02-30',
  '9999-12-31T23:59:59Z',
  '+275760-09-13T00:00:00.001Z',
  '1969-12-31T23:59:59.999Z',
  'Europe/Nowhere',
] as const;

export const ODD_NUMBERS = [
  0,
  -0,
  1,
  -1,
  0.1,
  1e-7,
  5e-324,
  1e-323,
  1.7976931348623157e308,
  -1.7976931348623157e308,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53,
  2 ** 63,
  1e15,
  1e21,
  99.999999999,
  1_700_000_000_000,
  8.64e15,
  8.64e15 + 1,
] as const;

/** Names that a client may add to any object. */
const ODD_NAMES = ['__proto__', 'constructor', 'toString', 'extra', '', '\0', '\ud800', 'length', 'a.b', '0'] as const;
const LONGEST_TEXT = 20_000;
const DEEPEST = 400;

/** Any value at all; a large one now and then. */
export function oddValue(random: Random): unknown {
  if (random.chance(40)) return random.of(ODD_TEXTS);
  if (random.chance(50)) return random.of(ODD_NUMBERS);
  return random.of([
    () => null,
    () => random.chance(50),
    () => [],
    () => ({}),
    () => [null, [null]],
    () => Array.from({ length: random.between(1, 300) }, () => random.of(ODD_NUMBERS)),
    () => ({ [random.of(ODD_NAMES)]: random.of(ODD_TEXTS) }),
    () => longText(random),
    () => nested(random.between(1, DEEPEST), random.chance(50)),
  ])();
}

export const longText = (random: Random): string =>
  random.of(['a', '\u00e9', '😀', '\\', '"', ' ', '(', '1']).repeat(random.between(1, LONGEST_TEXT));

function nested(depth: number, isList: boolean): unknown {
  let value: unknown = 1;
  for (let at = 0; at < depth; at += 1) value = isList ? [value] : { a: value };
  return value;
}

/** The same value with something wrong at one place of it; what is handed in stays as it is. */
export function mutated(value: unknown, random: Random): unknown {
  const isObject = typeof value === 'object' && value !== null;
  // Mostly below: the fields of a body are looked at one by one.
  if (!isObject || random.chance(8)) return oddVersion(value, random);
  if (Array.isArray(value)) return mutatedList(value, random);
  const entries = Object.entries(value);
  const [name, inner] = entries[random.between(0, Math.max(0, entries.length - 1))] ?? [];
  const rest = entries.filter(([other]) => other !== name);
  if (name === undefined || random.chance(12)) return objectOf([...entries, [random.of(ODD_NAMES), oddValue(random)]]);
  if (random.chance(12)) return objectOf(rest);
  if (random.chance(6)) return objectOf([...rest, [name.toUpperCase(), inner]]);
  return objectOf(entries.map(([other, old]) => [other, other === name ? mutated(old, random) : old]));
}

function mutatedList(list: readonly unknown[], random: Random): unknown {
  const at = random.between(0, Math.max(0, list.length - 1));
  if (list.length === 0 || random.chance(15)) return [...list, oddValue(random)];
  if (random.chance(15)) return list.filter((_, index) => index !== at);
  if (random.chance(10)) return Array.from({ length: random.between(2, 200) }, () => list[at]);
  return list.map((item, index) => (index === at ? mutated(item, random) : item));
}

/** Of the same kind but at its edge, or of another kind. */
function oddVersion(value: unknown, random: Random): unknown {
  if (random.chance(40)) return oddValue(random);
  if (typeof value === 'number')
    return random.of([-value, value * 1e9, value / 1e9, value + 0.5, String(value), [value], value + 1, value - 1]);
  if (typeof value === 'string') return oddSpelling(value, random);
  if (typeof value === 'boolean') return random.of<unknown>([!value, String(value), Number(value), null]);
  return oddValue(random);
}

function oddSpelling(text: string, random: Random): unknown {
  const at = random.between(0, text.length);
  return random.of([
    () => text.slice(0, at),
    () => text.slice(0, at) + random.of(ODD_TEXTS) + text.slice(at),
    () => text.toLowerCase(),
    () => `${text} `,
    () => text + text,
    () => Number(text),
    () => [text],
    () => text.repeat(random.between(1, 200)).slice(0, LONGEST_TEXT),
  ])();
}

/** `__proto__` becomes a field like any other, as in JSON. */
const objectOf = (entries: readonly (readonly [string, unknown])[]): object => {
  const made = {};
  for (const [name, value] of entries)
    Object.defineProperty(made, name, { value, enumerable: true, configurable: true, writable: true });
  return made;
};

const TOKENS = ['NaN', '-Infinity', '1e999', '-0', '01', '0x1', '1.', "'a'", 'undefined', '"\\u0000"', '"\\ud800"'];

/** JSON whose text, not its value, has something wrong with it. */
export function oddJson(text: string, random: Random): string {
  const at = random.between(0, text.length);
  const cut = random.between(at, Math.min(text.length, at + 5));
  return random.of([
    () => text.slice(0, at),
    () => text.slice(0, at) + text.slice(cut),
    () => text.slice(0, at) + random.of(['"', '{', '}', ',', ':', '\\', '\0', '[', ']', '//', ' ']) + text.slice(at),
    () => `\ufeff${text}`,
    () => text + text,
    // A name twice: which of them counts?
    () =>
      text.replace(
        /^\{("[^"]*"):/,
        (all, name: string) => `{${name}:${JSON.stringify(oddValue(random))},${all.slice(1)}`,
      ),
    () => text.replace(/:(-?[\d.]+|"[^"]*")(?=[,}])/, () => `:${TOKENS[random.between(0, TOKENS.length - 1)]}`),
    () => '['.repeat(random.between(1, 100_000)),
    () => `{"a":`.repeat(random.between(1, 20_000)),
    () => ' '.repeat(random.between(1, LONGEST_TEXT)) + text,
  ])();
}

// Scripts with a few tokens left out, doubled, swapped or replaced, and texts that were never scripts.

import fc from 'fast-check';

/** Words, numbers, texts, operators, line breaks with their indentation, and single spaces. */
const TOKENS = /\n[ \t]*|[\w.]+|"[^"\n]*"|'[^'\n]*'|\/\/[^\n]*|:=|=>|[-+*/%=!<>]=|[ \t]+|[^\w\s]/g;

/** What a careless or hostile hand might type. */
const STRANGERS = [
  ...[
    '(',
    ')',
    '[',
    ']',
    ',',
    '.',
    '=',
    ':=',
    '=>',
    '?',
    ':',
    '+',
    '-',
    '"',
    "'",
    '\n',
    '\n    ',
    '\t',
    '\\',
    '`',
    '$' + '{x}',
  ],
  ...[
    'if',
    'for',
    'while',
    'switch',
    'var',
    'varip',
    'type',
    'enum',
    'method',
    'export',
    'import',
    'break',
    'na',
    'true',
  ],
  ...[
    'close',
    'ta.sma',
    'x',
    '0',
    '1e308',
    '-1',
    '2147483648',
    '#ff0000',
    'array',
    'plot',
    'strategy',
    'request.security',
  ],
  ...[
    'constructor',
    '__proto__',
    'toString',
    'this',
    'return',
    'await',
    'eval',
    'arguments',
    'prototype',
    'hasOwnProperty',
  ],
  ...['in', 'to', 'by', 'and', 'or', 'not', 'series', 'simple', 'const', 'int', 'float', 'bool', 'string', 'color'],
];

/** `exchange` most of all: a token for another of its kind often leaves a script that still compiles, and means it. */
const KINDS = ['drop', 'double', 'swap', 'replace', 'insert', 'move', ...Array<string>(6).fill('exchange')];
const mutation = fc.tuple(fc.constantFrom(...KINDS), fc.nat(), fc.nat());
type Mutation = readonly [kind: string, at: number, other: number];

const tokensOf = (source: string): string[] => source.match(TOKENS) ?? [];

/** Words, numbers, texts, operators of one strength: what can stand in the same place. */
function classOf(token: string): string {
  if (/^\d/.test(token)) return 'number';
  if (/^["']/.test(token)) return 'text';
  if (/^\w/.test(token)) return 'word';
  if (/^\s/.test(token)) return 'space';
  return /^[-+*/%<>]|^[=!]=/.test(token) ? 'operator' : token;
}

function mutate(tokens: readonly string[], [kind, at, other]: Mutation): string[] {
  const place = at % Math.max(tokens.length, 1);
  const second = other % Math.max(tokens.length, 1);
  const stranger = STRANGERS[other % STRANGERS.length]!;
  const [before, token = '', after] = [tokens.slice(0, place), tokens[place], tokens.slice(place + 1)];
  switch (kind) {
    case 'drop':
      return [...before, ...after];
    case 'double':
      return [...before, token, token, ...after];
    case 'swap':
      return tokens.map((own, i) => (i === place ? tokens[second]! : i === second ? token : own));
    case 'replace':
      return [...before, stranger, ...after];
    case 'insert':
      return [...before, stranger, token, ...after];
    case 'exchange': {
      const alike = tokens.filter((own) => own !== token && classOf(own) === classOf(token));
      return [...before, alike[other % Math.max(alike.length, 1)] ?? stranger, ...after];
    }
    default:
      // A piece of the script somewhere else in it: loops in functions, declarations in branches.
      return [...tokens.slice(0, second), ...tokens.slice(place, place + 12), ...tokens.slice(second)];
  }
}

/** A script with up to a handful of mistakes in it. */
export function mutated(scripts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(scripts, fc.array(mutation, { minLength: 1, maxLength: 4 }))
    .map(([script, mutations]) => mutations.reduce(mutate, tokensOf(script)).join(''));
}

/** Text of no sense at all, some of it in the words of the language. */
export const garbage: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc
    .array(fc.constantFrom(...STRANGERS), { maxLength: 60 })
    .map((words) => `//@version=6\nindicator("x")\n${words.join(' ')}`),
);

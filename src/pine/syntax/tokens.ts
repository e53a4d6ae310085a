// The words of the language: token kinds, keywords and operators.

export type TokenKind =
  | 'name'
  | 'keyword'
  | 'int'
  | 'float'
  | 'string'
  | 'color'
  | 'operator'
  | 'newline'
  | 'indent'
  | 'dedent'
  | 'end'
  /** A piece of text that was already reported; the parser steps over it in silence. */
  | 'bad';

export interface Token {
  readonly kind: TokenKind;
  /** The text of a word or operator; the value, with its escapes resolved, of a string; digits as written of a number. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Columns of white space before the token when it is the first of its line, else -1. */
  readonly indent: number;
}

/**
 * Words that can never be names. All other words of the language (`type`, `enum`, `method`, `import`, `export`, `to`,
 * `by`, `in`, `as`, `once`, the qualifiers and the type names) have their meaning only in their place, because
 * `syminfo.type`, `input.enum` or a variable called `to` must stay possible.
 */
export const KEYWORDS: ReadonlySet<string> = new Set([
  'if',
  'else',
  'for',
  'while',
  'switch',
  'break',
  'continue',
  'var',
  'varip',
  'and',
  'or',
  'not',
  'true',
  'false',
]);

/** Keywords that begin a structure with a block. */
export const STRUCTURE_KEYWORDS: ReadonlySet<string> = new Set(['if', 'for', 'while', 'switch']);

export const QUALIFIERS = ['const', 'input', 'simple', 'series'] as const;
export type Qualifier = (typeof QUALIFIERS)[number];
export const isQualifier = (word: string): word is Qualifier => (QUALIFIERS as readonly string[]).includes(word);

export const ASSIGNMENT_OPERATORS = [':=', '+=', '-=', '*=', '/=', '%='] as const;
export type AssignmentOperator = (typeof ASSIGNMENT_OPERATORS)[number];
export const isAssignmentOperator = (text: string): text is AssignmentOperator =>
  (ASSIGNMENT_OPERATORS as readonly string[]).includes(text);

/** Two-character operators first, so that the scanner takes the longest. */
export const OPERATORS_OF_TWO: ReadonlySet<string> = new Set([
  ':=',
  '+=',
  '-=',
  '*=',
  '/=',
  '%=',
  '==',
  '!=',
  '<=',
  '>=',
  '=>',
]);
export const OPERATORS_OF_ONE: ReadonlySet<string> = new Set('+-*/%=<>?:.,()[]');

/** After one of these at the end of a line the statement cannot be over, so a deeper next line belongs to it. */
const OPEN_ENDED: ReadonlySet<string> = new Set([
  ...ASSIGNMENT_OPERATORS,
  ...['+', '-', '*', '/', '%', '==', '!=', '<', '<=', '>', '>=', '=', '?', ':', ',', 'and', 'or', 'not'],
]);
export const isOpenEnded = ({ kind, text }: Token): boolean =>
  (kind === 'operator' || kind === 'keyword') && OPEN_ENDED.has(text);

/** A token as a person would name it in a sentence. */
export function describeToken({ kind, text }: Token): string {
  switch (kind) {
    case 'newline':
    case 'dedent':
      return 'the end of the line';
    case 'end':
      return 'the end of the script';
    case 'indent':
      return 'an indented line';
    case 'string':
      return 'a string';
    default:
      return `"${text.length > 40 ? `${text.slice(0, 40)}…` : text}"`;
  }
}

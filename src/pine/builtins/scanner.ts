// Reads the types of the table's notation from text: `series float`, `array<T>`, `[series float, series int]`.

import {
  mapOf,
  NA,
  OBJECTS,
  OPTIONS,
  type PineType,
  QUALIFIERS,
  type Qualifier,
  SCALARS,
  type Shape,
  scalar,
  TYPE_VARIABLES,
  type TypeVariableName,
  tupleOf,
  VOID,
} from './types.ts';

const SHAPES: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ...SCALARS.map((name) => [name, scalar(name)] as const),
  ...OBJECTS.map((name) => [name, { kind: 'object', name }] as const),
  ...OPTIONS.map((name) => [name, { kind: 'option', name }] as const),
  ...Object.keys(TYPE_VARIABLES).map((name) => [name, { kind: 'variable', name: name as TypeVariableName }] as const),
  ['na', NA],
  ['void', VOID],
]);

/**
 * One run of the RegExp splits a whole declaration: the table is read at start-up, before anything is compiled, where
 * a loop over characters costs several times more. Words may hold dots and end in a star: `const..`, `shape.*`.
 */
const TOKENS = /"[^"]*"|\{[^}]*\}|#[0-9A-F]{6,8}|->|\.\.\.|[A-Za-z_][\w.]*\*?|-?\d[\d.]*|\S/g;

const isWord = (token: string | undefined): token is string => token !== undefined && /^[A-Za-z_]/.test(token);

const isQualifier = (word: string): word is Qualifier => (QUALIFIERS as readonly string[]).includes(word);

/** A cursor over the tokens of one declaration; a fault in the table is a programming error, so it throws. */
export class Scanner {
  readonly #tokens: readonly string[];
  #at: number;

  constructor(text: string) {
    this.#tokens = text.match(TOKENS) ?? [];
    this.#at = 0;
  }

  fail(expected: string): never {
    const rest = this.#tokens.slice(this.#at, this.#at + 8).join(' ');
    throw new Error(`built-in table: expected ${expected} at "${rest}" in ${this.#tokens.join(' ')}`);
  }

  /** The next token, or undefined at the end. */
  peek(): string | undefined {
    return this.#tokens[this.#at];
  }

  /** Steps over the next token, whatever it is. */
  skip(): void {
    this.#at += 1;
  }

  /** Steps over the token when it comes next, and says whether it did. */
  takes(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at += 1;
    return true;
  }

  /** Steps over `(v5` when it comes next, and says whether it did. */
  takesV5(): boolean {
    if (this.#tokens[this.#at] !== '(' || this.#tokens[this.#at + 1] !== 'v5') return false;
    this.#at += 2;
    return true;
  }

  expect(token: string): void {
    if (!this.takes(token)) this.fail(`"${token}"`);
  }

  word(): string {
    const found = this.peek();
    if (!isWord(found)) this.fail('a name');
    this.#at += 1;
    return found;
  }

  /** The text between braces: `{the chart's timezone}`. */
  braced(): string {
    const found = this.peek() ?? '';
    if (!found.startsWith('{') || !found.endsWith('}')) this.fail('"}"');
    this.#at += 1;
    return found.slice(1, -1).replace(/\s+/g, ' ');
  }

  type(): PineType {
    const word = this.peek() ?? '';
    if (!isQualifier(word)) return { qualifier: 'series', shape: this.shape() };
    this.#at += 1;
    return { qualifier: word, shape: this.shape() };
  }

  /** One shape, or several separated by slashes. */
  shape(): Shape {
    const first = this.#oneShape();
    if (!this.takes('/')) return first;
    const members = [first, this.#oneShape()];
    while (this.takes('/')) members.push(this.#oneShape());
    return { kind: 'union', members };
  }

  #oneShape(): Shape {
    if (this.takes('[')) return this.#tuple();
    const word = this.word();
    if (word === 'array' || word === 'matrix' || word === 'choices') {
      this.expect('<');
      const element = this.shape();
      this.expect('>');
      return { kind: word, element };
    }
    if (word === 'map') {
      this.expect('<');
      const key = this.shape();
      this.expect(',');
      const value = this.shape();
      this.expect('>');
      return mapOf(key, value);
    }
    return SHAPES.get(word) ?? this.fail(`a type instead of ${word}`);
  }

  #tuple(): Shape {
    const items = [this.type()];
    while (this.takes(',')) items.push(this.type());
    this.expect(']');
    return tupleOf(items);
  }
}

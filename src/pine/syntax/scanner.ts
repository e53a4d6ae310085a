// The scanner: from characters to words, one pass, never throwing; what it cannot read it reports and steps over.

import * as char from './characters.ts';
import type { DiagnosticList } from './diagnostic.ts';
import { readString } from './string-literal.ts';
import { KEYWORDS, OPERATORS_OF_ONE, OPERATORS_OF_TWO, type Token, type TokenKind } from './tokens.ts';

/** A comment with its slashes, without the end of its line. */
export interface Comment {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** True when nothing but white space stands before it on its line. */
  readonly ownLine: boolean;
}

export interface Scanned {
  readonly tokens: readonly Token[];
  readonly comments: readonly Comment[];
}

/** A tab counts as four columns, wherever it stands. */
const TAB_COLUMNS = 4;

/** Operators of other languages, read as what was meant so that one slip costs one diagnostic. */
const FOREIGN_OPERATORS: readonly (readonly [wrong: string, meant: string])[] = [
  ['===', '=='],
  ['!==', '!='],
  ['&&', 'and'],
  ['||', 'or'],
  ['!', 'not'],
];

/** The largest int of the language, 2^63 - 1. */
const MAX_INT = 9223372036854775807n;

/** Most of a script is words; a RegExp reads one faster than a loop does before it is compiled. */
const WORD = /\w+/y;
const NAME_AFTER_DIGITS = /^\d+[A-Za-z_]\w*$/;

const NO_BRACES =
  'Blocks have no braces: the lines of a block are indented by four columns, and a function begins with "name(x) =>".';

/** What whoever writes a character that has no meaning most likely wants, as it is shown. */
const MEANT_BY: Readonly<Record<string, string>> = {
  '"{"': NO_BRACES,
  '"}"': NO_BRACES,
};

const FOREIGN_BEGINNINGS: ReadonlySet<string> = new Set(FOREIGN_OPERATORS.map(([wrong]) => wrong[0]!));

/** `wraps`: strings between single quotes may go on over lines. */
export function scan(source: string, diagnostics: DiagnosticList, wraps = false): Scanned {
  return new Scanner(source, diagnostics, wraps).run();
}

class Scanner {
  readonly #source: string;
  readonly #diagnostics: DiagnosticList;
  readonly #wraps: boolean;
  readonly #tokens: Token[] = [];
  readonly #comments: Comment[] = [];
  #at = 0;
  /** Columns of white space of the current line while no token of it was read, else -1. */
  #indent = 0;
  #blockComments = true;
  /** Brackets that are open. */
  #open = 0;
  /** True once a character of the line was reported: a line of another language is one mistake. */
  #garbled = false;
  /** Whether the line is an import: names of publishers may begin with a digit. */
  #imports = false;

  constructor(source: string, diagnostics: DiagnosticList, wraps: boolean) {
    this.#source = source;
    this.#diagnostics = diagnostics;
    this.#wraps = wraps;
    if (source.charCodeAt(0) === char.BYTE_ORDER_MARK) this.#at = 1;
  }

  run(): Scanned {
    const { length } = this.#source;
    while (this.#at < length) this.#step(this.#source.charCodeAt(this.#at));
    this.#push('end', '', length);
    return { tokens: this.#tokens, comments: this.#comments };
  }

  #step(code: number): void {
    if (code === char.SPACE || code === char.TAB) {
      if (this.#indent >= 0) this.#indent += code === char.TAB ? TAB_COLUMNS : 1;
      this.#at++;
    } else if (char.isNewline(code)) {
      this.#indent = 0;
      this.#garbled = false;
      this.#imports = false;
      this.#at++;
    } else if (code === char.NO_BREAK_SPACE && this.#open > 0) this.#at++;
    else if (char.isNameStart(code)) this.#word();
    else if (char.isDigit(code) || (code === char.DOT && char.isDigit(this.#source.charCodeAt(this.#at + 1))))
      this.#number();
    else if (code === char.DOUBLE_QUOTE || code === char.APOSTROPHE) this.#string(code);
    else if (code === char.HASH) this.#color();
    else if (code === char.SLASH && this.#source.charCodeAt(this.#at + 1) === char.SLASH) this.#comment();
    else this.#operator();
  }

  #push(kind: TokenKind, text: string, end: number): void {
    this.#tokens.push({ kind, text, start: this.#at, end, indent: this.#indent });
    this.#at = end;
    this.#indent = -1;
  }

  /** The offset after the run of characters of one kind that begins at `from`. */
  #runOf(belongs: (code: number) => boolean, from: number): number {
    let end = from;
    while (end < this.#source.length && belongs(this.#source.charCodeAt(end))) end++;
    return end;
  }

  #word(): void {
    WORD.lastIndex = this.#at;
    const [text] = WORD.exec(this.#source)!;
    const end = this.#at + text.length;
    if (text === 'import' && this.#indent >= 0) this.#imports = true;
    if (char.isForeignLetter(this.#source.charCodeAt(end))) this.#foreignWord();
    else this.#push(KEYWORDS.has(text) ? 'keyword' : 'name', text, end);
  }

  #foreignWord(): void {
    const end = this.#runOf((code) => char.isNamePart(code) || char.isForeignLetter(code), this.#at);
    const text = this.#source.slice(this.#at, end);
    const span = { start: this.#at, end };
    const remedy = 'Names are made of the letters A to Z and a to z, digits and the underscore.';
    this.#diagnostics.error('unexpectedCharacter', `"${shorten(text)}" cannot be a name.`, span, remedy);
    // A bad name is still a name: what follows it can be read as if it were right.
    this.#push('name', text, end);
  }

  /** Text between the quotes of a text editor: told once, and read as the string it is meant to be. */
  #foreignString(): void {
    const isInside = (code: number) => !char.isNewline(code) && !char.isForeignQuote(code);
    const close = this.#runOf(isInside, this.#at + 1);
    const isClosed = char.isForeignQuote(this.#source.charCodeAt(close));
    const end = isClosed ? close + 1 : close;
    const message = 'Quotes as a text editor sets them have no meaning in Pine Script.';
    const span = { start: this.#at, end };
    this.#diagnostics.error('unexpectedCharacter', message, span, 'Use straight quotes: " or \'.');
    this.#push('string', this.#source.slice(this.#at + 1, close), end);
  }

  /** `12`, `1.5`, `.5`, `5.`, `6.02e23`, `1e-9`. */
  #number(): void {
    let end = this.#runOf(char.isDigit, this.#at);
    let kind: TokenKind = 'int';
    if (this.#source.charCodeAt(end) === char.DOT) {
      kind = 'float';
      end = this.#runOf(char.isDigit, end + 1);
    }
    const exponent = this.#exponentEnd(end);
    if (exponent > end) kind = 'float';
    end = exponent;
    const wordEnd = this.#runOf((code) => char.isNamePart(code) || char.isForeignLetter(code), end);
    const text = this.#source.slice(this.#at, wordEnd);
    if (this.#imports && NAME_AFTER_DIGITS.test(text)) {
      this.#push('name', text, wordEnd);
      return;
    }
    if (wordEnd > end)
      this.#badNumber(
        `"${shorten(text)}" is neither a number nor a name.`,
        wordEnd,
        'A name cannot begin with a digit.',
      );
    else if (kind === 'int' ? isTooLarge(text) : !Number.isFinite(Number(text)))
      this.#badNumber(`The number ${shorten(text)} is too large.`, wordEnd, this.#limitOf(kind));
    this.#push(kind, wordEnd > end ? '0' : text, wordEnd);
  }

  #limitOf(kind: TokenKind): string {
    return kind === 'int' ? `The largest int is ${MAX_INT}.` : `The largest float is ${Number.MAX_VALUE}.`;
  }

  #badNumber(message: string, end: number, remedy: string): void {
    this.#diagnostics.error('badNumber', message, { start: this.#at, end }, remedy);
  }

  #exponentEnd(from: number): number {
    const letter = this.#source[from];
    if (letter !== 'e' && letter !== 'E') return from;
    const sign = this.#source[from + 1];
    const digits = sign === '+' || sign === '-' ? from + 2 : from + 1;
    const end = this.#runOf(char.isDigit, digits);
    return end > digits ? end : from;
  }

  #string(quote: number): void {
    const { start, value, end, closed, wrapped } = readString(this.#source, this.#at, quote, this.#wraps);
    if (!closed) {
      const mark = this.#source.slice(this.#at, start);
      const message = `The string that begins with ${mark} does not end${mark.length === 1 ? ' on its line' : ''}.`;
      this.#diagnostics.error('unterminatedString', message, { start: this.#at, end }, `Add ${mark} where it ends.`);
    }
    if (closed && wrapped) {
      const message =
        'A string between single quotes goes on over several lines; each line end in it is read as a space.';
      const remedy = 'Join shorter strings with "+", or write it between three quotes.';
      this.#diagnostics.warning('wrappedString', message, { start: this.#at, end }, remedy);
    }
    this.#push('string', value, end);
  }

  #color(): void {
    const end = this.#runOf((code) => char.isNamePart(code) || char.isForeignLetter(code), this.#at + 1);
    const text = this.#source.slice(this.#at, end);
    const good = /^#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$/.test(text);
    if (!good) {
      const remedy = 'Write #RRGGBB or #RRGGBBAA with hexadecimal digits.';
      this.#diagnostics.error('badColor', `"${shorten(text)}" is not a color.`, { start: this.#at, end }, remedy);
    }
    this.#push('color', good ? text : '#000000', end);
  }

  #comment(): void {
    const end = this.#runOf((code) => !char.isNewline(code), this.#at);
    const text = this.#source.slice(this.#at, end);
    this.#comments.push({ text, start: this.#at, end, ownLine: this.#indent >= 0 });
    this.#at = end;
  }

  #operator(): void {
    const two = this.#source.slice(this.#at, this.#at + 2);
    const foreign = FOREIGN_BEGINNINGS.has(two[0]!)
      ? FOREIGN_OPERATORS.find(([wrong]) => this.#source.startsWith(wrong, this.#at))
      : undefined;
    if (foreign !== undefined && (foreign[0].length > 1 || !OPERATORS_OF_TWO.has(two)))
      this.#foreignOperator(...foreign);
    else if (two === '/*') this.#blockComment();
    else if (OPERATORS_OF_TWO.has(two)) this.#push('operator', two, this.#at + 2);
    else if (OPERATORS_OF_ONE.has(two[0]!)) {
      this.#countBrackets(two[0]!);
      this.#push('operator', two[0]!, this.#at + 1);
    } else this.#garbage();
  }

  #countBrackets(operator: string): void {
    if (operator === '(' || operator === '[') this.#open++;
    else if ((operator === ')' || operator === ']') && this.#open > 0) this.#open--;
  }

  #foreignOperator(wrong: string, meant: string): void {
    const end = this.#at + wrong.length;
    const message = `"${wrong}" is not an operator of Pine Script.`;
    this.#diagnostics.error('foreignOperator', message, { start: this.#at, end }, `Write "${meant}".`);
    this.#push(KEYWORDS.has(meant) ? 'keyword' : 'operator', meant, end);
  }

  #blockComment(): void {
    // Once there is no end to be found, looking for it again at each beginning would take time with the square.
    const close = this.#blockComments ? this.#source.indexOf('*/', this.#at + 2) : -1;
    this.#blockComments = close >= 0;
    const end = close < 0 ? this.#runOf((code) => !char.isNewline(code), this.#at) : close + 2;
    const message = 'Pine Script has no comments between /* and */.';
    this.#diagnostics.error('blockComment', message, { start: this.#at, end }, 'Begin each line of it with //.');
    // The space after it is no indentation.
    this.#at = this.#runOf((code) => code === char.SPACE, end);
  }

  #garbage(): void {
    const code = this.#source.codePointAt(this.#at)!;
    if (char.isForeignQuote(code)) {
      this.#foreignString();
      return;
    }
    if (char.isForeignLetter(code)) {
      this.#foreignWord();
      return;
    }
    const end = this.#runOf((next) => next === code, this.#at);
    if (code === char.FULL_WIDTH_SPACE && this.#indent >= 0 && this.#source.startsWith('//', end)) {
      this.#at = end;
      return;
    }
    const shown =
      code < 32 || code > 126
        ? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
        : `"${String.fromCodePoint(code)}"`;
    const remedy = char.isForeignSpace(code) ? 'Replace it with a plain space.' : (MEANT_BY[shown] ?? 'Remove it.');
    const message = `The character ${shown} has no meaning in Pine Script.`;
    if (!this.#garbled) this.#diagnostics.error('unexpectedCharacter', message, { start: this.#at, end }, remedy);
    this.#garbled = true;
    if (char.isForeignSpace(code) || code === 59) this.#at = end;
    else this.#push('bad', this.#source.slice(this.#at, end), end);
  }
}

/** Short ones are not looked at twice: making a BigInt of every number would cost more than reading it. */
const isTooLarge = (digits: string): boolean => digits.length > 15 && BigInt(digits.slice(0, 25)) > MAX_INT;

const shorten = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);

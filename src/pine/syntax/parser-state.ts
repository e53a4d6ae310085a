// What every part of the parser stands on: the place in the tokens, the findings, and the way back after a mistake.
//
// After a mistake the parser is lost: it reports nothing more and reads nothing more until `recover` has taken it to the
// end of the line. Every function of the parser still answers with a node, so a line with a mistake keeps its beginning.

import type { Hole, Name } from './ast.ts';
import type { DiagnosticList, SyntaxFault } from './diagnostic.ts';
import type { Span } from './span.ts';
import { describeToken, STRUCTURE_KEYWORDS, type Token } from './tokens.ts';

/** Brackets, blocks and operators may lie this deep in each other; beyond it a tree would overflow somebody's stack. */
export const MAX_NESTING = 500;

export type LanguageVersion = 5 | 6;

/** What the parser learns of tokens that look like something else, by their offsets; the formatter needs it. */
export interface TokenRoles {
  /** Operators that stand close to their neighbours: the brackets of type arguments, the path of an import. */
  readonly tight: Set<number>;
  /** Names that are words of the language in their place: `to`, `by`, `in`, `once`. */
  readonly words: Set<number>;
}

export class ParserState {
  readonly version: LanguageVersion;
  readonly roles: TokenRoles = { tight: new Set(), words: new Set() };
  /** How many loops are open around the current statement. */
  loops = 0;
  /** How many blocks are open around the current statement; declarations need none. */
  blocks = 0;
  /** True between a mistake and the end of its line. */
  lost = false;
  readonly #tokens: readonly Token[];
  readonly #diagnostics: DiagnosticList;
  /** Where the scanner already reported something, ascending: a line is blamed once. */
  readonly #blamed: readonly number[];
  #at = 0;
  #lineStart = 0;
  /** The last place that was reported, and whether it lies in the current line. */
  #reportedAt = -1;
  #lineReported = false;
  #depth = 0;
  #tooDeepReported = false;

  constructor(
    tokens: readonly Token[],
    diagnostics: DiagnosticList,
    blamed: readonly number[],
    version: LanguageVersion,
  ) {
    this.#tokens = tokens;
    this.#diagnostics = diagnostics;
    this.#blamed = blamed;
    this.version = version;
  }

  get current(): Token {
    return this.#tokens[this.#at]!;
  }

  get previous(): Token {
    return this.#tokens[Math.max(0, this.#at - 1)]!;
  }

  get index(): number {
    return this.#at;
  }

  /** The token at an index of the list; beyond its end there is only the end. */
  tokenAt(index: number): Token {
    return this.#tokens[index] ?? this.#tokens[this.#tokens.length - 1]!;
  }

  peek(ahead: number): Token {
    return this.tokenAt(this.#at + ahead);
  }

  take(): Token {
    const token = this.current;
    if (this.#at < this.#tokens.length - 1) this.#at++;
    return token;
  }

  /** Whether the current token is this operator or keyword. */
  at(text: string): boolean {
    const { kind, text: found } = this.current;
    return found === text && (kind === 'operator' || kind === 'keyword');
  }

  /** Whether the current token is this word, which is a name elsewhere. */
  atWord(text: string): boolean {
    return this.current.kind === 'name' && this.current.text === text;
  }

  /** Takes a word that is a name elsewhere. */
  takeWord(): Token {
    this.roles.words.add(this.current.start);
    return this.take();
  }

  /** Whether a block opens below the current line, which has been read to its end. */
  opensBlock(): boolean {
    return this.current.kind === 'newline' && this.peek(1).kind === 'indent';
  }

  /** Whether the statements of the block, or of the script, are over. */
  atBlockEnd(): boolean {
    return this.current.kind === 'dedent' || this.current.kind === 'end';
  }

  atLineEnd(): boolean {
    const { kind } = this.current;
    return kind === 'newline' || kind === 'dedent' || kind === 'indent' || kind === 'end';
  }

  accept(text: string): boolean {
    if (!this.at(text)) return false;
    this.take();
    return true;
  }

  /** Takes the operator or keyword, or reports what stands in its place. */
  expect(text: string, where: string): boolean {
    if (this.accept(text)) return true;
    this.unexpected(`"${text}" ${where}`);
    return false;
  }

  /** Marks where a line begins: the first mistake of a line is reported, the rest is mostly its echo. */
  beginLine(): void {
    this.#lineStart = this.current.start;
    this.#lineReported = this.#reportedAt >= this.#lineStart;
  }

  /** Reports a mistake after which reading can go on. */
  report(fault: SyntaxFault, message: string, span: Span, remedy?: string): void {
    if (this.lost || this.#lineReported || this.#isBlamed()) return;
    this.#lineReported = true;
    this.#reportedAt = span.start;
    const { start, end } = span;
    this.#diagnostics.error(fault, message, { start, end }, remedy);
  }

  /** Reports a mistake and gives up the rest of the line. */
  fail(fault: SyntaxFault, message: string, span: Span = this.current, remedy?: string): void {
    if (this.current.kind !== 'bad') this.report(fault, message, span, remedy);
    this.lost = true;
  }

  /** Reports the current token as one that cannot stand here, with the code that fits it best, and gives up the line. */
  unexpected(expected: string): void {
    const token = this.current;
    const { kind, text } = token;
    if (kind === 'operator' && text === '=')
      this.fail('equalsInExpression', '"=" gives a name its value; it does not compare.', token, 'Compare with "==".');
    else if (kind === 'operator' && (text === ')' || text === ']'))
      this.fail('strayBracket', `"${text}" closes a bracket that was not opened.`, token, 'Remove it.');
    else if (kind === 'keyword' && STRUCTURE_KEYWORDS.has(text)) this.structureInExpression();
    else
      this.fail(
        'unexpectedToken',
        `Expected ${expected}, found ${describeToken(token)}.`,
        token,
        this.#wrapRemedy(token),
      );
  }

  structureInExpression(): void {
    const { text } = this.current;
    const remedy = `Give the value of the "${text}" a name first and use the name here.`;
    this.fail('structureInExpression', `"${text}" cannot stand inside an expression.`, this.current, remedy);
  }

  /** Someone who indents by two columns does not know that this goes on with the line above. */
  #wrapRemedy({ indent }: Token): string | undefined {
    if (indent < 0 || indent % 4 === 0) return undefined;
    return `A line indented by ${indent} columns goes on with the line above; indent a new statement by a multiple of four.`;
  }

  /** Steps to the end of the line after a mistake. */
  recover(): void {
    if (!this.lost) return;
    while (!this.atLineEnd()) this.take();
    this.lost = false;
  }

  /** Ends a line: takes its NEWLINE, or reports what stands before it. A line that ended with a block has none. */
  endLine(): void {
    if (!this.lost && !this.atLineEnd() && this.previous.kind !== 'dedent') this.unexpected('the end of the line');
    this.recover();
    if (this.current.kind === 'newline') this.take();
  }

  /** Steps over a block and everything in it, however deep. */
  skipBlock(): void {
    let open = 0;
    do {
      const { kind } = this.take();
      if (kind === 'indent') open++;
      else if (kind === 'dedent') open--;
    } while (open > 0 && this.current.kind !== 'end');
  }

  /** One level deeper; false, with a report, when that is too deep. Each `enter` that answered true has its `leave`. */
  enter(): boolean {
    if (this.#depth < MAX_NESTING) {
      this.#depth++;
      return true;
    }
    this.tooDeep(this.current);
    this.lost = true;
    return false;
  }

  leave(): void {
    this.#depth--;
  }

  tooDeep(span: Span): void {
    if (this.#tooDeepReported) return;
    this.#tooDeepReported = true;
    const message = `This lies more than ${MAX_NESTING} levels deep.`;
    const { start, end } = span;
    this.#diagnostics.error(
      'tooDeep',
      message,
      { start, end },
      'Split it with named intermediate values or functions.',
    );
  }

  /** The place of something that is not there: right after the last token of the line. */
  hole(): Hole {
    const at = Math.max(this.previous.end, this.#lineStart);
    return { kind: 'hole', span: { start: at, end: at } };
  }

  missingName(): Name {
    return { kind: 'name', text: '', span: this.hole().span };
  }

  #isBlamed(): boolean {
    const end = this.current.end;
    return this.#blamed.some((offset) => offset >= this.#lineStart && offset <= end);
  }
}

export const spanOf = ({ start, end }: Token): Span => ({ start, end });

// The formatter: the same tokens with regular white space; comments, line breaks and up to two blank lines are kept.
//
// | a line that                                    | is indented by                                             |
// |------------------------------------------------|------------------------------------------------------------|
// | begins a statement                             | four columns per block                                     |
// | goes on between brackets (version 6)           | four more than the line that opened the innermost of them  |
// | begins with the bracket that closes            | as much as the line that opened it                         |
// | goes on otherwise                              | five more than its statement, which is how Pine wraps      |
// | is a comment                                   | as the line below it, or deeper if the block above it is   |

import { type Diagnostic, hasErrors } from './diagnostic.ts';
import { type ParsedWithTokens, parseWithTokens } from './parser.ts';
import type { Comment } from './scanner.ts';
import { separator } from './token-spacing.ts';
import type { Token } from './tokens.ts';

export interface Formatted {
  /** The formatted text, or the source as it was when it has mistakes. */
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
}

const BLOCK_COLUMNS = 4;
const WRAP_COLUMNS = 5;
const MAX_BLANK_LINES = 2;

export function format(source: string): Formatted {
  const parsed = parseWithTokens(source);
  const { diagnostics } = parsed;
  return { text: hasErrors(diagnostics) ? source : new Formatter(source, parsed).run(), diagnostics };
}

class Formatter {
  readonly #source: string;
  readonly #parsed: ParsedWithTokens;
  readonly #lines: string[] = [];
  /** For each open bracket, the indentation of the line it was opened on. */
  readonly #brackets: number[] = [];
  #line = '';
  #lineIndent = 0;
  #depth = 0;
  /** Depth of the statement before the current line break, for comments at the end of a block. */
  #depthAbove = 0;
  #nextComment = 0;
  #previous: Token | null = null;
  #beforePrevious: Token | null = null;
  /** The end of the last thing written, token or comment. */
  #written = 0;

  constructor(source: string, parsed: ParsedWithTokens) {
    this.#source = source;
    this.#parsed = parsed;
    if (source.charCodeAt(0) === 0xfeff) this.#written = 1;
  }

  run(): string {
    let opensStatement = true;
    for (const token of this.#parsed.lexed.tokens) {
      if (token.kind === 'indent') this.#depth++;
      else if (token.kind === 'dedent') this.#depth--;
      else if (token.kind === 'newline') opensStatement = true;
      else if (token.kind === 'end') this.#comments(token, true);
      else {
        this.#token(token, opensStatement);
        opensStatement = false;
      }
    }
    this.#flush();
    return `${this.#lines.join('\n').trimEnd()}\n`.replace(/^\n+$/, '');
  }

  #token(token: Token, opensStatement: boolean): void {
    this.#comments(token, opensStatement);
    if (token.indent >= 0) {
      this.#flush();
      this.#blankLines(token.start);
      this.#lineIndent = this.#indentOf(token, opensStatement);
      this.#line = ' '.repeat(this.#lineIndent);
    } else this.#line += separator(this.#beforePrevious, this.#previous, token, this.#parsed.roles);
    this.#bracket(token);
    this.#line += this.#source.slice(token.start, token.end).replace(/\r\n?/g, '\n');
    this.#depthAbove = this.#depth;
    this.#beforePrevious = opensStatement ? null : this.#previous;
    this.#previous = token;
    this.#written = token.end;
  }

  #indentOf(token: Token, opensStatement: boolean): number {
    if (opensStatement) return this.#depth * BLOCK_COLUMNS;
    const opener = this.#brackets[this.#brackets.length - 1];
    if (opener === undefined || this.#parsed.version < 6) return this.#depth * BLOCK_COLUMNS + WRAP_COLUMNS;
    return closes(token) ? opener : opener + BLOCK_COLUMNS;
  }

  #bracket(token: Token): void {
    if (closes(token)) this.#brackets.pop();
    else if (token.kind === 'operator' && (token.text === '(' || token.text === '['))
      this.#brackets.push(this.#lineIndent);
  }

  /** Writes the comments that stand before a token. */
  #comments(next: Token, opensStatement: boolean): void {
    const { comments } = this.#parsed.lexed;
    for (; this.#nextComment < comments.length; this.#nextComment++) {
      const comment = comments[this.#nextComment]!;
      if (comment.start > next.start) return;
      const text = comment.text.trimEnd();
      if (comment.ownLine) {
        this.#flush();
        this.#blankLines(comment.start);
        this.#line = ' '.repeat(this.#commentIndent(comment, next, opensStatement)) + text;
      } else this.#line += this.#line === '' ? text : ` ${text}`;
      this.#written = comment.end;
    }
  }

  #commentIndent(comment: Comment, next: Token, opensStatement: boolean): number {
    if (!opensStatement) return this.#indentOf(next, false);
    // Between two blocks of different depth the comment's own column tells to which of them it belongs.
    const column = Math.floor(columnOf(this.#source, comment.start) / BLOCK_COLUMNS);
    const depth = Math.max(this.#depth, Math.min(column, this.#depthAbove));
    return depth * BLOCK_COLUMNS;
  }

  #blankLines(until: number): void {
    if (this.#lines.length === 0) return;
    const breaks = this.#source.slice(this.#written, until).match(/\r\n?|\n/g)?.length ?? 0;
    for (let blank = Math.min(breaks - 1, MAX_BLANK_LINES); blank > 0; blank--) this.#lines.push('');
  }

  #flush(): void {
    if (this.#line !== '') this.#lines.push(this.#line);
    this.#line = '';
  }
}

const closes = ({ kind, text }: Token): boolean => kind === 'operator' && (text === ')' || text === ']');

/** Columns of white space before an offset, a tab being four. */
function columnOf(source: string, offset: number): number {
  let column = 0;
  for (let at = offset - 1; at >= 0 && (source[at] === ' ' || source[at] === '\t'); at--)
    column += source[at] === '\t' ? BLOCK_COLUMNS : 1;
  return column;
}

// The lexer: the scanner's words with the layout made visible as NEWLINE, INDENT and DEDENT.
//
// Where a line begins a new statement and where it goes on with the one above:
// | the line stands                                            | it                                       |
// |------------------------------------------------------------|------------------------------------------|
// | between brackets that are closed somewhere                 | goes on, whatever its indentation        |
// | at an indentation that is no multiple of four              | goes on                                  |
// | deeper than the statement, after an operator or a comma,   | goes on, and is reported: TradingView    |
// | unless the statement is a header that awaits its block     | would take it for a block                |
// | anywhere else                                              | begins a statement; deeper opens a block |
//
// A bracket that is never closed does not hide line ends: a call being typed must not swallow the rest of the script.

import type { DiagnosticList } from './diagnostic.ts';
import { type Comment, scan } from './scanner.ts';
import { isOpenEnded, STRUCTURE_KEYWORDS, type Token, type TokenKind } from './tokens.ts';

export interface Lexed {
  readonly tokens: readonly Token[];
  readonly comments: readonly Comment[];
}

const BLOCK_COLUMNS = 4;

export function lex(source: string, diagnostics: DiagnosticList, wraps = false): Lexed {
  const { tokens, comments } = scan(source, diagnostics, wraps);
  return { tokens: layOut(tokens, diagnostics), comments };
}

function layOut(words: readonly Token[], diagnostics: DiagnosticList): Token[] {
  const hidden = linesInBrackets(words);
  const out: Token[] = [];
  const levels = [0];
  let previous: Token | undefined;
  let first: Token | undefined;
  /** Brackets of the statement that are open, also those that are never closed. */
  let open = 0;
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!;
    if (word.kind === 'end') break;
    const level = levels[levels.length - 1]!;
    if (word.indent >= 0 && hidden[index] === 0) {
      if (!goesOn(word, previous, first, level)) {
        beginLine(word, previous, levels, out, diagnostics);
        first = word;
        open = 0;
      } else if (word.indent % BLOCK_COLUMNS === 0 && open === 0) reportWrapped(word, diagnostics);
    }
    open += bracketChange(word);
    out.push(word);
    previous = word;
  }
  closeAll(words[words.length - 1]!, previous, levels, out);
  return out;
}

function goesOn(word: Token, previous: Token | undefined, first: Token | undefined, level: number): boolean {
  if (previous === undefined || first === undefined) return false;
  if (word.indent % BLOCK_COLUMNS !== 0) return true;
  return word.indent > level && isOpenEnded(previous) && !opensHeader(first);
}

/** What a word adds to the number of open brackets. */
const bracketChange = ({ kind, text }: Token): number => {
  if (kind !== 'operator') return 0;
  return text === '(' || text === '[' ? 1 : text === ')' || text === ']' ? -1 : 0;
};

function reportWrapped(word: Token, diagnostics: DiagnosticList): void {
  const message = `A line that goes on with the one above cannot be indented by ${word.indent} columns outside of brackets: a multiple of four begins a block.`;
  const remedy = `Indent it by ${word.indent + 1} columns, or put the expression into parentheses.`;
  diagnostics.error('unexpectedIndent', message, { start: word.start, end: word.end }, remedy);
}

/** Below a header a deeper line is its block, also while the condition is still being typed. */
const opensHeader = ({ kind, text }: Token): boolean =>
  kind === 'keyword' && (STRUCTURE_KEYWORDS.has(text) || text === 'else');

function beginLine(
  word: Token,
  previous: Token | undefined,
  levels: number[],
  out: Token[],
  diagnostics: DiagnosticList,
): void {
  if (previous !== undefined) out.push(mark('newline', previous.end));
  if (word.indent > levels[levels.length - 1]!) {
    levels.push(word.indent);
    out.push(mark('indent', word.start));
    return;
  }
  while (word.indent < levels[levels.length - 1]!) {
    levels.pop();
    out.push(mark('dedent', word.start));
  }
  if (word.indent === levels[levels.length - 1]!) return;
  const message =
    'This line is indented less than the block above it, but not as little as any line before that block.';
  const remedy = 'Give it the indentation of the statement it should follow.';
  diagnostics.error('unevenDedent', message, word, remedy);
}

function closeAll(end: Token, previous: Token | undefined, levels: number[], out: Token[]): void {
  if (previous !== undefined) out.push(mark('newline', previous.end));
  for (; levels.length > 1; levels.pop()) out.push(mark('dedent', end.start));
  out.push(mark('end', end.start));
}

const mark = (kind: TokenKind, at: number): Token => ({ kind, text: '', start: at, end: at, indent: -1 });

/** For each word, how many brackets that will be closed are open before it. */
function linesInBrackets(words: readonly Token[]): Int32Array {
  const change = new Int32Array(words.length + 1);
  const open: number[] = [];
  for (let index = 0; index < words.length; index++) {
    const { kind, text } = words[index]!;
    if (kind !== 'operator') continue;
    if (text === '(' || text === '[') open.push(index);
    else if (text === ')' || text === ']') {
      const opener = openerFor(text === ')' ? '(' : '[', open, words);
      if (opener < 0) continue;
      change[opener + 1]! += 1;
      change[index + 1]! -= 1;
    }
  }
  const depth = new Int32Array(words.length);
  let current = 0;
  for (let index = 0; index < words.length; index++) {
    current += change[index]!;
    depth[index] = current;
  }
  return depth;
}

/** Takes the matching bracket off the stack with everything above it, which then stays unclosed; -1 when none fits. */
function openerFor(wanted: string, open: number[], words: readonly Token[]): number {
  if (words[open[open.length - 1] ?? -1]?.text === wanted) return open.pop()!;
  // One wrong bracket deep in a call is common; a search further down would pair brackets of different statements.
  const below = open.length - 2;
  if (words[open[below] ?? -1]?.text !== wanted) return -1;
  open.length = below + 1;
  return open.pop()!;
}

// Statements and blocks: what a line is, told by its first words, and several of them on a line.

import type { Block, ErrorStatement, Expression, Statement } from './ast.ts';
import {
  type Heading,
  parseEnumDeclaration,
  parseFunction,
  parseImport,
  parseTypeDeclaration,
  startsFunction,
} from './parse-declarations.ts';
import { parseExpression } from './parse-expressions.ts';
import { type Bodies, parseOnce, parseStructure, startsStructure } from './parse-structures.ts';
import { isOperator } from './parse-types.ts';
import { parseTupleDeclaration, parseVariable, startsTuple, startsVariable } from './parse-variables.ts';
import { MAX_NESTING, type ParserState, spanOf } from './parser-state.ts';
import { spanFrom } from './span.ts';
import { isAssignmentOperator } from './tokens.ts';
import { nestingOf } from './walk.ts';

const bodies: Bodies = { block: parseBlock, afterArrow: parseAfterArrow };

/** The statements up to the end of the block or the script. */
export function parseStatements(p: ParserState): Statement[] {
  const found: Statement[] = [];
  let blameless = true;
  while (!p.atBlockEnd()) {
    const before = p.index;
    p.beginLine();
    if (p.current.kind === 'indent') found.push(unlessTooDeep(p, before, parseStrayBlock(p, blameless)));
    else blameless = parseLine(p, found);
    // Whatever happens, a round takes at least one token.
    if (p.index === before) p.take();
  }
  return found;
}

/** One line with all its statements; false when something in it was wrong, so that a block below it is forgiven. */
function parseLine(p: ParserState, found: Statement[]): boolean {
  const first = p.index;
  do {
    const start = p.index;
    found.push(unlessTooDeep(p, start, parseStatement(p, start === first)));
    // A comma at the end of the line is forgiven: nothing needs to follow it.
  } while (!p.lost && p.previous.kind !== 'dedent' && p.accept(',') && !p.atLineEnd());
  const good = !p.lost && (p.atLineEnd() || p.previous.kind === 'dedent');
  p.endLine();
  return good;
}

/**
 * The parser does not recurse over `a + b + c + …`, but the tree it makes lies deep all the same, and whoever walks it
 * may recurse. Measured once per statement of the top level, and only where there are enough tokens for it.
 */
function unlessTooDeep(p: ParserState, from: number, statement: Statement): Statement {
  if (p.blocks > 0 || p.index - from <= MAX_NESTING || nestingOf(statement) <= MAX_NESTING) return statement;
  p.tooDeep(statement.span);
  return { kind: 'error', statements: [], span: statement.span };
}

/** A block without a header. Its statements are read all the same; they may be the ones being worked on. */
function parseStrayBlock(p: ParserState, blameless: boolean): ErrorStatement {
  const first = p.peek(1);
  if (blameless) {
    const remedy =
      'Begin it at the column of the line above; a line that goes on with the one above is indented by some other number than a multiple of four.';
    p.report('unexpectedIndent', 'This line is indented, but no block begins here.', first, remedy);
  }
  const block = parseIndented(p);
  return { kind: 'error', statements: block.statements, span: block.span };
}

/** From INDENT to DEDENT. */
function parseIndented(p: ParserState): Block {
  const { start } = p.peek(1);
  if (!p.enter()) {
    p.lost = false;
    p.skipBlock();
    return { kind: 'block', statements: [], span: { start, end: start } };
  }
  p.take();
  p.blocks++;
  const statements = parseStatements(p);
  p.blocks--;
  p.leave();
  if (p.current.kind === 'dedent') p.take();
  return { kind: 'block', statements, span: { start, end: Math.max(start, endOf(statements)) } };
}

const endOf = (statements: readonly Statement[]): number => statements[statements.length - 1]?.span.end ?? 0;

function parseBlock(p: ParserState, header: string): Block {
  if (!p.lost && p.at(':') && p.peek(1).kind === 'newline') {
    const remedy = 'Leave out the ":"; the block below is told by its indentation.';
    p.fail('unexpectedToken', `Expected the end of the line after ${header}, found ":".`, p.current, remedy);
  } else if (!p.lost && !p.atLineEnd()) p.unexpected(`the end of the line after ${header}`);
  p.recover();
  if (p.opensBlock()) {
    p.take();
    return parseIndented(p);
  }
  const { end } = p.previous;
  const remedy = 'Indent the lines that belong to it by four columns or a tab.';
  p.report('missingBlock', `Expected an indented block after ${header}.`, { start: end, end }, remedy);
  return { kind: 'block', statements: [], span: { start: end, end } };
}

function parseAfterArrow(p: ParserState, header: string): Block {
  if (p.lost || p.atLineEnd()) return parseBlock(p, header);
  const { start } = p.current;
  const statements: Statement[] = [];
  p.blocks++;
  do statements.push(parseStatement(p, false));
  while (!p.lost && p.previous.kind !== 'dedent' && p.accept(','));
  p.blocks--;
  return { kind: 'block', statements, span: { start, end: Math.max(start, endOf(statements)) } };
}

function parseStatement(p: ParserState, opensLine: boolean): Statement {
  const { kind, text, start } = p.current;
  const heading: Heading = { start, exported: false };
  if (startsStructure(p)) return asStatement(parseStructure(p, bodies));
  if (kind === 'keyword') {
    if (text === 'var' || text === 'varip') return parseVariable(p, heading, parseValue);
    if (text === 'break' || text === 'continue') return parseJump(p, text);
    if (text === 'else') return parseStrayElse(p);
  }
  if (kind === 'name') {
    if (text === 'export' && opensExport(p)) return parseExport(p);
    const declaration = parseDeclaration(p, heading, opensLine);
    if (declaration !== null) return declaration;
    if (opensForeignFunction(p)) return parseForeignFunction(p, opensLine);
    if (text === 'return' && VALUE_BEGINNINGS.has(p.peek(1).kind)) {
      const remedy = 'Leave out "return": the last line of a function is its value.';
      p.fail('unexpectedToken', 'Pine Script has no "return".', p.current, remedy);
    }
  }
  if (startsTuple(p)) return parseTupleDeclaration(p, parseValue);
  return parseExpressionStatement(p);
}

/** `function f(…)`, as other languages have it. */
const opensForeignFunction = (p: ParserState): boolean =>
  FUNCTION_WORDS.has(p.current.text) && p.peek(1).kind === 'name' && isOperator(p, p.index + 2, '(');

/** The word is told and left out; a line with a brace is told already, and read no further. */
function parseForeignFunction(p: ParserState, opensLine: boolean): Statement {
  const { text } = p.current;
  let end = p.index;
  while (!['newline', 'bad', 'end'].includes(p.tokenAt(end).kind)) end++;
  p.lost = p.tokenAt(end).kind === 'bad';
  const remedy = `Write "${p.peek(1).text}(…) =>", and indent the lines of its body by four columns.`;
  p.report('badDeclaration', `A function is declared without "${text}".`, p.current, remedy);
  p.take();
  return p.lost ? asStatement(p.hole()) : parseStatement(p, opensLine);
}

const VALUE_BEGINNINGS: ReadonlySet<string> = new Set(['name', 'int', 'float', 'string', 'color', 'keyword']);
const FUNCTION_WORDS: ReadonlySet<string> = new Set(['function', 'func', 'fn', 'def']);

const asStatement = (expression: Expression): Statement => ({ kind: 'expression', expression, span: expression.span });

/** What may follow the word `export`; anything else makes the word a name. */
const opensExport = (p: ParserState): boolean => p.peek(1).kind === 'name' || p.peek(1).kind === 'keyword';

function parseExport(p: ParserState): Statement {
  const word = p.take();
  const heading: Heading = { start: word.start, exported: true };
  const declaration = parseDeclaration(p, heading, false);
  if (declaration !== null && declaration.kind !== 'import' && declaration.kind !== 'expression') return declaration;
  const remedy = 'A function, method, type, enum or constant follows "export".';
  p.fail('badExport', 'This cannot be exported.', spanOf(word), remedy);
  return declaration ?? asStatement(p.hole());
}

/** The declaration that the words ahead begin, or null when they begin none. */
function parseDeclaration(p: ParserState, heading: Heading, opensLine: boolean): Statement | null {
  const { text } = p.current;
  const next = p.peek(1);
  const named = next.kind === 'name';
  if (text === 'import' && (named || next.kind === 'string' || next.kind === 'int'))
    return atTop(p, heading, parseImport);
  if (text === 'type' && opensRows(p)) return atTop(p, heading, (state) => parseTypeDeclaration(state, heading));
  if (text === 'enum' && opensRows(p)) return atTop(p, heading, (state) => parseEnumDeclaration(state, heading));
  if (startsFunction(p, p.index) || (text === 'method' && named && isOperator(p, p.index + 2, '(')))
    return atTop(p, heading, (state) => parseFunction(state, heading, bodies));
  if (startsVariable(p)) return parseVariable(p, heading, parseValue);
  if (text === 'once' && opensLine && opensOnce(p)) return asStatement(parseOnce(p, bodies));
  return null;
}

/** `type` or `enum` and a name; or, above a block, a name that is missing or a word that cannot be one. */
function opensRows(p: ParserState): boolean {
  const { kind } = p.peek(1);
  if (kind === 'name') return true;
  const lineEnd = kind === 'keyword' ? 2 : 1;
  return p.peek(lineEnd).kind === 'newline' && p.peek(lineEnd + 1).kind === 'indent';
}

function atTop<T extends Statement>(p: ParserState, heading: Heading, parse: (p: ParserState) => T): T {
  if (p.blocks > 0) {
    const remedy = 'Move it out of the block, to the left margin.';
    const span = { start: heading.start, end: p.current.end };
    p.report('nestedDeclaration', 'Functions, types, enums and imports stand at the top level only.', span, remedy);
  }
  return parse(p);
}

/** In the place of a statement, followed by a condition or nothing, and above a block. */
function opensOnce(p: ParserState): boolean {
  const { kind, text } = p.peek(1);
  if (kind === 'operator' && text !== '(' && text !== '-' && text !== '+') return false;
  let index = p.index;
  while (p.tokenAt(index).kind !== 'newline' && p.tokenAt(index).kind !== 'end') index++;
  return p.tokenAt(index + 1).kind === 'indent';
}

/** The right side of `=` or `:=`, where a structure may stand. */
function parseValue(p: ParserState): Expression {
  return startsStructure(p) ? parseStructure(p, bodies) : parseExpression(p);
}

function parseJump(p: ParserState, kind: 'break' | 'continue'): Statement {
  const span = spanOf(p.take());
  if (p.loops === 0)
    p.report('outsideLoop', `"${kind}" stands outside of a loop.`, span, 'Put it into a "for" or "while" block.');
  return { kind, span };
}

function parseStrayElse(p: ParserState): Statement {
  const span = spanOf(p.current);
  const remedy = 'Align it with its "if", whose block must end right above it.';
  p.fail('elseWithoutIf', '"else" has no "if" above it.', span, remedy);
  p.take();
  return { kind: 'error', statements: [], span };
}

/** An expression, or the target of an assignment. */
function parseExpressionStatement(p: ParserState): Statement {
  if (p.at(')') || p.at(']')) p.unexpected('a statement');
  const expression = p.lost ? p.hole() : parseExpression(p);
  const { text, kind } = p.current;
  if (p.lost || kind !== 'operator') return asStatement(expression);
  if (text === '=' && expression.kind !== 'binary') {
    const remedy = 'Write ":=" to change a variable or a field; a new variable is a plain name.';
    p.fail('badTarget', 'Only a new name can stand left of "=".', expression.span, remedy);
  }
  if (text === '=>')
    p.fail(
      'badDeclaration',
      'Only a function or the arm of a "switch" has a "=>".',
      p.current,
      'Write "name(a, b) => …".',
    );
  if (p.lost || !isAssignmentOperator(text)) return asStatement(expression);
  checkTarget(p, expression);
  p.take();
  const value = parseValue(p);
  return { kind: 'assignment', operator: text, target: expression, value, span: spanFrom(expression.span, value.span) };
}

function checkTarget(p: ParserState, { kind, span }: Expression): void {
  if (kind === 'identifier' || kind === 'member' || kind === 'hole') return;
  if (kind === 'tuple')
    p.report(
      'badTuple',
      'A tuple cannot be assigned to again.',
      span,
      'Declare new names with "=" and assign each of them.',
    );
  else if (kind === 'history')
    p.report('badTarget', 'A past value cannot be changed.', span, 'Assign to the variable without "[…]".');
  else
    p.report(
      'badTarget',
      'Only a variable or a field can be assigned to.',
      span,
      'Name the variable left of the operator.',
    );
}

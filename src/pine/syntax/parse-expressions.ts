// Expressions, by precedence climbing.
//
// | binds      | operators                          | groups         |
// |------------|------------------------------------|----------------|
// | strongest  | `a.b` `a(…)` `a[n]` `a<T>(…)`      | left to right  |
// |            | unary `not` `-` `+`                | right to left  |
// | 6          | `*` `/` `%`                        | left to right  |
// | 5          | `+` `-`                            | left to right  |
// | 4          | `<` `<=` `>` `>=`                  | left to right  |
// | 3          | `==` `!=`                          | left to right  |
// | 2          | `and`                              | left to right  |
// | 1          | `or`                               | left to right  |
// | weakest    | `a ? b : c`                        | right to left  |
//
// `not` binds like a sign: `not a == b` is `(not a) == b`.

import type { Argument, BinaryOperator, Expression, Name, TypeReference, Unary } from './ast.ts';
import { isOperator, parseTypeArguments, skipTypeArguments, spanSince } from './parse-types.ts';
import { type ParserState, spanOf } from './parser-state.ts';
import { spanFrom } from './span.ts';
import { describeToken, STRUCTURE_KEYWORDS, type Token } from './tokens.ts';

const PRECEDENCE: ReadonlyMap<string, number> = new Map<BinaryOperator, number>([
  ['or', 1],
  ['and', 2],
  ['==', 3],
  ['!=', 3],
  ['<', 4],
  ['<=', 4],
  ['>', 4],
  ['>=', 4],
  ['+', 5],
  ['-', 5],
  ['*', 6],
  ['/', 6],
  ['%', 6],
]);

export function parseExpression(p: ParserState): Expression {
  if (!p.enter()) return p.hole();
  const condition = parseBinary(p, 1);
  const expression = !p.lost && p.at('?') ? parseConditional(p, condition) : condition;
  p.leave();
  return expression;
}

function parseConditional(p: ParserState, condition: Expression): Expression {
  p.take();
  const whenTrue = parseExpression(p);
  const complete = !p.lost && p.expect(':', 'and the value for when the condition does not hold');
  const whenFalse = complete ? parseExpression(p) : p.hole();
  return { kind: 'conditional', condition, whenTrue, whenFalse, span: spanFrom(condition.span, whenFalse.span) };
}

function parseBinary(p: ParserState, weakest: number): Expression {
  let left = parseUnary(p);
  while (!p.lost) {
    const { kind, text } = p.current;
    const precedence = kind === 'operator' || kind === 'keyword' ? PRECEDENCE.get(text) : undefined;
    if (precedence === undefined || precedence < weakest) break;
    p.take();
    const right = parseBinary(p, precedence + 1);
    left = { kind: 'binary', operator: text as BinaryOperator, left, right, span: spanFrom(left.span, right.span) };
  }
  return left;
}

function parseUnary(p: ParserState): Expression {
  if (!p.at('not') && !p.at('-') && !p.at('+')) return parsePostfix(p);
  if (!p.enter()) return p.hole();
  const token = p.take();
  const operand = parseUnary(p);
  p.leave();
  return { kind: 'unary', operator: token.text as Unary['operator'], operand, span: spanFrom(token, operand.span) };
}

function parsePostfix(p: ParserState): Expression {
  let expression = parsePrimary(p);
  let bracketed = false;
  while (!p.lost) {
    if (bracketed && ((p.at('.') && p.version === 6) || p.at('['))) afterHistory(p, expression);
    bracketed = p.at('[');
    if (p.at('.')) expression = parseMember(p, expression);
    else if (p.at('(') && isCallable(expression)) expression = parseCall(p, expression, []);
    else if (p.at('[')) expression = parseHistory(p, expression);
    else if (p.at('<') && isCallable(expression) && callsWithTypes(p)) {
      const types = parseTypeArguments(p);
      if (!p.lost) expression = parseCall(p, expression, types);
    } else break;
  }
  return expression;
}

/** `(x[1])[2]`, and since v6 `(x[1]).field`, are the only spellings; what follows is read all the same. */
function afterHistory(p: ParserState, { span }: Expression): void {
  const message = p.at('.') ? 'A field or method cannot stand right after "[]".' : '"[]" cannot follow "[]".';
  const remedy = p.at('.')
    ? 'Put what is before the dot into parentheses: (x[1]).field.'
    : 'Add the offsets, or put the first into parentheses: (x[1])[2].';
  p.report('afterHistory', message, span, remedy);
}

const isCallable = ({ kind }: Expression): boolean => kind === 'identifier' || kind === 'member';

/** `array.new<float>(…)`: the bracket opens types when its partner stands before a parenthesis. */
function callsWithTypes(p: ParserState): boolean {
  const after = skipTypeArguments(p, p.index);
  return after >= 0 && isOperator(p, after, '(');
}

function parseMember(p: ParserState, object: Expression): Expression {
  const dot = p.take();
  const token = p.current;
  if (token.kind === 'name') {
    p.take();
    const property: Name = { kind: 'name', text: token.text, span: spanOf(token) };
    return { kind: 'member', object, property, span: spanFrom(object.span, token) };
  }
  const message = `Expected a name after ".", found ${describeToken(token)}.`;
  const property: Name = { kind: 'name', text: '', span: { start: dot.end, end: dot.end } };
  if (endsOperand(token)) p.report('missingMember', message, dot, 'Name the function or field that is meant.');
  else p.fail('missingMember', message);
  return { kind: 'member', object, property, span: spanFrom(object.span, dot) };
}

/** Tokens after which a missing operand is only a hole, and the text around it can still be read. */
function endsOperand({ kind, text }: Token): boolean {
  if (kind === 'newline' || kind === 'dedent' || kind === 'indent' || kind === 'end') return true;
  if (kind !== 'operator' && kind !== 'keyword') return false;
  return text === ')' || text === ']' || text === ',' || PRECEDENCE.has(text);
}

function parseHistory(p: ParserState, operand: Expression): Expression {
  const open = p.take();
  const offset = parseInside(p);
  closeBracket(p, ']', open);
  return { kind: 'history', operand, offset, span: spanSince(p, operand.span.start) };
}

function parseCall(p: ParserState, callee: Expression, typeArguments: readonly TypeReference[]): Expression {
  const open = p.take();
  const found: Argument[] = [];
  if (!p.at(')')) {
    do found.push(parseArgument(p));
    while (!p.lost && p.accept(','));
  }
  closeBracket(p, ')', open);
  return { kind: 'call', callee, typeArguments, arguments: found, span: spanSince(p, callee.span.start) };
}

function parseArgument(p: ParserState): Argument {
  const first = p.current.start;
  let name: Name | null = null;
  if (p.current.kind === 'name' && isOperator(p, p.index + 1, '=')) {
    const token = p.take();
    name = { kind: 'name', text: token.text, span: spanOf(token) };
    p.take();
  }
  const missing = p.at(',') || p.at(')') || p.atLineEnd();
  const value = missing ? missingArgument(p) : parseExpression(p);
  // A missing left operand stands before the operator it belongs to.
  const start = name === null ? Math.min(first, value.span.start) : first;
  return { kind: 'argument', name, value, span: { start, end: Math.max(start, p.previous.end) } };
}

function missingArgument(p: ParserState): Expression {
  const after = p.previous;
  // A call whose bracket is still open says so itself; one mistake, one report.
  if (!p.atLineEnd())
    p.report('missingArgument', `Expected an argument after "${after.text}".`, after, 'Add it or remove the comma.');
  return p.hole();
}

/** Takes the closing bracket; when the line ends first, the bracket that stays open is what is wrong. */
export function closeBracket(p: ParserState, close: ')' | ']', open: Token): void {
  if (p.lost || p.accept(close)) return;
  if (p.atLineEnd())
    p.report('unclosedBracket', `"${open.text}" is never closed.`, open, `Add "${close}" where it ends.`);
  else if (p.at(close === ')' ? ']' : ')'))
    p.fail('unclosedBracket', `"${open.text}" is not closed before "${p.current.text}".`, open, `Add "${close}".`);
  else p.unexpected(`"${close}"`);
}

function parsePrimary(p: ParserState): Expression {
  const token = p.current;
  switch (token.kind) {
    case 'int':
    case 'float':
    case 'string':
    case 'color':
      return parseLiteral(p);
    case 'name':
      p.take();
      // `na` is a value, except where it is called or opens a name of its own.
      if (token.text === 'na' && !p.at('(')) return { kind: 'na', span: spanOf(token) };
      return { kind: 'identifier', name: token.text, span: spanOf(token) };
    case 'keyword':
      if (token.text !== 'true' && token.text !== 'false') break;
      p.take();
      return { kind: 'bool', value: token.text === 'true', span: spanOf(token) };
    case 'operator':
      if (token.text === '(') return parseParentheses(p);
      if (token.text === '[') return parseTuple(p);
      break;
    default:
  }
  return missingExpression(p);
}

function parseLiteral(p: ParserState): Expression {
  const token = p.take();
  const span = spanOf(token);
  switch (token.kind) {
    case 'int':
      return { kind: 'int', value: Number(token.text), span };
    case 'float':
      return { kind: 'float', value: Number(token.text), span };
    case 'color':
      return { kind: 'color', value: Number.parseInt(token.text.slice(1).padEnd(8, 'f'), 16), span };
    default:
      return { kind: 'string', value: token.text, span };
  }
}

function parseParentheses(p: ParserState): Expression {
  const open = p.take();
  const inner = parseInside(p);
  closeBracket(p, ')', open);
  return inner;
}

/** The expression after an opening bracket; where the line ends there, the open bracket is what gets reported. */
const parseInside = (p: ParserState): Expression => (p.atLineEnd() ? p.hole() : parseExpression(p));

function parseTuple(p: ParserState): Expression {
  const open = p.take();
  const elements: Expression[] = [];
  if (p.at(']'))
    p.report('badTuple', 'A tuple needs at least one value.', open, 'Write the values between the brackets.');
  else {
    do elements.push(parseInside(p));
    while (!p.lost && p.accept(','));
  }
  closeBracket(p, ']', open);
  return { kind: 'tuple', elements, span: spanSince(p, open.start) };
}

function missingExpression(p: ParserState): Expression {
  const token = p.current;
  if (token.kind === 'keyword' && STRUCTURE_KEYWORDS.has(token.text)) p.structureInExpression();
  else {
    const message = `Expected a value, found ${describeToken(token)}.`;
    if (endsOperand(token)) p.report('missingExpression', message, token);
    else p.fail('missingExpression', message);
  }
  return p.hole();
}

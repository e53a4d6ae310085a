// Variables: declarations with modes, qualifiers and types, tuple declarations, and the look-ahead that finds them.

import type { DeclarationMode, Expression, Name, TupleDeclaration, VariableDeclaration } from './ast.ts';
import type { Heading } from './parse-declarations.ts';
import { closeBracket } from './parse-expressions.ts';
import { isOperator, parseNewName, parseQualifier, parseType, skipType } from './parse-types.ts';
import { type ParserState, spanOf } from './parser-state.ts';
import { isQualifier } from './tokens.ts';

/** Reads the value after `=`; handed in because structures may stand there. */
export type ParseValue = (p: ParserState) => Expression;

/** Types that are known without a declaration: after one of them a name can only be a variable. */
const KNOWN_TYPES: ReadonlySet<string> = new Set(
  'int float bool string color line label box table linefill polyline array matrix map'.split(' '),
);

/** `x =`, `int x =`, `series array<float> x =`; also `int x` where the value is forgotten. */
export function startsVariable(p: ParserState): boolean {
  let index = p.index;
  const first = p.tokenAt(index);
  if (isOperator(p, index + 1, '=')) return true;
  const qualified = isQualifier(first.text) && p.tokenAt(index + 1).kind === 'name';
  if (qualified) {
    index++;
    if (isOperator(p, index + 1, '=')) return true;
  }
  const afterType = skipType(p, index);
  if (afterType >= 0 && isOperator(p, afterType + 1, '=') && p.tokenAt(afterType).kind === 'name') return true;
  if (qualified) return true;
  return afterType >= 0 && p.tokenAt(afterType).kind === 'name' && KNOWN_TYPES.has(first.text);
}

export function parseVariable(p: ParserState, heading: Heading, parseValue: ParseValue): VariableDeclaration {
  const mode = parseMode(p);
  if (mode !== null && p.at('['))
    p.fail(
      'badTuple',
      `A tuple cannot be declared with "${mode}".`,
      p.current,
      'Declare each variable on its own line.',
    );
  const first = p.current;
  const qualifier = p.lost ? null : parseQualifier(p);
  const afterType = p.lost ? -1 : skipType(p, p.index);
  const type = afterType >= 0 && p.tokenAt(afterType).kind === 'name' ? parseType(p) : null;
  const name = p.lost ? p.missingName() : parseNewName(p, 'the name of a variable');
  const value = p.lost ? p.hole() : parseInitialValue(p, name, parseValue);
  if (type === null && p.version === 6 && (qualifier === 'series' || qualifier === 'simple'))
    p.report(
      'missingType',
      `"${qualifier}" has no type after it.`,
      first,
      `Write "${qualifier} float", or leave it out.`,
    );
  const span = { start: heading.start, end: Math.max(name.span.end, value.span.end) };
  return { kind: 'variable', exported: heading.exported, mode, qualifier, type, name, value, span };
}

function parseMode(p: ParserState): DeclarationMode | null {
  const { text } = p.current;
  if (!p.at('var') && !p.at('varip')) return null;
  p.take();
  return text === 'var' ? 'var' : 'varip';
}

function parseInitialValue(p: ParserState, name: Name, parseValue: ParseValue): Expression {
  if (p.accept('=')) return parseValue(p);
  const remedy = `Write "${name.text} = …"; a value that is not known yet is na.`;
  p.fail('missingValue', `"${name.text}" is declared without a value.`, name.span, remedy);
  return p.hole();
}

/** `[a, b] =`; without the `=` the brackets hold a tuple of values. */
export function startsTuple(p: ParserState): boolean {
  if (!p.at('[')) return false;
  let open = 0;
  for (let index = p.index; ; index++) {
    const { kind, text } = p.tokenAt(index);
    if (kind === 'newline' || kind === 'end') return false;
    if (kind !== 'operator') continue;
    if (text === '[') open++;
    else if (text === ']') {
      open--;
      if (open === 0) return isOperator(p, index + 1, '=');
    }
  }
}

export function parseTupleDeclaration(p: ParserState, parseValue: ParseValue): TupleDeclaration {
  const open = p.take();
  const names: Name[] = [];
  do names.push(parseTupleName(p));
  while (!p.lost && p.accept(','));
  closeBracket(p, ']', open);
  if (!p.lost) p.expect('=', 'and the value of the tuple');
  const value = p.lost ? p.hole() : parseValue(p);
  return {
    kind: 'tuple-declaration',
    names,
    value,
    span: { start: open.start, end: Math.max(open.end, value.span.end) },
  };
}

function parseTupleName(p: ParserState): Name {
  const name = parseNewName(p, 'a name in the tuple');
  if (!p.lost && p.current.kind === 'name') {
    const remedy = 'Write only the names; the types follow from the value.';
    p.fail('badTuple', 'The names of a tuple are declared without types.', spanOf(p.previous), remedy);
  }
  return name;
}

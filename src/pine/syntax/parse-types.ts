// Names and types: `int`, `series float`, `float[]`, `map<string, Lib.Point>`, and the look-ahead that tells them apart.

import type { Name, TypeReference } from './ast.ts';
import { type ParserState, spanOf } from './parser-state.ts';
import type { Span } from './span.ts';
import { describeToken, isQualifier, KEYWORDS, type Qualifier } from './tokens.ts';

/** A name where something is declared or listed; what stands in its place is reported. */
export function parseName(p: ParserState, what: string): Name {
  const token = p.current;
  if (token.kind === 'name') {
    p.take();
    return { kind: 'name', text: token.text, span: spanOf(token) };
  }
  if (token.kind === 'keyword' && KEYWORDS.has(token.text)) {
    p.fail(
      'reservedName',
      `"${token.text}" is a word of the language and cannot be ${what}.`,
      token,
      'Choose another name.',
    );
    return p.missingName();
  }
  p.fail('missingName', `Expected ${what}, found ${describeToken(token)}.`);
  return p.missingName();
}

/** Words that are kept for the language: no variable or function can be called so, but parameters and fields can. */
const RESERVED: ReadonlySet<string> = new Set(['as', 'range', 'text']);

/** The name of a new variable or function. */
export function parseNewName(p: ParserState, what: string): Name {
  const name = parseName(p, what);
  if (RESERVED.has(name.text))
    p.report(
      'reservedName',
      `"${name.text}" is kept for the language and cannot be ${what}.`,
      name.span,
      'Choose another name.',
    );
  return name;
}

export function parseType(p: ParserState): TypeReference {
  const first = p.current;
  if (first.kind !== 'name') {
    p.fail(
      'missingType',
      `Expected a type, found ${describeToken(first)}.`,
      first,
      'Name a type such as float or array<int>.',
    );
    return { kind: 'type-reference', path: [p.missingName()], typeArguments: [], span: p.hole().span };
  }
  const path = [parseName(p, 'a type')];
  while (p.at('.') && p.peek(1).kind === 'name') {
    p.take();
    path.push(parseName(p, 'a type'));
  }
  const typeArguments = p.at('<') ? parseTypeArguments(p) : [];
  const plain: TypeReference = { kind: 'type-reference', path, typeArguments, span: spanSince(p, first.start) };
  return p.at('[') ? parseBrackets(p, plain) : plain;
}

/** `float[]` means `array<float>`. */
function parseBrackets(p: ParserState, element: TypeReference): TypeReference {
  const open = p.take();
  if (!p.expect(']', 'to end the array type')) return element;
  const array: Name = { kind: 'name', text: 'array', span: { start: open.start, end: p.previous.end } };
  return { kind: 'type-reference', path: [array], typeArguments: [element], span: spanSince(p, element.span.start) };
}

/** `<float>` or `<string, float>`, with its brackets. */
export function parseTypeArguments(p: ParserState): TypeReference[] {
  const found: TypeReference[] = [];
  p.roles.tight.add(p.take().start);
  if (!p.enter()) return found;
  do found.push(parseType(p));
  while (!p.lost && p.accept(','));
  p.leave();
  if (p.at('>')) p.roles.tight.add(p.current.start);
  if (!p.lost) p.expect('>', 'to end the list of types');
  return found;
}

/** `series float x`: the word is a qualifier only when another word follows it. */
export function parseQualifier(p: ParserState): Qualifier | null {
  const { kind, text } = p.current;
  if (kind !== 'name' || !isQualifier(text) || p.peek(1).kind !== 'name') return null;
  p.take();
  return text;
}

/** The index after the type that begins at an index, or -1 when there is none. */
export function skipType(p: ParserState, from: number): number {
  let index = from;
  if (p.tokenAt(index).kind !== 'name') return -1;
  index++;
  while (isOperator(p, index, '.') && p.tokenAt(index + 1).kind === 'name') index += 2;
  if (isOperator(p, index, '<')) {
    index = skipTypeArguments(p, index);
    if (index < 0) return -1;
  }
  return isOperator(p, index, '[') && isOperator(p, index + 1, ']') ? index + 2 : index;
}

/** Tokens a list of type arguments may have; a longer look ahead at each "<" would take time with the square. */
const MAX_TYPE_ARGUMENT_TOKENS = 64;

/** The index after `<…>` that begins at an index, or -1 when the `<` compares. */
export function skipTypeArguments(p: ParserState, from: number): number {
  let open = 0;
  for (let index = from; index < from + MAX_TYPE_ARGUMENT_TOKENS; index++) {
    const { kind, text } = p.tokenAt(index);
    if (kind === 'operator' && text === '<') open++;
    else if (kind === 'operator' && text === '>') {
      open--;
      if (open === 0) return index + 1;
    } else if (
      kind !== 'name' &&
      !(kind === 'operator' && (text === ',' || text === '.' || text === '[' || text === ']'))
    )
      return -1;
  }
  return -1;
}

export const isOperator = (p: ParserState, index: number, text: string): boolean => {
  const token = p.tokenAt(index);
  return token.kind === 'operator' && token.text === text;
};

/** From the start of a node to the last token taken; the place of a hole when none was. */
export const spanSince = (p: ParserState, start: number): Span =>
  p.previous.end < start ? p.hole().span : { start, end: p.previous.end };

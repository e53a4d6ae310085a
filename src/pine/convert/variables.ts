// Variables of the script: those that read themselves, have no type, hold numbers with fractions, or bear a word of the language as name.

import type { VariableDeclaration } from '../syntax/index.ts';
import { asNumber } from './fit-values.ts';
import { isNumber, type Kind } from './kinds.ts';
import type { Declared } from './names.ts';
import { RESERVED } from './old-names.ts';
import type { Rewriter } from './rewriter.ts';

export function rewriteVariables(r: Rewriter): void {
  renameReserved(r);
  for (const declared of r.names.declared) {
    const { node } = declared;
    if (node?.kind !== 'variable') continue;
    if (declared.readBy !== null) declareFirst(r, declared, node);
    else if (node.type === null) giveType(r, declared, node);
    fitValues(r, declared, node);
  }
}

/** Names that are words of the language since get a suffix, everywhere. */
function renameReserved(r: Rewriter): void {
  const taken = new Set(r.names.declared.map(({ name }) => name.text));
  const renamed = new Map<string, string>();
  for (const { name, uses } of r.names.declared) {
    if (!RESERVED.has(name.text)) continue;
    let fresh = renamed.get(name.text) ?? `${name.text}_`;
    while (!renamed.has(name.text) && taken.has(fresh)) fresh += '_';
    renamed.set(name.text, fresh);
    r.edits.replace(name.span, fresh);
    for (const { span } of uses) r.edits.replace(span, fresh);
    r.changed(name.span, `${name.text} is ${fresh}`, `"${name.text}" is a word of the language since version 5.`);
  }
  renameArguments(r, renamed);
}

/** Arguments of the script's own functions, where they are named. */
function renameArguments(r: Rewriter, renamed: ReadonlyMap<string, string>): void {
  for (const call of r.names.calls.keys())
    for (const { name } of call.arguments) {
      const fresh = name === null ? undefined : renamed.get(name.text);
      if (name !== null && fresh !== undefined) r.edits.replace(name.span, fresh);
    }
}

/** A variable that is read above its value is declared without one there, and given it where it was. */
function declareFirst(r: Rewriter, declared: Declared, node: VariableDeclaration): void {
  const reader = declared.readBy!;
  const name = r.edits.textOf(node.name.span);
  const type = typeWord(r.kinds.ofDeclared(declared));
  const { start } = reader.span;
  const indent = indentBefore(r.edits.source, start);
  const separator = indent === null ? ', ' : `${r.newline}${indent}`;
  r.edits.before(start, `${type} ${name} = na${separator}`);
  const equals = r.tokenAfter(node.name.span.end);
  if (equals?.text === '=') r.edits.replace({ start: equals.start, end: equals.end }, ':=');
  const isItself = reader === node;
  r.changed(
    reader.span,
    `${name} is declared as ${type} before it is ${isItself ? 'computed from itself' : 'used'}`,
    `Versions 1 and 2 let a variable be read before it has a value${isItself ? '' : ', also in a line above'}.`,
  );
}

/** The white space before the first word of a line; null for a word further on. */
function indentBefore(source: string, at: number): string | null {
  let from = at;
  while (from > 0 && (source[from - 1] === ' ' || source[from - 1] === '\t')) from--;
  const isFirst = from === 0 || source[from - 1] === '\n' || source[from - 1] === '\r' || source[from - 1] === '\uFEFF';
  return isFirst ? source.slice(from, at) : null;
}

const typeWord = (kind: Kind): string =>
  kind === 'bool' || kind === 'int' || kind === 'color' || kind === 'string' ? kind : 'float';

/** `x = na`, and `x = 0` that is given a fraction later, need their type written. */
function giveType(r: Rewriter, declared: Declared, node: VariableDeclaration): void {
  const own = r.kinds.of(node.value);
  const kind = r.kinds.ofDeclared(declared);
  const isUntold = own === 'na';
  const isWider = own === 'int' && kind === 'float' && declared.assigned.length > 0;
  const isNumberOfBool = own === 'bool' && isNumber(kind);
  if (!isUntold && !isWider && !isNumberOfBool) return;
  const type = typeWord(kind);
  r.edits.before(node.name.span.start, `${type} `);
  const why = isUntold
    ? 'Since version 4 a variable that begins as na needs its type.'
    : 'It is given values of this type later.';
  r.changed(node.name.span, `${node.name.text} has the type ${type}`, why);
  if (isUntold && (kind === 'na' || kind === 'unknown'))
    r.check(node.name.span, `the type of ${node.name.text}`, 'It could not be told from the script: float was taken.');
}

/** A bool that a variable for numbers is given. */
function fitValues(r: Rewriter, declared: Declared, node: VariableDeclaration): void {
  if (!isNumber(r.kinds.ofDeclared(declared))) return;
  for (const value of [node.value, ...declared.assigned]) if (r.kinds.of(value) === 'bool') asNumber(r, value);
}

// The words before the cursor on its line, for places the tree cannot tell.

import { isQualifier, type Token } from '../syntax/tokens.ts';
import type { Document } from './document.ts';

export interface CursorWords {
  readonly opensLine: boolean;
  /** `array<`, `map<string, `, `matrix.new<`: a type follows. */
  readonly inTypeArguments: boolean;
  /** The names before the dot that the cursor stands after; null without a dot. */
  readonly dotted: readonly string[] | null;
  /** The words that may go on with the line after a value; null where a value must follow. */
  readonly infix: readonly string[] | null;
  /** A type stands before the cursor: the name of something new follows. */
  readonly declaresName: boolean;
  readonly awaitsType: boolean;
  readonly exported: boolean;
}

const LINE_STARTS: ReadonlySet<string> = new Set(['newline', 'indent', 'dedent']);
const NAMING_WORDS: ReadonlySet<string> = new Set(['type', 'enum', 'method', 'for', 'as']);
const COLLECTIONS: ReadonlySet<string> = new Set(['array', 'matrix', 'map']);
const ONLY_TYPES: ReadonlySet<string> = new Set([...COLLECTIONS, 'int', 'float', 'bool', 'string', 'color']);
/** Types in angle brackets are a few words; a longer way back is a comparison. */
const MAX_WORDS_BACK = 64;

/** Null when the cursor is in no word, which happens in text that is no Pine at all. */
export function readWords(document: Document, offset: number): CursorWords | null {
  const { tokens } = document;
  const at = tokens.findLastIndex(({ start, end }) => start <= offset && offset < end);
  if (tokens[at]?.kind !== 'name') return null;
  const lineStart = tokens.findLastIndex(({ kind }, i) => i < at && LINE_STARTS.has(kind)) + 1;
  const line = tokens.slice(lineStart, at);
  const before = line[line.length - 1];
  return {
    opensLine: before === undefined,
    inTypeArguments: isInTypeArguments(line),
    dotted: before?.text === '.' ? dottedBefore(line) : null,
    infix: infixAfter(document, line),
    declaresName: declaresName(document, line),
    awaitsType: before !== undefined && (['var', 'varip'].includes(before.text) || isQualifier(before.text)),
    exported: line.length === 1 && before?.text === 'export',
  };
}

function isInTypeArguments(line: readonly Token[]): boolean {
  let closed = 0;
  for (let i = line.length - 1; i >= Math.max(0, line.length - MAX_WORDS_BACK); i--) {
    const { kind, text } = line[i]!;
    if (text === '>') closed += 1;
    else if (text === '<') {
      if (closed === 0) return opensTypes(line, i);
      closed -= 1;
    } else if (kind !== 'name' && text !== ',' && text !== '.') return false;
  }
  return false;
}

/** `array<` and `array.new<`. */
function opensTypes(line: readonly Token[], at: number): boolean {
  const word = line[at - 1]?.text ?? '';
  if (COLLECTIONS.has(word)) return true;
  return word === 'new' && line[at - 2]?.text === '.' && COLLECTIONS.has(line[at - 3]?.text ?? '');
}

function dottedBefore(line: readonly Token[]): string[] {
  const path: string[] = [];
  for (let i = line.length - 1; i > 0 && line[i]!.text === '.' && line[i - 1]!.kind === 'name'; i -= 2)
    path.unshift(line[i - 1]!.text);
  return path;
}

function infixAfter(document: Document, line: readonly Token[]): readonly string[] | null {
  const [first] = line;
  const before = line[line.length - 1];
  if (first === undefined || before === undefined) return null;
  if (before.text === 'else') return ['if'];
  if (before.text === 'break' || before.text === 'continue') return [];
  if (document.roles.words.has(before.start) || (before === first && before.text === 'once')) return null;
  if (!endsValue(before)) return null;
  if (first.text === 'import') return ['as'];
  if (first.text !== 'for') return ['and', 'or'];
  const counting = line.some(({ text }) => text === '=');
  if (!counting) return line.some(({ text }) => text === 'in') ? ['and', 'or'] : ['in'];
  return line.some(({ text }) => text === 'to') ? ['by'] : ['to'];
}

function endsValue({ kind, text }: Token): boolean {
  if (kind === 'operator') return text === ')' || text === ']';
  if (kind === 'keyword') return text === 'true' || text === 'false';
  return ['name', 'int', 'float', 'string', 'color'].includes(kind);
}

/** `float `, `array<Point> `, `Point `, `lib.Point[] `, `type `. */
function declaresName({ module }: Document, line: readonly Token[]): boolean {
  const words = line.filter(({ text }) => !['var', 'varip', 'export'].includes(text) && !isQualifier(text));
  const [root] = words;
  if (root === undefined) return false;
  if (words.length === 1 && NAMING_WORDS.has(root.text)) return true;
  const typed = words.every(({ kind, text }) => kind === 'name' || ['.', '<', '>', ',', '[', ']'].includes(text));
  const known =
    ONLY_TYPES.has(root.text) ||
    module.types.has(root.text) ||
    module.enums.has(root.text) ||
    (module.imports.has(root.text) && words.length > 1);
  return typed && known && !['.', '<', ','].includes(words[words.length - 1]!.text);
}

// What may be written at the cursor: told by the tree where the line could be read, else by the words before it.

import { dottedPath } from '../check/arguments.ts';
import { type Argument, type Call, type Expression, type Name, type Node, nodesAt } from '../syntax/index.ts';
import type { Document } from './document.ts';
import { type CursorWords, readWords } from './words-before.ts';

/** The argument the cursor is in. */
export interface ArgumentPlace {
  readonly call: Call;
  readonly argument: Argument;
  /** Whether nothing but the word at the cursor stands there, so that it may become the name of a parameter. */
  readonly bare: boolean;
}

export type Place =
  | { readonly kind: 'nothing' }
  /** After a dot: the expression before it, or its words where the line could not be read. */
  | { readonly kind: 'member'; readonly object: Expression | null; readonly path: readonly string[] | null }
  | { readonly kind: 'type'; readonly qualified: boolean }
  | { readonly kind: 'import'; readonly publisher: string | null }
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'exported' }
  /** Before the "=" of an argument. */
  | { readonly kind: 'argument-name'; readonly argument: ArgumentPlace }
  | { readonly kind: 'statement'; readonly local: boolean; readonly loop: boolean }
  | {
      readonly kind: 'expression';
      readonly structures: boolean;
      readonly local: boolean;
      readonly argument: ArgumentPlace | null;
    };

const NOTHING: Place = { kind: 'nothing' };
const TYPE: Place = { kind: 'type', qualified: true };

/** The text of the document has the mark at the offset, so there is always a word to be found. */
export function placeAt(document: Document, offset: number): Place {
  const path = nodesAt(document.script, offset);
  const node = path[path.length - 1]!;
  const words = readWords(document, offset);
  if (words === null) return NOTHING;
  if (words.inTypeArguments)
    return words.dotted === null
      ? { kind: 'type', qualified: false }
      : { kind: 'member', object: null, path: words.dotted };
  if (node.kind === 'name') return placeOfName(path, node, words);
  if (node.kind === 'identifier') return placeOfIdentifier(path, node, words);
  return placeOfWords(path, words);
}

function placeOfName(path: readonly Node[], node: Name, words: CursorWords): Place {
  const parent = path[path.length - 2];
  switch (parent?.kind) {
    case 'member':
      return { kind: 'member', object: parent.object, path: dottedPath(parent.object) };
    case 'type-reference': {
      const at = parent.path.indexOf(node);
      if (at > 0) return { kind: 'member', object: null, path: parent.path.slice(0, at).map(({ text }) => text) };
      return { kind: 'type', qualified: path[path.length - 3]?.kind !== 'field' };
    }
    case 'argument': {
      const argument = argumentOf(path, node);
      return argument === null ? NOTHING : { kind: 'argument-name', argument };
    }
    case 'variable':
      if (words.opensLine) return statementPlace(path);
      return parent.type === null ? TYPE : NOTHING;
    case 'function':
      return words.opensLine ? statementPlace(path) : NOTHING;
    case 'parameter':
      return parent.type === null && parent.span.start === node.span.start ? TYPE : NOTHING;
    case 'import':
      if (node === parent.alias) return NOTHING;
      return { kind: 'import', publisher: node === parent.library ? parent.publisher.text : null };
    default:
      return NOTHING;
  }
}

function placeOfIdentifier(path: readonly Node[], node: Expression, words: CursorWords): Place {
  if (!words.opensLine) return expressionPlace(path, node);
  const parent = path[path.length - 2];
  const arm = parent?.kind === 'switch-arm' && parent.match === node;
  return arm ? expressionPlace(path, node) : statementPlace(path);
}

const isLocal = (path: readonly Node[]): boolean => path.some(({ kind }) => kind === 'block');

function statementPlace(path: readonly Node[]): Place {
  const loop = path.some(({ kind }) => kind === 'for' || kind === 'for-in' || kind === 'while');
  return { kind: 'statement', local: isLocal(path), loop };
}

function expressionPlace(path: readonly Node[], node: Node | null): Place {
  const parent = path[path.length - 2];
  const structures =
    parent?.kind === 'variable' ||
    parent?.kind === 'assignment' ||
    parent?.kind === 'tuple-declaration' ||
    parent?.kind === 'expression';
  return { kind: 'expression', structures, local: isLocal(path), argument: argumentOf(path, node) };
}

/** The innermost argument around the cursor. */
function argumentOf(path: readonly Node[], node: Node | null): ArgumentPlace | null {
  const at = path.findLastIndex(({ kind }) => kind === 'argument');
  const argument = path[at];
  const call = path[at - 1];
  if (argument?.kind !== 'argument' || call?.kind !== 'call') return null;
  const bare = argument.name === null ? argument.value === node : argument.name === node;
  return { call, argument, bare };
}

/** Where the line could not be read up to the cursor. */
function placeOfWords(path: readonly Node[], words: CursorWords): Place {
  if (words.dotted !== null) return { kind: 'member', object: null, path: words.dotted };
  if (words.opensLine) return statementPlace(path);
  if (words.exported) return { kind: 'exported' };
  if (words.declaresName) return NOTHING;
  if (words.awaitsType) return TYPE;
  if (words.infix !== null) return { kind: 'words', words: words.infix };
  return expressionPlace(path, null);
}

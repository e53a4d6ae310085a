// Hovers: what the word under the pointer means.

import { findWord, isNamespace } from '../builtins/index.ts';
import type { LibrarySource } from '../check/index.ts';
import { MAX_SOURCE_LENGTH, type Node, nodesAt, type Span } from '../syntax/index.ts';
import type { Token } from '../syntax/tokens.ts';
import { clampOffset } from './cursor.ts';
import { Document } from './document.ts';
import { hoverOfDeclared } from './hover-declared.ts';
import { hoverOfMember, hoverOfName } from './hover-names.ts';
import { builtinPage, type Hover, hoverAt, namespacePage, page, wordPage } from './hover-text.ts';

export function hover(source: string, offset: number, libraries: readonly LibrarySource[] = []): Hover | null {
  if (source.length > MAX_SOURCE_LENGTH) return null;
  const at = clampOffset(source, offset);
  const document = new Document(source, libraries);
  const comment = document.comments.find(({ start, end }) => start <= at && at <= end);
  if (comment !== undefined) return hoverOfAnnotation(comment.text, comment.start, at);
  const token = tokenAt(document.tokens, at);
  return token === null ? null : hoverOfToken(document, token);
}

/** The token under the offset, or the word that ends there. */
function tokenAt(tokens: readonly Token[], offset: number): Token | null {
  const under = tokens.find(({ start, end }) => start <= offset && offset < end);
  const isWord = (token: Token) => token.kind === 'name' || token.kind === 'keyword';
  const before = tokens.find((token) => token.end === offset && isWord(token));
  if (under === undefined || !isWord(under)) return before ?? under ?? null;
  return under;
}

function hoverOfAnnotation(text: string, start: number, offset: number): Hover | null {
  const found = /^(\/\/\s*)(@[A-Za-z_]+=?)/.exec(text);
  if (found === null) return null;
  const [, lead = '', name = ''] = found;
  const range = { start: start + lead.length, end: start + lead.length + name.length };
  if (offset < range.start || offset > range.end) return null;
  const word = findWord(name) ?? findWord(`${name}=`) ?? findWord(name.replace(/=$/, ''));
  return word === null ? null : { contents: wordPage(word), range };
}

function hoverOfToken(document: Document, token: Token): Hover | null {
  const range = { start: token.start, end: token.end };
  if (token.kind === 'operator') {
    if (document.roles.tight.has(token.start)) return null;
    const word = findWord(token.text === '?' || token.text === ':' ? '?:' : token.text);
    return word === null ? null : { contents: wordPage(word), range };
  }
  if (token.kind === 'keyword') return plainWord(document, token.text, range);
  if (token.kind !== 'name') return null;
  const path = nodesAt(document.script, token.start);
  const at = path.findLastIndex(({ span }) => span.start === token.start && span.end === token.end);
  const exact = path[at];
  // A name may be wrapped in nodes of the same extent: the innermost is the name itself.
  if (exact === undefined) return plainWord(document, token.text, range);
  return hoverOfNode(document, path.slice(0, at + 1), exact) ?? plainWord(document, token.text, range);
}

function hoverOfNode(document: Document, path: readonly Node[], node: Node): Hover | null {
  const parent = path[path.length - 2];
  if (node.kind === 'identifier') return hoverOfName(document, node, isCallee(parent, node));
  if (node.kind !== 'name' || parent === undefined) return null;
  if (parent.kind === 'member') return hoverOfMember(document, parent, isCallee(path[path.length - 3], parent));
  return hoverOfDeclared(document, path, node);
}

const isCallee = (parent: Node | undefined, node: Node): boolean => parent?.kind === 'call' && parent.callee === node;

/** A word of the language, or a built-in that the tree has no node for. */
function plainWord({ version }: Document, text: string, range: Span): Hover | null {
  const word = findWord(text);
  if (word !== null) return hoverAt(range, wordPage(word));
  return hoverAt(range, page(builtinPage(text, version, false), isNamespace(text) ? namespacePage(text) : ''));
}

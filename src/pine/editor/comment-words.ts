// What is offered inside of comments: annotations, the version, and the parts an annotation may speak of.

import { allWords } from '../builtins/index.ts';
import type { LibrarySource } from '../check/index.ts';
import { parse, type Statement } from '../syntax/index.ts';
import type { Comment } from '../syntax/scanner.ts';
import { annotated } from './annotated.ts';
import { type Candidate, plain, RANK } from './completion.ts';

export interface Offered {
  readonly prefix: string;
  readonly candidates: readonly Candidate[];
}

const NONE: Offered = { prefix: '', candidates: [] };

export function commentWords(source: string, offset: number, { text, start, ownLine }: Comment): Offered {
  if (!ownLine) return NONE;
  const before = text.slice(0, offset - start);
  const [name, prefix = ''] = /^\/\/\s*@([A-Za-z_]*)$/.exec(before) ?? [];
  if (name !== undefined) return { prefix: `@${prefix}`, candidates: annotations() };
  const [version] = /^\/\/\s*@version\s*=\s*$/.exec(before) ?? [];
  if (version !== undefined)
    return { prefix: '', candidates: ['6', '5'].map((one) => plain(RANK.word, one, 'constant')) };
  const [, kind, part = ''] = /^\/\/\s*@(param|field)\s+([A-Za-z0-9_]*)$/.exec(before) ?? [];
  return kind === undefined ? NONE : { prefix: part, candidates: parts(source, start) };
}

/** Editors take the "@" for no part of the word, so it is not inserted a second time. */
const annotations = (): Candidate[] =>
  allWords()
    .filter(({ kind }) => kind === 'annotation')
    .map(({ name, doc }) => plain(RANK.word, name, 'annotation', { documentation: doc, insertText: name.slice(1) }));

/** The parameters, fields or members of the declaration below that have no text yet. */
function parts(source: string, offset: number): Candidate[] {
  const { script } = parse(source);
  const annotation = script.annotations.find(({ span }) => span.start <= offset && offset < span.end);
  const declaration = script.statements.find(({ span }) => span.start === annotation?.target);
  if (declaration === undefined) return [];
  const told = annotated(script, declaration).parts;
  const [current] = annotation?.text.split(/\s/) ?? [];
  return namesIn(declaration)
    .filter((name) => name !== '' && (!told.has(name) || name === current))
    .map((name) => plain(RANK.own, name, 'parameter'));
}

function namesIn(declaration: Statement): string[] {
  if (declaration.kind === 'function') return declaration.parameters.map(({ name }) => name.text);
  if (declaration.kind === 'type') return declaration.fields.map(({ name }) => name.text);
  return declaration.kind === 'enum' ? declaration.members.map(({ name }) => name.text) : [];
}

/** The libraries at hand, by publisher and then by name and version. */
export function importNames(libraries: readonly LibrarySource[], publisher: string | null): Candidate[] {
  if (publisher === null)
    return [...new Set(libraries.map(({ namespace }) => namespace))].map((name) => plain(RANK.own, name, 'namespace'));
  return libraries
    .filter(({ namespace }) => namespace === publisher)
    .map(({ name, version }) => plain(RANK.own, `${name}/${version}`, 'namespace'));
}

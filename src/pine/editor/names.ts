// The names that may begin a statement, an expression or a type: the script's own, built-ins and words.

import { allWords, findWord, membersOf, namespacesIn } from '../builtins/index.ts';
import { OBJECTS, SCALARS } from '../builtins/types.ts';
import type { VisibleName } from '../check/index.ts';
import { annotated } from './annotated.ts';
import { builtin, type Candidate, ownFunction, plain, RANK, snippet, word } from './completion.ts';
import { type Document, typeWords } from './document.ts';
import { enumDeclarationOf, importOf, typeDeclarationOf } from './own-declarations.ts';
import { snippetsFor } from './snippets.ts';

/** Words that go on with something, which a statement never begins with. */
const INNER_WORDS: ReadonlySet<string> = new Set(['and', 'as', 'by', 'in', 'or', 'to']);
const TOP_WORDS: ReadonlySet<string> = new Set(['enum', 'export', 'import', 'method', 'type']);
const LOOP_WORDS: ReadonlySet<string> = new Set(['break', 'continue']);
const STRUCTURES = ['if', 'switch', 'for', 'while'];
const QUALIFIERS: ReadonlySet<string> = new Set(['const', 'series', 'simple']);
const TYPE_NAMES: ReadonlySet<string> = new Set<string>([...SCALARS, ...OBJECTS]);

interface Asked {
  readonly document: Document;
  readonly offset: number;
  readonly called: boolean;
}

export function statementNames(asked: Asked, { local, loop }: { local: boolean; loop: boolean }): Candidate[] {
  const { document } = asked;
  const words = allWords().filter(
    ({ kind, name, versions }) =>
      kind === 'keyword' &&
      versions.includes(document.version) &&
      !INNER_WORDS.has(name) &&
      (!local || !TOP_WORDS.has(name)) &&
      (loop || !LOOP_WORDS.has(name)) &&
      (name !== 'export' || document.module.isLibrary),
  );
  const names = expressionNames(asked, { local, structures: false });
  // Where a type may stand, the cast of the same name would only be in the way.
  const values = names.filter(({ item }) => item.kind !== 'function' || !TYPE_NAMES.has(item.label));
  return dropDoubles([...values, ...words.map(word), ...typeWordsOf(document, true), ...snippetsFor(document, local)]);
}

/** A word that is also a built-in is offered once. */
function dropDoubles(found: readonly Candidate[]): Candidate[] {
  const seen = new Set<string>();
  return found.filter(({ item }) => {
    const key = `${item.kind} ${item.label}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

export function expressionNames(asked: Asked, { local, structures }: { local: boolean; structures: boolean }) {
  const { document, offset, called } = asked;
  const { version } = document;
  const own = document.namesAt(offset).map((name) => ownName(asked, name));
  const hidden = new Set(own.map(({ item }) => item.label));
  const builtins = membersOf('', version)
    .filter((entry) => !hidden.has(entry.name))
    .filter((entry) => !local || entry.kind !== 'function' || entry.overloads.some(({ globalOnly }) => !globalOnly))
    .map((entry) => builtin(entry, entry.name, version, called));
  const inner = namespacesIn('').map((name) => plain(RANK.namespace, name, 'namespace'));
  const words = ['not', ...(structures ? STRUCTURES : [])];
  return [...own, ...builtins, ...inner, ...wordsNamed(words)];
}

/** Types of the language, of the script and of what it imports. */
export function typeNames({ document, offset }: Asked, qualified: boolean): Candidate[] {
  const own = document.namesAt(offset).filter(({ kind }) => kind === 'type' || kind === 'enum' || kind === 'import');
  const asked = { document, offset, called: false };
  return [...own.map((name) => ownName(asked, name)), ...typeWordsOf(document, qualified)];
}

function typeWordsOf({ version }: Document, qualified: boolean): Candidate[] {
  return allWords()
    .filter(
      ({ kind, name, versions }) =>
        kind === 'type' && versions.includes(version) && (qualified || !QUALIFIERS.has(name)),
    )
    .map((entry) => {
      const { name, doc } = entry;
      const places = name === 'map' ? ['string', 'float'] : ['float'];
      if (name !== 'map' && name !== 'array' && name !== 'matrix') return word(entry);
      const text = places.map((type, i) => `\${${i + 1}:${type}}`).join(', ');
      const detail = `${name}<${places.join(', ')}>`;
      return snippet(RANK.word, name, 'type', `${name}<${text}>`, { detail, documentation: doc });
    });
}

export const wordsNamed = (names: readonly string[]): Candidate[] =>
  names.flatMap((name) => {
    const found = findWord(name);
    return found === null ? [] : [word(found)];
  });

function ownName({ document, offset, called }: Asked, { kind, name, span }: VisibleName): Candidate {
  switch (kind) {
    case 'function':
    case 'method': {
      const forms = document.module.functions.get(name) ?? [];
      const above = forms.filter(({ declaration }) => declaration.span.end < offset);
      if (above.length > 0) return ownFunction(document, above, called, false);
      return plain(RANK.own, name, 'function');
    }
    case 'type':
    case 'enum': {
      const { script } = document;
      const declaration = kind === 'type' ? typeDeclarationOf(script, name) : enumDeclarationOf(script, name);
      const documentation = declaration === null ? '' : annotated(script, declaration).description;
      return plain(RANK.own, name, kind, { detail: `${kind} ${name}`, documentation });
    }
    case 'import': {
      const found = importOf(document.script, name);
      const detail = found === null ? '' : `${found.publisher.text}/${found.library.text}/${found.version}`;
      return plain(RANK.own, name, 'namespace', { detail });
    }
    default: {
      const declaration = document.declarationAt(span);
      const documentation = declaration === null ? '' : annotated(document.script, declaration).description;
      return plain(RANK.own, name, 'variable', { detail: typeWords(document.typeDeclaredAt(span)), documentation });
    }
  }
}

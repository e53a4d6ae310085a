// Completion: what could be written at the cursor, the likeliest first.

import type { LibrarySource } from '../check/index.ts';
import { MAX_SOURCE_LENGTH } from '../syntax/index.ts';
import { argumentNames } from './call-arguments.ts';
import { commentWords, importNames } from './comment-words.ts';
import type { Candidate, Completion } from './completion.ts';
import { type Cursor, clampOffset, surroundingsOf } from './cursor.ts';
import { CURSOR_MARK, Document } from './document.ts';
import { memberNames } from './members.ts';
import { expressionNames, statementNames, typeNames, wordsNamed } from './names.ts';
import { placeAt } from './place.ts';

export function complete(source: string, offset: number, libraries: readonly LibrarySource[] = []): Completion[] {
  if (source.length > MAX_SOURCE_LENGTH) return [];
  const at = clampOffset(source, offset);
  const found = surroundingsOf(source, at);
  if (found.kind === 'literal') return [];
  if (found.kind === 'comment') {
    const { prefix, candidates } = commentWords(source, at, found.comment);
    return inOrder(candidates, prefix);
  }
  return inOrder(candidatesAt(source, found.cursor, libraries), found.cursor.prefix);
}

function candidatesAt(source: string, cursor: Cursor, libraries: readonly LibrarySource[]): Candidate[] {
  const { offset, called } = cursor;
  const document = new Document(source.slice(0, offset) + CURSOR_MARK + source.slice(offset), libraries);
  const asked = { document, offset, called };
  const place = placeAt(document, offset);
  switch (place.kind) {
    case 'nothing':
      return [];
    case 'member':
      return memberNames(asked, place.object, place.path);
    case 'type':
      return typeNames(asked, place.qualified);
    case 'import':
      return importNames(libraries, place.publisher);
    case 'words':
      return wordsNamed(place.words);
    case 'exported':
      return [...wordsNamed(['method', 'type', 'enum']), ...typeNames(asked, true)];
    case 'statement':
      return statementNames(asked, place);
    case 'argument-name':
      return argumentNames(document, place.argument);
    case 'expression': {
      const fitting = place.argument === null ? [] : argumentNames(document, place.argument);
      const taken = new Set(fitting.map(({ item }) => item.label));
      return [...fitting, ...expressionNames(asked, place).filter(({ item }) => !taken.has(item.label))];
    }
  }
}

/** Those that begin with the prefix, also behind a dot; the same letters in the same case come first. */
function inOrder(candidates: readonly Candidate[], prefix: string): Completion[] {
  const lowered = prefix.toLowerCase();
  const misfit = ({ item: { label } }: Candidate): number => {
    const member = label.slice(label.lastIndexOf('.') + 1);
    if (label.startsWith(prefix) || member.startsWith(prefix)) return 0;
    return label.toLowerCase().startsWith(lowered) || member.toLowerCase().startsWith(lowered) ? 1 : 2;
  };
  return candidates
    .map((candidate) => ({ ...candidate, misfit: misfit(candidate) }))
    .filter(({ misfit, item }) => misfit < 2 && !item.label.includes(CURSOR_MARK))
    .sort((a, b) => a.misfit - b.misfit || a.rank - b.rank || compare(a.item.label, b.item.label))
    .map(({ item }) => item);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

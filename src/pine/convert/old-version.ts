// Which of the versions 1 to 4 a script is written for, or that it is of none of them.

import { replacementOf } from '../builtins/index.ts';
import { type Comment, type OldVersion, type Token, versionWritten } from '../syntax/index.ts';

export type VersionOfScript =
  | { readonly kind: 'old'; readonly version: OldVersion }
  /** What the version line says, or null where there is none and nothing in the text is of an old version. */
  | { readonly kind: 'not-old'; readonly written: string | null };

/** Words that only version 4 has: a script without a version line that has one of them has lost its line. */
const NAMESPACES_OF_V4: ReadonlySet<string> = new Set(
  'color plot hline timeframe array label line box table'.split(' '),
);

/** A script without a version line is of version 1, if it calls what later versions call otherwise. */
export function versionOf(tokens: readonly Token[], comments: readonly Comment[]): VersionOfScript {
  const written = versionWritten(comments)?.number ?? null;
  if (written !== null) {
    const version = /^\d{1,3}$/.test(written) ? Number(written) : Number.NaN;
    if (version === 1 || version === 2 || version === 3 || version === 4) return { kind: 'old', version };
    return { kind: 'not-old', written };
  }
  const calls = tokens.filter(
    ({ kind }, i) => kind === 'name' && tokens[i + 1]?.text === '(' && tokens[i - 1]?.text !== '.',
  );
  const isNew = calls.some(({ text }) => text === 'indicator' || text === 'library');
  const own = ownFunctions(tokens);
  const isOld = calls.some(({ text }) => replacementOf(text) !== null && !own.has(text));
  if (isNew || !isOld) return { kind: 'not-old', written: null };
  return { kind: 'old', version: hasWordsOfV4(tokens) ? 4 : 1 };
}

function hasWordsOfV4(tokens: readonly Token[]): boolean {
  return tokens.some(({ kind, text, indent }, i) => {
    if (kind === 'keyword' && text === 'var' && indent >= 0) return tokens[i + 1]?.text !== '=';
    return NAMESPACES_OF_V4.has(text) && tokens[i + 1]?.text === '.' && tokens[i - 1]?.text !== '.';
  });
}

/** Names that begin a line and are followed by brackets and `=>`. */
function ownFunctions(tokens: readonly Token[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [index, { kind, text }] of tokens.entries()) {
    if (text !== '=>' || kind !== 'operator') continue;
    let open = index - 1;
    while (open > 0 && tokens[open]?.text !== '(') open--;
    const name = tokens[open - 1];
    if (name?.kind === 'name') found.add(name.text);
  }
  return found;
}

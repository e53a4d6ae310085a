// The version a script is written for, from its `//@version=` line, and what is said when it is missing or unknown.

import type { SyntaxFinding } from './diagnostic.ts';
import type { Lexed } from './lexer.ts';
import type { LanguageVersion } from './parser-state.ts';
import type { Comment } from './scanner.ts';
import type { Token } from './tokens.ts';

export const NEWEST_VERSION: LanguageVersion = 6;
const OLDEST_VERSION: LanguageVersion = 5;

const CONVERT = 'Convert it to version 5 first, with: signalbox convert FILE.';

const VERSION_LINE = /^\/\/\s*@version\s*=\s*(\S*)/;

export type OldVersion = 1 | 2 | 3 | 4;

/** The comment that says the version, and the number as written; null when there is none. */
export function versionWritten(
  comments: readonly Comment[],
): { readonly comment: Comment; readonly number: string } | null {
  const comment = comments.find(({ text }) => VERSION_LINE.test(text));
  return comment === undefined ? null : { comment, number: VERSION_LINE.exec(comment.text)?.[1] ?? '' };
}

export interface VersionFound {
  /** The version to read the script as, or null when it is too old to be read. */
  readonly version: LanguageVersion | null;
  readonly fault: SyntaxFinding | null;
}

/**
 * A script without the line is of the version its caller assumes. Where none is assumed it would be of version 1 for
 * TradingView; it is reported, and read as the newest so that an editor still has something to work with.
 */
export function readVersion(
  { comments, tokens }: Pick<Lexed, 'comments' | 'tokens'>,
  assumed?: LanguageVersion,
): VersionFound {
  const found = versionWritten(comments);
  if (found === null) {
    if (assumed !== undefined) return { version: assumed, fault: null };
    const old = oldCall(tokens);
    if (old !== null) return { version: null, fault: looksOld(old) };
    const message = 'The script does not say which version of Pine Script it is written for.';
    const remedy = `Write //@version=${NEWEST_VERSION} as its first line.`;
    return { version: NEWEST_VERSION, fault: { fault: 'missingVersion', message, span: { start: 0, end: 0 }, remedy } };
  }
  const { comment, number: written } = found;
  const span = { start: comment.start, end: comment.end };
  const version = /^\d{1,3}$/.test(written) ? Number(written) : Number.NaN;
  if (version === 5 || version === 6) return { version, fault: null };
  if (version >= 1 && version < OLDEST_VERSION) {
    const message = `The script is written for version ${version} of Pine Script; versions ${OLDEST_VERSION} and ${NEWEST_VERSION} can be run.`;
    const remedy = CONVERT;
    return { version: null, fault: { fault: 'oldVersion', message, span, remedy } };
  }
  const message = `"${written.slice(0, 40)}" is not a version of Pine Script that is known here.`;
  const remedy = `Write //@version=${NEWEST_VERSION}.`;
  return { version: NEWEST_VERSION, fault: { fault: 'unknownVersion', message, span, remedy } };
}

/** Functions that moved into a namespace, or were renamed, with version 5: a call of one tells how old a script is. */
const OLD_FUNCTIONS: ReadonlySet<string> = new Set([
  ...['study', 'security', 'iff', 'tostring', 'sma', 'ema', 'rma', 'wma', 'vwma', 'rsi', 'atr', 'macd', 'stoch'],
  ...['cci', 'stdev', 'highest', 'lowest', 'crossover', 'crossunder', 'valuewhen', 'barssince', 'pivothigh'],
]);

/** The first call in the text of a function that version 5 no longer has, unless the script declares what it is as since then. */
function oldCall(tokens: readonly Token[]): Token | null {
  const calls = tokens.filter(
    ({ kind }, i) => kind === 'name' && tokens[i + 1]?.text === '(' && tokens[i - 1]?.text !== '.',
  );
  if (calls.some(({ text }) => text === 'indicator' || text === 'library')) return null;
  return calls.find(({ text }) => OLD_FUNCTIONS.has(text)) ?? null;
}

function looksOld({ text, start, end }: Token): SyntaxFinding {
  const message = `The script does not say its version, and looks like one of version 1 to 4: it calls ${text}(), which since version 5 has another name.`;
  const remedy = CONVERT;
  return { fault: 'missingVersion', message, span: { start, end }, remedy };
}

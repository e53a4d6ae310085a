// The converter's front door: a script of version 1 to 4 in, the same script in version 5 and the list of what was changed out.

import type { Comment, Diagnostic, OldVersion, ParsedWithTokens, Span } from '../syntax/index.ts';
import {
  DiagnosticList,
  LineTable,
  MAX_SOURCE_LENGTH,
  parseOldDialect,
  SYNTAX_CODES,
  scan,
  versionWritten,
} from '../syntax/index.ts';
import type { EditedText } from './edits.ts';
import { rewriteExpressions } from './expressions.ts';
import { layOut } from './old-layout.ts';
import { namesThen } from './old-names.ts';
import { versionOf } from './old-version.ts';
import { type ChangeSeverity, type FoundChange, Rewriter } from './rewriter.ts';
import { rewriteVariables } from './variables.ts';

export type { OldVersion } from '../syntax/index.ts';

/** One thing that is different in the converted script. */
export interface Change {
  /** Of the old script, from 1. */
  readonly line: number;
  readonly what: string;
  readonly why: string;
  readonly severity: ChangeSeverity;
}

export interface Converted {
  readonly kind: 'converted';
  readonly version: OldVersion;
  readonly text: string;
  /** In the order of the text. */
  readonly changes: readonly Change[];
  /** Where the old script says its version. */
  readonly note: Span;
  /** The offset in the old script of an offset in the new one. */
  readonly offsetBefore: (offset: number) => number;
}

export type NotConverted =
  /** It is of version 5 or newer, or nothing in it tells that it is older. */
  | { readonly kind: 'not-old'; readonly message: string }
  /** It is old, and has mistakes that keep it from being read. */
  | { readonly kind: 'unreadable'; readonly version: OldVersion; readonly diagnostics: readonly Diagnostic[] };

/** Findings of the parser that the conversion itself mends. */
const MENDED: ReadonlySet<string> = new Set([SYNTAX_CODES.afterHistory, SYNTAX_CODES.reservedName]);

/** Never throws: whatever cannot be converted is answered as such. */
export function convert(source: string): Converted | NotConverted {
  if (source.length > MAX_SOURCE_LENGTH) {
    const message = `The script has ${source.length} characters; the most that is read is ${MAX_SOURCE_LENGTH}.`;
    return { kind: 'not-old', message };
  }
  const { tokens, comments } = scan(source, new DiagnosticList(), true);
  const found = versionOf(tokens, comments);
  if (found.kind === 'not-old') return { kind: 'not-old', message: notOld(found.written) };
  const { version } = found;
  const { edited: laidOut, moved } = layOut(source);
  const parsed = parseOldDialect(laidOut.text, namesThen(version));
  const errors = parsed.diagnostics.filter(({ severity, code }) => severity === 'error' && !MENDED.has(code));
  if (errors.length > 0) {
    const diagnostics = errors.map((one) => ({ ...one, span: spanBefore(laidOut, one.span) }));
    return { kind: 'unreadable', version, diagnostics };
  }
  const r = new Rewriter(laidOut.text, parsed, version);
  rewriteVersion(r, version);
  rewriteExpressions(r, parsed.script);
  rewriteVariables(r);
  r.finishArguments();
  addHelpers(r, parsed);
  const edited = r.edits.apply();
  const layoutChanges = moved.map((offset) => ({ ...MOVED, offset }));
  const changes = [...r.changes.map((one) => ({ ...one, offset: laidOut.offsetBefore(one.offset) })), ...layoutChanges];
  return {
    kind: 'converted',
    version,
    text: edited.text,
    changes: listed(source, changes),
    note: versionSpan(comments),
    offsetBefore: (offset) => laidOut.offsetBefore(edited.offsetBefore(offset)),
  };
}

/** What is told of a script that was converted because somebody wants to run or check it. */
export function conversionNote({ version, changes, note }: Converted): Diagnostic {
  const toCheck = changes.filter(({ severity }) => severity === 'check').length;
  const counted = `${changes.length} ${changes.length === 1 ? 'change' : 'changes'}`;
  const message = `The script is of version ${version} of Pine Script; it was converted to version 5, with ${counted}, ${toCheck} of them to check.`;
  const remedy = 'See them with: signalbox convert FILE.';
  return { code: SYNTAX_CODES.converted, severity: 'warning', message, span: note, remedy };
}

const MOVED = {
  what: 'a line that goes on with the one above is indented by a column more',
  why: 'Since version 5 a line indented by a multiple of four begins a block.',
  severity: 'changed',
} as const;

const notOld = (written: string | null): string =>
  written === null
    ? 'Nothing in the script tells that it is of version 1 to 4. Write //@version=4, or the version it has, as its first line.'
    : `The script is of version ${written.slice(0, 20)}; only scripts of version 1 to 4 are converted, to version 5. There is nothing to do.`;

const spanBefore = (edited: EditedText, { start, end }: Diagnostic['span']) => ({
  start: edited.offsetBefore(start),
  end: edited.offsetBefore(end),
});

function rewriteVersion(r: Rewriter, version: OldVersion): void {
  const written = versionWritten(r.parsed.lexed.comments);
  const span = written === null ? { start: 0, end: 0 } : written.comment;
  if (written === null) r.edits.before(firstOffset(r.edits.source), `//@version=5${r.newline}`);
  else r.edits.replace(span, '//@version=5');
  r.changed(span, `//@version=5 instead of ${version}`, 'The script is of version 5 now.');
}

function versionSpan(comments: readonly Comment[]): Span {
  const written = versionWritten(comments)?.comment;
  return written === undefined ? { start: 0, end: 0 } : { start: written.start, end: written.end };
}

/** A byte order mark stays the first character. */
const firstOffset = (source: string): number => (source.charCodeAt(0) === 0xfeff ? 1 : 0);

/** Functions that the script needs now stand below its declaration, or above everything where it has none there. */
function addHelpers(r: Rewriter, { script }: ParsedWithTokens): void {
  if (r.helpers.size === 0) return;
  const { newline } = r;
  const text = [...r.helpers.values()].join(newline);
  const [first, second] = script.statements;
  const isDeclaration =
    first?.kind === 'expression' &&
    first.expression.kind === 'call' &&
    /^(study|strategy)$/.test(r.builtIn(first.expression));
  const next = isDeclaration ? second : first;
  if (next !== undefined) r.edits.before(next.span.start, `${text}${newline}`);
}

function listed(source: string, found: readonly FoundChange[]): Change[] {
  const lines = new LineTable(source);
  return found
    .toSorted((a, b) => a.offset - b.offset)
    .map(({ offset, what, why, severity }) => ({ line: lines.positionAt(offset).line, what, why, severity }));
}

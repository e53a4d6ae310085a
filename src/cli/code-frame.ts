// A finding of the compiler as people want to see it: where, the line itself, a mark under the place, what and what to do.

import type { ScriptDiagnostic } from '../library/script-runner.ts';
import type { Colour, Paint } from './paint.ts';
import { printable } from './table.ts';
import { textWidth as width } from './text-width.ts';

/** What is left of a long line beside the marked place. */
const MAX_LINE_CHARS = 120;
const LEAD_CHARS = 40;
/** The same number of columns on every terminal. */
const TAB = '    ';

const COLOURS: Readonly<Record<ScriptDiagnostic['severity'], Colour>> = {
  error: 'red',
  warning: 'yellow',
  hint: 'dim',
};

export type Finding = Pick<ScriptDiagnostic, 'line' | 'column' | 'message'> & Partial<ScriptDiagnostic>;

/** Several findings of one source, in their order, with a blank line between them. */
export function codeFrames(file: string, source: string, findings: readonly Finding[], paint: Paint): string {
  const lines = source.split(/\r\n|\r|\n/);
  return findings.map((finding) => codeFrame(file, lines, finding, paint)).join('\n\n');
}

function codeFrame(file: string, lines: readonly string[], finding: Finding, paint: Paint): string {
  const { line, column, severity = 'error', code, message, remedy } = finding;
  const word = severity === 'hint' ? 'note' : severity;
  const kind = paint(COLOURS[severity], code === undefined ? word : `${word} ${code}`);
  const head = `${paint('bold', `${printable(file)}:${line}:${column}:`)} ${kind}: ${printable(message)}`;
  const frame = [head];
  const text = lines[line - 1];
  if (text !== undefined && text.trim() !== '') {
    const gutter = `${line}`.padStart(4);
    const { shown, lead, marked } = window(text, column - 1, endIn(finding, text));
    frame.push(`${paint('dim', `${gutter} |`)} ${shown}`);
    frame.push(`${paint('dim', `${' '.repeat(gutter.length)} |`)} ${lead}${paint(COLOURS[severity], marked)}`);
  }
  if (remedy !== undefined) frame.push(`     ${paint('dim', '=')} ${printable(remedy)}`);
  return frame.join('\n');
}

/** Where the marked part ends on its first line. */
function endIn({ line, column, endLine = line, endColumn = column + 1 }: Finding, text: string): number {
  return Math.max(column, endLine > line ? text.trimEnd().length : Math.min(endColumn - 1, text.length));
}

/** The part of the line around the marked place, and what stands below it. */
function window(text: string, start: number, end: number): { shown: string; lead: string; marked: string } {
  const from =
    text.length <= MAX_LINE_CHARS ? 0 : Math.max(0, Math.min(start - LEAD_CHARS, text.length - MAX_LINE_CHARS));
  const to = Math.min(text.length, from + MAX_LINE_CHARS);
  const cut = from > 0 ? '…' : '';
  const part = (a: number, b: number): string => plain(text.slice(a, b));
  const lead = ' '.repeat(cut.length + width(part(from, Math.max(from, start))));
  const marked = '^'.repeat(Math.max(1, width(part(Math.max(from, start), Math.min(end, to)))));
  return { shown: `${cut}${part(from, to)}${to < text.length ? '…' : ''}`, lead, marked };
}

/** Nothing in it moves the cursor; a tab has a width of its own. */
const plain = (text: string): string => text.split('\t').map(printable).join(TAB);

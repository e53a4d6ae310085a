// Finds the JSON objects in a mail: each begins with a line that begins with a brace and ends where that brace closes.

import { type MailLine, singleSpaced } from './mail-text.ts';

export type ParseJson = (text: string) => { ok: true; value: unknown } | { ok: false; message: string };

export interface JsonBlocks {
  readonly objects: readonly Readonly<Record<string, unknown>>[];
  readonly faults: readonly string[];
  /** The lines outside. */
  readonly rest: readonly MailLine[];
}

/** One signal is one object; a mail with very many is no signal, whatever they say. */
const MAX_BLOCKS = 16;

export function readJsonBlocks(lines: readonly MailLine[], parse: ParseJson): JsonBlocks {
  const objects: Readonly<Record<string, unknown>>[] = [];
  const faults: string[] = [];
  const rest: MailLine[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] as MailLine;
    if (!line.plain.startsWith('{')) {
      rest.push(line);
      at++;
      continue;
    }
    const end = closingLine(lines, at);
    const block = lines.slice(at, end).map(({ raw }) => raw);
    const parsed = parse(plainOutsideStrings(block.join('\n')));
    if (parsed.ok) objects.push(parsed.value as Readonly<Record<string, unknown>>);
    else faults.push(`text: ${inWords(parsed.message, block)}`);
    if (objects.length + faults.length >= MAX_BLOCKS) {
      return { objects, faults: [...faults, 'text: holds too many JSON objects, send one mail per signal'], rest };
    }
    at = end;
  }
  return { objects, faults, rest };
}

/** The line after the one in which the brace closes; without such a line, the end. */
function closingLine(lines: readonly MailLine[], from: number): number {
  let depth = 0;
  let inText = false;
  for (let at = from; at < lines.length; at++) {
    const { raw: line } = lines[at] as MailLine;
    for (let i = 0; i < line.length; i++) {
      const char = line[i];
      if (inText) {
        if (char === '\\') i++;
        else if (char === '"') inText = false;
      } else if (char === '"') inText = true;
      else if (char === '{') depth++;
      else if (char === '}') depth--;
    }
    if (depth <= 0 && !inText) return at + 1;
  }
  return lines.length;
}

/** Mail programs indent with signs that JSON does not know. What stands in quotes is somebody's value and stays as it is. */
const plainOutsideStrings = (text: string): string =>
  text.replace(STRING_OR_NOT, (piece) => (piece.startsWith('"') ? piece : singleSpaced(piece)));
const STRING_OR_NOT = /"[^"\\]*(?:\\.[^"\\]*)*"?|[^"]+/gs;

/** Mail programs like to make quotes pretty. */
function inWords(message: string, lines: readonly string[]): string {
  const said = message.replace(/^The body/, 'the JSON in the mail').replace(/\.$/, '');
  if (!lines.some((line) => /[“”„«»]/.test(line))) return said;
  return 'the JSON in the mail has curly quotes; write straight ones, and switch "smart punctuation" off in the mail program';
}

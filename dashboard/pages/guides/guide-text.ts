// A guide as the docs have it, taken apart: headings, paragraphs, lists, tables and code, and what stands in a line.

export type Inline =
  | { readonly kind: 'text' | 'code' | 'strong' | 'emphasis'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly to: string };

export interface Item {
  readonly line: string;
  readonly below: readonly Block[];
}

export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly line: string; readonly id: string }
  | { readonly kind: 'paragraph'; readonly line: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly Item[] }
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };

const FENCE = /^\s*```/;
const HEADING = /^(#{1,6}) +(.*)$/;
const ITEM = /^( *)(?:[-*]|(\d+)\.) +(.*)$/;
const TABLE = /^\s*\|/;
const RULE = /^[\s|:-]+$/;

export function blocksOf(text: string): readonly Block[] {
  return take(text.split(/\r?\n/));
}

function take(lines: readonly string[]): readonly Block[] {
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const from = at;
    const line = lines[at]!;
    at = endOf(lines, from);
    const part = lines.slice(from, at);
    if (FENCE.test(line)) blocks.push({ kind: 'code', text: outdented(part.slice(1, -1)) });
    else if (HEADING.test(line)) blocks.push(headingOf(line));
    else if (TABLE.test(line)) blocks.push(tableOf(part));
    else if (ITEM.test(line)) blocks.push(listOf(part));
    else if (line.trim() !== '') blocks.push({ kind: 'paragraph', line: part.map((each) => each.trim()).join(' ') });
  }
  return blocks;
}

/** Where the block that begins there is over. */
function endOf(lines: readonly string[], from: number): number {
  const first = lines[from]!;
  if (FENCE.test(first)) {
    const end = lines.findIndex((line, at) => at > from && FENCE.test(line));
    return end === -1 ? lines.length : end + 1;
  }
  if (first.trim() === '' || HEADING.test(first)) return from + 1;
  const isInside: (line: string, at: number) => boolean = TABLE.test(first)
    ? (line) => TABLE.test(line)
    : ITEM.test(first)
      ? (line, at) => isOfList(lines, line, at)
      : (line) => line.trim() !== '' && ![FENCE, HEADING, TABLE, ITEM].some((begin) => begin.test(line));
  const end = lines.findIndex((line, at) => at > from && !isInside(line, at));
  return end === -1 ? lines.length : end;
}

/** The next item, what is indented below one, and an empty line between these. */
function isOfList(lines: readonly string[], line: string, at: number): boolean {
  const isOf = (each: string | undefined): boolean => each !== undefined && (ITEM.test(each) || /^ {2,}\S/.test(each));
  return isOf(line) || (line.trim() === '' && isOf(lines[at + 1]));
}

function headingOf(line: string): Block {
  const [, marks = '', words = ''] = HEADING.exec(line) ?? [];
  return { kind: 'heading', level: marks.length, line: words, id: anchorOf(words) };
}

/** As links in the docs name it. */
export const anchorOf = (words: string): string =>
  inlinesOf(words)
    .map(({ text }) => text)
    .join('')
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

function tableOf(lines: readonly string[]): Block {
  const [head = [], ...rows] = lines.filter((line) => !RULE.test(line)).map(cellsOf);
  return { kind: 'table', head, rows };
}

/** A bar that is meant as one has a backslash before it. */
const cellsOf = (line: string): readonly string[] =>
  line
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));

function listOf(lines: readonly string[]): Block {
  const [, indent = '', number] = ITEM.exec(lines[0]!) ?? [];
  const begins = lines.flatMap((line, at) => (ITEM.exec(line)?.[1] === indent ? [at] : []));
  const items = begins.map((from, nth): Item => {
    const line = ITEM.exec(lines[from]!)?.[3] ?? '';
    const margin = new RegExp(`^ {1,${lines[from]!.length - line.length}}`);
    const below = lines.slice(from + 1, begins[nth + 1] ?? lines.length);
    return { line, below: take(below.map((each) => each.replace(margin, ''))) };
  });
  return { kind: 'list', isOrdered: number !== undefined, items };
}

function outdented(lines: readonly string[]): string {
  const widths = lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/));
  const width = Math.min(...widths, Number.MAX_SAFE_INTEGER);
  return lines.map((line) => line.slice(width)).join('\n');
}

/** Code first: nothing in it is anything else. A picture is its words. */
const INLINE =
  /(`+)(.+?)\1|!\[([^\]]*)\]\([^)]*\)|\[((?:`[^`]*`|[^\]])*)\]\(([^)\s]*)\)|\*\*(.+?)\*\*|(?<![\w*])\*([^*\s][^*]*)\*/g;

export function inlinesOf(line: string): readonly Inline[] {
  const found: Inline[] = [];
  let at = 0;
  for (const match of line.matchAll(INLINE)) {
    if (match.index > at) found.push({ kind: 'text', text: line.slice(at, match.index) });
    found.push(inlineOf(match));
    at = match.index + match[0].length;
  }
  if (at < line.length) found.push({ kind: 'text', text: line.slice(at) });
  return found;
}

function inlineOf([, , code, picture, linked, to, strong, emphasis]: RegExpMatchArray): Inline {
  if (code !== undefined) return { kind: 'code', text: code };
  if (picture !== undefined) return { kind: 'text', text: picture };
  if (linked !== undefined) return { kind: 'link', text: linked.replaceAll(/[`*]/g, ''), to: to ?? '' };
  if (strong !== undefined) return { kind: 'strong', text: strong };
  return { kind: 'emphasis', text: emphasis ?? '' };
}

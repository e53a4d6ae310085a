// Reads a chat's markup piece by piece, only far enough to tell what is shown and what must be closed after a cut.

import type { ParseMode } from '../signal.ts';

export interface Piece {
  /** As it stands in the text. */
  readonly raw: string;
  /** What the reader sees of it. */
  readonly shown: string;
  /** This piece begins an entity, which ends with this text. */
  readonly opens?: string;
  /** This piece ends the entity that was begun last. */
  readonly closes?: true;
}

type Reader = (text: string) => Iterable<Piece>;

const READERS: Readonly<Record<ParseMode, Reader>> = {
  Plain: readPlain,
  HTML: readHtml,
  Markdown: readMarkdown,
  MarkdownV2: readMarkdownV2,
};

export const piecesOf = (text: string, mode: ParseMode): Iterable<Piece> => READERS[mode](text);

/** Our lines are HTML for the chat; everybody else is shown letters. */
export const plainOf = (html: string): string => [...piecesOf(html, 'HTML')].map(({ shown }) => shown).join('');

const literal = (raw: string): Piece => ({ raw, shown: raw });

function* readPlain(text: string): Iterable<Piece> {
  // By code point: a pair of surrogates is one piece.
  for (const character of text) yield literal(character);
}

const HTML_PIECE = /<(\/?)([a-z][a-z0-9-]*)[^<>]*>|&(?:(lt|gt|amp|quot)|#(\d{1,7})|#x([0-9a-f]{1,6}));|./gisu;
const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' };
const LAST_CODE_POINT = 0x10ffff;
/** No further than this is looked for the end of a link: a text of brackets must not cost its square. */
const MAX_LINK_UNITS = 2048;

function* readHtml(text: string): Iterable<Piece> {
  for (const [raw, slash, tag, name, decimal, hex] of text.matchAll(HTML_PIECE)) {
    if (tag !== undefined) {
      yield slash === '/' ? { raw, shown: '', closes: true } : { raw, shown: '', opens: `</${tag}>` };
      continue;
    }
    const code = decimal !== undefined ? Number(decimal) : hex !== undefined ? Number.parseInt(hex, 16) : undefined;
    if (name !== undefined) yield { raw, shown: NAMED[name.toLowerCase()] as string };
    else if (code !== undefined && code <= LAST_CODE_POINT) yield { raw, shown: String.fromCodePoint(code) };
    else yield literal(raw);
  }
}

/** Longest first: two underscores are always an underline. */
const V2_MARKS = ['```', '`', '__', '_', '*', '~', '||'];
const LINK_END_V2 = /(?<!\\)(?:\\\\)*\](\((?:\\.|[^)\\])*\))?/su;

function* readMarkdownV2(text: string): Iterable<Piece> {
  const open: string[] = [];
  for (let at = 0; at < text.length; ) {
    const piece = nextV2(text, at, open.at(-1));
    if (piece.opens !== undefined) open.push(piece.opens);
    if (piece.closes) open.pop();
    at += piece.raw.length;
    yield piece;
  }
}

function nextV2(text: string, at: number, end: string | undefined): Piece {
  if (text[at] === '\\' && isEscapable(text.charCodeAt(at + 1))) {
    return { raw: text.slice(at, at + 2), shown: text.charAt(at + 1) };
  }
  const mark = V2_MARKS.find((candidate) => text.startsWith(candidate, at));
  const inCode = end === '`' || end === '```';
  if (end !== undefined && (inCode || end.startsWith(']')) && text.startsWith(end, at)) {
    return { raw: end, shown: '', closes: true };
  }
  if (inCode) return literal(characterAt(text, at));
  if (mark !== undefined) {
    return mark === end ? { raw: mark, shown: '', closes: true } : { raw: mark, shown: '', opens: mark };
  }
  const bracket = text.startsWith('![', at) ? '![' : text[at] === '[' ? '[' : undefined;
  if (bracket !== undefined) {
    const rest = LINK_END_V2.exec(text.slice(at + bracket.length, at + MAX_LINK_UNITS));
    return { raw: bracket, shown: '', opens: rest?.[1] === undefined ? ']' : `]${rest[1]}` };
  }
  if (text[at] === '>' && (at === 0 || text[at - 1] === '\n')) return { raw: '>', shown: '' };
  return literal(characterAt(text, at));
}

/** The code of any visible or control character of ASCII; past the end of the text it is no number. */
const isEscapable = (code: number): boolean => code >= 1 && code <= 126;

function* readMarkdown(text: string): Iterable<Piece> {
  let end: string | undefined;
  for (let at = 0; at < text.length; ) {
    const piece = nextV1(text, at, end);
    if (piece.opens !== undefined) end = piece.opens;
    if (piece.closes) end = undefined;
    at += piece.raw.length;
    yield piece;
  }
}

/** The old Markdown: no entity inside another, and no escapes inside one. */
function nextV1(text: string, at: number, end: string | undefined): Piece {
  if (end !== undefined) {
    return text.startsWith(end, at) ? { raw: end, shown: '', closes: true } : literal(characterAt(text, at));
  }
  const escaped = /^\\[_*`[]/.exec(text.slice(at, at + 2))?.[0];
  if (escaped !== undefined) return { raw: escaped, shown: escaped.slice(1) };
  const mark = ['```', '`', '_', '*'].find((candidate) => text.startsWith(candidate, at));
  if (mark !== undefined) return { raw: mark, shown: '', opens: mark };
  if (text[at] !== '[') return literal(characterAt(text, at));
  const link = /^[^\]]*(\](?:\([^)]*\))?)/s.exec(text.slice(at + 1, at + MAX_LINK_UNITS))?.[1];
  return link === undefined ? literal('[') : { raw: '[', shown: '', opens: link };
}

const characterAt = (text: string, at: number): string => String.fromCodePoint(text.codePointAt(at) as number);

// Reads marked-up text as the Bot API does, written from its documentation and apart from our own reader of markup.

export type WireParseMode = 'HTML' | 'Markdown' | 'MarkdownV2' | undefined;

export class CannotParse extends Error {}

/** What the reader of the message sees; throws when the Bot API would refuse the markup. */
export function shownText(text: string, mode: WireParseMode): string {
  if (mode === undefined) return text;
  return { HTML: shownHtml, Markdown: shownMarkdown, MarkdownV2: shownMarkdownV2 }[mode](text);
}

const TAGS = ['b', 'strong', 'i', 'em', 'u', 'ins', 's', 'strike', 'del', 'span', 'tg-spoiler', 'a', 'code', 'pre'];
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' };

function shownHtml(text: string): string {
  const open: string[] = [];
  let shown = '';
  for (let at = 0; at < text.length; ) {
    const rest = text.slice(at);
    const entity = /^&(lt|gt|amp|quot|#\d{1,7}|#x[0-9a-fA-F]{1,6});/.exec(rest);
    if (entity) {
      const [raw, name = ''] = entity;
      const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
      shown += name.startsWith('#') ? (code <= 0x10ffff ? String.fromCodePoint(code) : raw) : ENTITIES[name];
      at += raw.length;
    } else if (rest.startsWith('<')) {
      const tag = /^<(\/?)([a-z-]+)(?:\s+[a-z-]+="[^"<>]*")*\s*>/i.exec(rest);
      if (!tag || !TAGS.includes((tag[2] as string).toLowerCase()))
        throw new CannotParse(`Unsupported start tag at ${at}`);
      if (tag[1] !== '/') open.push(tag[2] as string);
      else if (open.pop() !== tag[2]) throw new CannotParse(`Unmatched end tag at ${at}`);
      at += tag[0].length;
    } else {
      shown += text[at++];
    }
  }
  if (open.length > 0) throw new CannotParse(`Can't find end tag corresponding to start tag ${open.at(-1)}`);
  return shown;
}

/** The old Markdown: an entity runs to its end mark, nothing inside it is escaped or nested. */
function shownMarkdown(text: string): string {
  let shown = '';
  for (let at = 0; at < text.length; ) {
    const character = text[at] as string;
    if (character === '\\' && /[_*`[]/.test(text[at + 1] ?? '')) {
      shown += text[at + 1];
      at += 2;
      continue;
    }
    if (!/[_*`[]/.test(character)) {
      shown += character;
      at++;
      continue;
    }
    const mark = text.startsWith('```', at) ? '```' : character;
    const end = mark === '[' ? ']' : mark;
    const endAt = text.indexOf(end, at + mark.length);
    if (endAt < 0) throw new CannotParse(`Can't find end of the entity starting at byte offset ${at}`);
    shown += text.slice(at + mark.length, endAt);
    at = endAt + end.length;
    if (mark === '[' && text[at] === '(') {
      const closes = text.indexOf(')', at);
      at = closes < 0 ? text.length : closes + 1;
    }
  }
  return shown;
}

const RESERVED = '_*[]()~`>#+-=|{}.!';

function shownMarkdownV2(text: string): string {
  const open: string[] = [];
  let shown = '';
  for (let at = 0; at < text.length; ) {
    const character = text[at] as string;
    const top = open.at(-1);
    const inCode = top === '`' || top === '```';
    const next = text.charCodeAt(at + 1);
    if (character === '\\' && next >= 1 && next <= 126) {
      shown += text[at + 1];
      at += 2;
    } else if (inCode ? text.startsWith(top as string, at) : top !== undefined && endsHere(text, at, top)) {
      open.pop();
      at += (top as string).length;
      if (top === ']' && text[at] === '(') at = endOfUrl(text, at);
    } else if (inCode || !RESERVED.includes(character)) {
      shown += character;
      at++;
    } else {
      const mark = markAt(text, at);
      if (mark !== '>') open.push(mark === '[' || mark === '![' ? ']' : mark);
      at += mark.length;
    }
  }
  if (open.length > 0) throw new CannotParse(`Can't find end of ${open.at(-1)} entity`);
  return shown;
}

/** One underscore before another is no end of italics: two are always an underline. */
const endsHere = (text: string, at: number, end: string): boolean =>
  end === '_' ? text[at] === '_' && text[at + 1] !== '_' : text.startsWith(end, at);

function markAt(text: string, at: number): string {
  const mark = ['```', '`', '__', '_', '*', '~', '||', '![', '['].find((candidate) => text.startsWith(candidate, at));
  if (mark !== undefined) return mark;
  if (text[at] === '>' && (at === 0 || text[at - 1] === '\n')) return '>';
  throw new CannotParse(`Character '${text[at]}' is reserved and must be escaped with the preceding '\\'`);
}

function endOfUrl(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === ')') return at + 1;
  }
  throw new CannotParse("Can't find end of a URL");
}

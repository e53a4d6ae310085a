// Turns the HTML of a mail into the lines its reader sees: nothing hidden, nothing executable, nothing quoted.

/** A longer tag is no tag of a mail; the bound keeps a hostile page of open quotes from costing the square of its length. */
const MAX_TAG_CHARS = 2048;

/** What begins like a tag and never ends costs a look at all these characters; a page of such beginnings is no mail, and says nothing. */
const MAX_UNFINISHED_TAGS = 64;

/** Start a new line before and after. */
const BLOCKS = new Set(
  'address article aside body center dd div dl dt fieldset footer form h1 h2 h3 h4 h5 h6 header hr html li main nav ol p pre section table tbody tfoot thead tr ul'.split(
    ' ',
  ),
);
/** Left out with all that is in them: not for reading, or somebody else's words. */
const LEFT_OUT = new Set(
  'blockquote head iframe math noscript object script select style svg template textarea title'.split(' '),
);
/** What stands inside these is text, whatever it looks like. */
const RAW = new Set(['script', 'style', 'textarea', 'title']);
const WITHOUT_END = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));
const HIDDEN_STYLE =
  /(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:px|pt|em|%)?\s*(?:;|["']|!|$))/i;
const HIDDEN_ATTRIBUTE = /\shidden(?=[\s=/]|$)/i;
const QUOTE_CLASS = /\b(?:gmail_quote|yahoo_quoted|protonmail_quote|moz-cite-prefix|zmail_extra)\b/i;
/** Outlook marks the place where the quoted mail begins, and quotes it beside the mark instead of inside it. */
const QUOTE_FOLLOWS = /\bid\s*=\s*["']?(?:divRplyFwdMsg|appendonsend|mail-editor-reference-message-container)\b/i;

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  colon: ':',
  commat: '@',
  gt: '>',
  hellip: '…',
  lcub: '{',
  ldquo: '“',
  lt: '<',
  mdash: '—',
  nbsp: ' ',
  ndash: '–',
  num: '#',
  period: '.',
  plus: '+',
  quot: '"',
  rcub: '}',
  rdquo: '”',
  rsquo: '’',
  sol: '/',
};

interface Tag {
  readonly name: string;
  readonly closing: boolean;
  readonly attributes: string;
  /** Where the text goes on. */
  readonly end: number;
}

export const looksLikeHtml = (text: string): boolean =>
  /^\s*<(?:!doctype|!--|html|head|body|meta|style|div|p|br|table|span|font|center|pre|b|h[1-6]|ul|ol)\b/i.test(text);

export function htmlToText(html: string): string {
  let text = '';
  let at = 0;
  let preformatted = 0;
  let unfinished = 0;
  const add = (part: string): void => {
    text += preformatted > 0 ? part : part.replace(/\s+/g, ' ');
  };
  // Behind the last ">" there can be no tag.
  const lastEnd = html.lastIndexOf('>');
  while (at <= lastEnd) {
    const open = html.indexOf('<', at);
    if (open < 0 || open > lastEnd) break;
    add(decodeEntities(html.slice(at, open)));
    if (html.startsWith('<!--', open)) {
      at = after(html, '-->', open + 4);
      continue;
    }
    const tag = tagAt(html, open);
    if (tag === undefined) {
      // A lone "<" is text; "<!doctype" and "<?xml" are not.
      const isMarkup = /[!?]/.test(html[open + 1] ?? '');
      if (/[a-z]/i.test(html[open + 1] ?? '') && ++unfinished > MAX_UNFINISHED_TAGS) return '';
      if (!isMarkup) add('<');
      at = isMarkup ? after(html, '>', open) : open + 1;
      continue;
    }
    if (!tag.closing && QUOTE_FOLLOWS.test(tag.attributes)) return tidy(text);
    if (!tag.closing && isLeftOut(tag)) {
      at = endOf(html, tag);
      text += '\n';
      continue;
    }
    if (tag.name === 'pre') preformatted = Math.max(0, preformatted + (tag.closing ? -1 : 1));
    if (tag.name === 'br' || BLOCKS.has(tag.name)) text += '\n';
    else if (!tag.closing && (tag.name === 'td' || tag.name === 'th')) text += ' ';
    at = tag.end;
  }
  add(decodeEntities(html.slice(at).replace(/<!--[\s\S]*$/, '')));
  return tidy(text);
}

function tagAt(html: string, open: number): Tag | undefined {
  const head = /<(\/?)([A-Za-z][A-Za-z0-9:-]{0,40})/y;
  head.lastIndex = open;
  const match = head.exec(html);
  if (!match) return undefined;
  let quote = '';
  const limit = Math.min(html.length, open + MAX_TAG_CHARS);
  for (let i = head.lastIndex; i < limit; i++) {
    const char = html[i] as string;
    if (quote !== '') {
      if (char === quote) quote = '';
    } else if (char === '"' || char === "'") quote = char;
    else if (char === '>') {
      const name = (match[2] as string).toLowerCase();
      return { name, closing: match[1] === '/', attributes: html.slice(head.lastIndex, i), end: i + 1 };
    }
  }
  return undefined;
}

function isLeftOut({ name, attributes }: Tag): boolean {
  if (LEFT_OUT.has(name)) return true;
  if (WITHOUT_END.has(name)) return false;
  return (
    HIDDEN_STYLE.test(attributes) ||
    QUOTE_CLASS.test(attributes) ||
    HIDDEN_ATTRIBUTE.test(attributes.replace(/"[^"]*"|'[^']*'/g, ''))
  );
}

/** Where an element ends, its inner elements of the same name included; one that never ends takes the rest with it. */
function endOf(html: string, tag: Tag): number {
  if (RAW.has(tag.name)) return after(html, '>', afterName(html, tag));
  const same = new RegExp(`<(/?)${tag.name}(?=[\\s/>])`, 'gi');
  same.lastIndex = tag.end;
  for (let depth = 1, match = same.exec(html); match !== null; match = same.exec(html)) {
    depth += match[1] === '/' ? -1 : 1;
    if (depth === 0) return after(html, '>', match.index);
  }
  return html.length;
}

function afterName(html: string, tag: Tag): number {
  const close = new RegExp(`</${tag.name}(?=[\\s/>])`, 'gi');
  close.lastIndex = tag.end;
  return close.exec(html)?.index ?? html.length;
}

function after(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from);
  return found < 0 ? html.length : found + mark.length;
}

function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, (whole, digits, hex, name) => {
    if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
    const code = Number.parseInt(digits ?? hex, digits === undefined ? 16 : 10);
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : '�';
  });
}

const tidy = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();

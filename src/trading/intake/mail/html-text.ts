// Turns the HTML of a mail into the lines its reader sees: nothing hidden, nothing executable, nothing quoted.

import { Parser } from 'htmlparser2';

/**
 * Elements inside one another. Mail programs nest tables some dozens deep; the parser looks through all open elements
 * at every tag, so that a page of nothing but beginnings would cost the square of its length. It says nothing instead.
 */
const MAX_DEPTH = 256;

/** These start a new line before and after themselves. */
const BLOCKS = new Set(
  'address article aside body center dd div dl dt fieldset footer form h1 h2 h3 h4 h5 h6 header html li main nav ol p pre section table tbody tfoot thead tr ul'.split(
    ' ',
  ),
);
/** Left out with all that is in them: not for reading, or somebody else's words. */
const LEFT_OUT = new Set(
  'blockquote head iframe math noembed noframes noscript object script select style svg template textarea title'.split(
    ' ',
  ),
);
const HIDDEN_STYLE = /display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:px|pt|em|%)?\s*(?:;|!|$)/i;
const QUOTE_CLASS = /\b(?:gmail_quote|yahoo_quoted|protonmail_quote|moz-cite-prefix|zmail_extra)\b/i;
/** Outlook marks the place where the quoted mail begins, and quotes it beside the mark instead of inside it. */
const QUOTE_FOLLOWS = /^(?:divRplyFwdMsg|appendonsend|mail-editor-reference-message-container)\b/i;

type Attributes = Readonly<Record<string, string>>;

export const looksLikeHtml = (text: string): boolean =>
  /^\s*<(?:!doctype|!--|html|head|body|meta|style|div|p|br|table|span|font|center|pre|b|h[1-6]|ul|ol)\b/i.test(text);

export function htmlToText(html: string): string {
  const lines = new VisibleLines();
  const parser = new Parser({
    onopentag(name, attributes) {
      // What follows is not for us: a quoted mail, or a page that is no mail.
      if (!lines.open(name, attributes)) parser.pause();
    },
    onclosetag: (name) => lines.close(name),
    ontext: (text) => lines.add(text),
  });
  parser.end(html);
  return lines.text();
}

/** Collects what is shown, as elements open and close. */
class VisibleLines {
  #text = '';
  /** Words since the last tag; the parser hands them over in pieces. */
  #words = '';
  #depth = 0;
  /** The depth of the element that is left out now, or 0. */
  #leftOutAt = 0;
  #preformatted = 0;

  /** False when nothing further is to be read. */
  open(name: string, attributes: Attributes): boolean {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) {
      this.#text = this.#words = '';
      return false;
    }
    if (this.#leftOutAt > 0) return true;
    this.#endWords();
    if (QUOTE_FOLLOWS.test(attributes.id ?? '')) return false;
    if (isLeftOut(name, attributes)) this.#leftOutAt = this.#depth;
    if (name === 'pre') this.#preformatted += 1;
    if (BLOCKS.has(name) || name === 'br' || name === 'hr') this.#text += '\n';
    else if (name === 'td' || name === 'th') this.#text += ' ';
    return true;
  }

  close(name: string): void {
    const isSeen = this.#leftOutAt === 0;
    const endsLeftOut = this.#leftOutAt === this.#depth;
    this.#depth -= 1;
    if (!isSeen && !endsLeftOut) return;
    this.#endWords();
    this.#leftOutAt = 0;
    if (name === 'pre') this.#preformatted -= 1;
    if (BLOCKS.has(name) || endsLeftOut) this.#text += '\n';
  }

  add(text: string): void {
    if (this.#leftOutAt === 0) this.#words += text;
  }

  text(): string {
    this.#endWords();
    return tidy(this.#text);
  }

  #endWords(): void {
    const words = this.#words.replaceAll('\u00a0', ' ');
    this.#text += this.#preformatted > 0 ? words : words.replace(/\s+/g, ' ');
    this.#words = '';
  }
}

const isLeftOut = (name: string, { style = '', class: classes = '', id = '', hidden }: Attributes): boolean =>
  LEFT_OUT.has(name) || hidden !== undefined || HIDDEN_STYLE.test(style) || QUOTE_CLASS.test(`${classes} ${id}`);

const tidy = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();

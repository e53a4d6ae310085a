// Escapes values for the parse modes of a chat: a value is shown as it is and never becomes markup.

import type { ParseMode } from '../signal.ts';

const HTML_NAMES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const MARKDOWN_V2_RESERVED = /[_*[\]()~`>#+\-=|{}.!\\]/g;
const MARKDOWN_RESERVED = /[_*`[]/g;
/** Takes no room on the screen. */
const ZERO_WIDTH = '\u200b';

export const escapeHtml = (value: string): string =>
  value.replace(/[&<>"']/g, (character) => HTML_NAMES[character] as string);

/** Every reserved character, and the backslash: so it is right in text, in links and in code alike. */
const escapeMarkdownV2 = (value: string): string => value.replace(MARKDOWN_V2_RESERVED, '\\$&');

/** The old Markdown cannot escape a backslash: one at the end would swallow what the template has next. */
const escapeMarkdown = (value: string): string =>
  value.replace(MARKDOWN_RESERVED, '\\$&').replace(/\\$/, `\\${ZERO_WIDTH}`);

/** Embeddings, overrides and isolates: they make letters show in another order than they are written in. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;

/** What a sender wrote, without the signs that turn around how it is read. */
export const inReadingOrder = (text: string): string => text.replace(TURNS, '');

const ESCAPES: Readonly<Record<ParseMode, (value: string) => string>> = {
  Plain: (value) => value,
  HTML: escapeHtml,
  Markdown: escapeMarkdown,
  MarkdownV2: escapeMarkdownV2,
};

export const escapeFor = (mode: ParseMode, value: string): string => ESCAPES[mode](value);

// Text made safe for a page: names of scripts, orders and markets come from other people.

const SIGNS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export const escaped = (text: string): string =>
  // Signs that turn the order of letters around are no part of a name.
  text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '·').replace(/[&<>"']/g, (sign) => SIGNS[sign] ?? sign);

/** A piece of page that needs no more escaping. */
export interface Markup {
  readonly html: string;
}

type Value = string | number | Markup | readonly Markup[];

/** Escapes every value that is not markup already. */
export function html(pieces: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return { html: pieces.map((piece, index) => piece + (index < values.length ? textOf(values[index]!) : '')).join('') };
}

function textOf(value: Value): string {
  if (typeof value === 'string') return escaped(value);
  if (typeof value === 'number') return String(value);
  return 'html' in value ? value.html : value.map((part) => part.html).join('');
}

/** Text that was made here and holds nothing of anybody else. */
export const own = (text: string): Markup => ({ html: text });

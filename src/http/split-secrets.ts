// Secrets that stand in a text in pieces: cut by a line end, an escape, a quote or the frame of an HTTP chunk.

const MASK = '***';
/** A shorter piece of a secret helps nobody to guess the rest. */
export const MIN_FRAGMENT_CHARS = 8;

/** Strikes out every piece of a secret that is known by heart. */
export function createFragmentStriker(secrets: readonly string[]): (text: string) => string {
  const pieces = new Set<string>();
  for (const secret of secrets)
    for (let at = 0; at + MIN_FRAGMENT_CHARS <= secret.length; at += 1)
      pieces.add(secret.slice(at, at + MIN_FRAGMENT_CHARS));
  const isPiece = (text: string, at: number): boolean => pieces.has(text.slice(at, at + MIN_FRAGMENT_CHARS));
  return (text) => {
    if (pieces.size === 0) return text;
    let struck = '';
    let copiedTo = 0;
    for (let at = 0; at + MIN_FRAGMENT_CHARS <= text.length; at += 1) {
      if (!isPiece(text, at)) continue;
      struck += `${text.slice(copiedTo, at)}${MASK}`;
      while (isPiece(text, at + 1)) at += 1;
      copiedTo = at + MIN_FRAGMENT_CHARS;
      at = copiedTo - 1;
    }
    return struck + text.slice(copiedTo);
  };
}

/** How our own keys begin, and how many characters follow. */
const OWN_KEY = /whk_|pyn_|(?<![A-Za-z0-9])pn_/g;
const KEY_CHARS: Readonly<Record<string, number>> = { whk_: 43, pyn_: 43, pn_: 48 };
const KEY_CHAR = /[A-Za-z0-9_-]/;
/** Here the value of a field ends, and so does a key that is shorter than ours are. */
const FIELD_END = /[,:={}[\]&]/;

/**
 * Strikes out a key of ours also when something stands in its midst: from its beginning on as many characters as it has
 * are taken, whatever is between them, and the rest of the word in which the last one stands.
 */
export function strikeSplitKeys(text: string): string {
  return text.includes('n_') || text.includes('whk_') ? struckFrom(text) : text;
}

function struckFrom(text: string): string {
  let struck = '';
  let copiedTo = 0;
  for (const { 0: prefix, index } of text.matchAll(OWN_KEY)) {
    if (index < copiedTo) continue;
    const from = index + prefix.length;
    const end = endOfKey(text, from, KEY_CHARS[prefix] ?? 0);
    if (end - from < MIN_FRAGMENT_CHARS) continue;
    struck += `${text.slice(copiedTo, from)}${MASK}`;
    copiedTo = end;
  }
  return struck + text.slice(copiedTo);
}

/** Behind the last character that belongs to the key. */
function endOfKey(text: string, from: number, length: number): number {
  let end = from;
  let taken = 0;
  for (let at = from; at < text.length; at += 1) {
    const char = text[at] as string;
    if (KEY_CHAR.test(char)) {
      taken += 1;
      end = at + 1;
    } else if (taken >= length || FIELD_END.test(char)) break;
  }
  return end;
}

// Cuts the first list of a JSON text into its items, each as the bytes it was written with.

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Of sound JSON only. Written as they are, because a number may not survive being read and written again. */
export function itemsOf(json: Uint8Array): Uint8Array[] {
  const items: Uint8Array[] = [];
  let level = 0;
  let listLevel = 0;
  let start = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) {
      at += 1;
      while (json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
    } else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      level += 1;
      if (byte === OPEN_BRACKET && listLevel === 0) [listLevel, start] = [level, at + 1];
    } else if (level === listLevel && (byte === COMMA || byte === CLOSE_BRACKET)) {
      if (listLevel === 0) continue;
      // Copied, so that each can be handed on for itself.
      items.push(new Uint8Array(json.subarray(start, at)));
      start = at + 1;
      if (byte === CLOSE_BRACKET) return items;
    } else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) level -= 1;
  }
  return items;
}

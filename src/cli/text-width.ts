// How many columns of a terminal a text takes.

const MARK = /\p{M}/u;
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** Letters of East Asia and pictures take two, marks that sit on a letter none. */
export function textWidth(text: string): number {
  let columns = 0;
  for (const char of text) if (!MARK.test(char)) columns += WIDE.test(char) ? 2 : 1;
  return columns;
}

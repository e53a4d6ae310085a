// A text as a cell of a CSV file. Texts are other people's: none may be taken for a formula by a spreadsheet.

/** A sign before letters is a name such as "-SX"; before a call or a command it is a formula. */
const FORMULA = /^[\s;]*[=@＝＠]|^[\s;]*[+\-＋－].*[(|!]|^[\t\r\n;]/;

export function csvText(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",;\t\r\n]|^\s|\s$/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

// A text as a cell of a CSV file. Texts are other people's: none may be taken for a formula by a spreadsheet, whether it parts the
// cells at commas, semicolons or tabs. The files of the gateway and of the dashboard are written by the same rule.

/**
 * What is a formula at the beginning of a cell, also behind blanks, which some cut off; signs of full width are the same to others.
 * A cell begins behind each semicolon, tab and line break too: quotes hold a text together only for a program that parts the cells
 * at commas, since for the others they stand in the midst of a cell. The quotes themselves are no beginning: they may be taken away.
 */
const FORMULA = /(?<=^|[;\t\r\n])(?=(?:[^\S\t\r\n]|")*[=+\-@＝＋－＠])/g;
/** The same, where a sign is the beginning of a name. */
const FORMULA_OF_NAME = /(?<=^|[;\t\r\n])(?=(?:[^\S\t\r\n]|")*[=@＝＠])/g;
/** A sign before letters is a name such as "-DI"; with a call or a command behind it, it is a formula. */
const CALL = /[(|!（｜！]/;
const NEEDS_QUOTES = /[",;\t\r\n]|^\s|\s$/;

export const csvText = (text: string): string => quoted(text.replace(FORMULA, "'"));

/** A name that a script gives to a plot, an order or an input: programs look for "-DI" as it is. */
export const csvName = (name: string): string =>
  CALL.test(name) ? csvText(name) : quoted(name.replace(FORMULA_OF_NAME, "'"));

const quoted = (text: string): string => (NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

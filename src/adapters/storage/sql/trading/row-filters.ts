// Conditions that several lists have.

/** Whether a column is one of the words in a text with commas between them. */
export const isOneOf = (words: string, column: string): string =>
  `instr(',' || ${words} || ',', ',' || ${column} || ',') > 0`;

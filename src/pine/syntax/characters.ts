// Which characters make which tokens: the language's alphabet, by character code.

export const TAB = 9;
export const LINE_FEED = 10;
export const CARRIAGE_RETURN = 13;
export const SPACE = 32;
export const DOUBLE_QUOTE = 34;
export const HASH = 35;
export const APOSTROPHE = 39;
export const DOT = 46;
export const SLASH = 47;
export const BACKSLASH = 92;
/** White space between brackets, as text copied from a web page has it, and a mistake elsewhere. */
export const NO_BREAK_SPACE = 0xa0;
/** The space of Chinese and Japanese keyboards: nothing in front of a comment, and a mistake elsewhere. */
export const FULL_WIDTH_SPACE = 0x3000;
export const BYTE_ORDER_MARK = 0xfeff;

export const isDigit = (code: number): boolean => code >= 48 && code <= 57;
export const isNewline = (code: number): boolean => code === LINE_FEED || code === CARRIAGE_RETURN;

/** Names are plain ASCII in Pine: letters, digits and the underscore. */
export const isNameStart = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95;
export const isNamePart = (code: number): boolean => isNameStart(code) || isDigit(code);

/** Letters of other alphabets; they cannot stand in a name, but a word of them is one mistake, not one per letter. */
export const isForeignLetter = (code: number): boolean => code > 127 && !isForeignSpace(code) && !isForeignQuote(code);

/** Quotes as text editors and web pages set them. */
export const isForeignQuote = (code: number): boolean =>
  (code >= 0x2018 && code <= 0x201f) || code === 0xab || code === 0xbb;

/** White space that is no white space here. */
export const isForeignSpace = (code: number): boolean =>
  code === NO_BREAK_SPACE ||
  (code >= 0x2000 && code <= 0x200f) ||
  code === 0x2028 ||
  code === 0x2029 ||
  code === FULL_WIDTH_SPACE ||
  code === BYTE_ORDER_MARK;

// The letters A to Z in small ones, and no others: so both engines compare names and search, whatever the language.

/** As `lower()` of SQL does on both engines; what JavaScript lowers beyond it (Ä, П) would not be found there. */
export const sameCase = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

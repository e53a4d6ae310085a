// Words of others, made fit for an answer, a log and an alarm: one short line, without addresses and without what looks like a secret.

const MAX_CHARS = 300;
/** A signed address holds the signature. */
const ADDRESS = /\b(?:https?|wss?):\/\/\S+/gi;
/** Signatures, most keys and the names of private streams. Names and ids of orders have at most 36 signs. */
const SECRET = /[\w+/=%-]{40,}/g;
const NO_LINE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\s]+/gu;

/** What stands where something was taken out. */
export const HIDDEN = '…';

export const plainWords = (text: string): string =>
  text.replace(NO_LINE, ' ').replace(ADDRESS, HIDDEN).replace(SECRET, HIDDEN).trim().slice(0, MAX_CHARS).toWellFormed();

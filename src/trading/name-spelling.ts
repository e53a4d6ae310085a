// How the names people give are spelled, so that an alert or a strategy is the same one by whichever door its name comes.
//
// On their way names lose and gain what nobody sees: templates leave two blanks where a placeholder was empty, editors put in
// non-breaking blanks and zero-width signs, and "é" has two spellings. The id of an alert is only compared, so all spellings of it
// are one. The name of a strategy is what its exit must find: it is never rewritten, and one that could be mistaken for another is
// refused when it opens something.

/** Shown in lists and chats: one line, nothing that moves a cursor. */
export const ONE_LINE = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u;
const INVISIBLE = /[\p{Cf}\p{DI}]/u;
const IS_INVISIBLE = /^[\p{Cf}\p{DI}]$/u;
/**
 * Emoji such as families and flags are held together by invisible signs, which are a part of them. Node takes as long to
 * read this pattern as to start, so it is a text here, which is read for the first name that needs it and not at every start.
 */
const EMOJI_OR_INVISIBLE = String.raw`\p{RGI_Emoji}|[\p{Cf}\p{DI}]`;
let emojiOrInvisible: RegExp | undefined;
/** The empty pattern of braille and the fillers of Hangul are letters that look like blanks. */
const BLANKS = /[\p{Zs}\u2800\u3164\uffa0]+/gu;
/** What mail programs and templates leave at the ends of a value. */
const END_SIGN = /[\s\u00ad\u200b-\u200d\u2060]/;

/** Without what nobody sees at its ends. Steps from both ends, because a pattern would look at long runs of blanks again and again. */
export function trimName(name: string): string {
  let [start, end] = [0, name.length];
  while (start < end && END_SIGN.test(name.charAt(start))) start++;
  while (end > start && END_SIGN.test(name.charAt(end - 1))) end--;
  return name.slice(start, end);
}

function withoutInvisible(name: string): string {
  if (!INVISIBLE.test(name)) return name;
  emojiOrInvisible ??= new RegExp(EMOJI_OR_INVISIBLE, 'gv');
  return name.replace(emojiOrInvisible, (sign) => (IS_INVISIBLE.test(sign) ? '' : sign));
}

const plainBlanks = (name: string): string => withoutInvisible(name.replace(BLANKS, ' ')).replace(BLANKS, ' ').trim();

/** The one spelling of a name that is only compared: single blanks, no invisible signs, composed letters. */
export const plainName = (name: string): string => plainBlanks(name).normalize('NFC');

/** Dots are steps in the path of an address: nothing there could name what is called so. */
const PATH_STEPS: ReadonlySet<string> = new Set(['.', '..']);

/** Why nothing should be called so that is found by its name, with the remedy; undefined for a good name. */
export function nameFault(name: string): string | undefined {
  if (PATH_STEPS.has(name)) return 'consists of dots that no address can name, send a name with letters';
  if (plainBlanks(name) !== name)
    return 'has blanks beside each other, blanks that are not plain ones or signs that nobody sees, type it anew with single blanks';
  return undefined;
}

/** The same of a strategy, whose name is never rewritten. */
export function strategyNameFault(name: string): string | undefined {
  const fault = nameFault(name);
  if (fault !== undefined) return fault;
  if (name.normalize('NFC') !== name)
    return 'has a letter and its accent as two signs, type it anew with letters that are one sign each';
  return undefined;
}

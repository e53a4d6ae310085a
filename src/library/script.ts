// What a stored script is: its record, what its fields may hold, and why each limit is where it is.

/** What a client writes; the rest of a record is ours. */
export interface ScriptText {
  readonly name: string;
  readonly description?: string | undefined;
  /** Where the client keeps it, such as a path in a repository. Kept as given, and never opened by us. */
  readonly path?: string | undefined;
  readonly content: string;
}

/** One revision of a script, the current one or an earlier one. */
export interface Script extends ScriptText {
  readonly id: string;
  /** Counts the saves of this id from 1, and goes on where it was when a deleted id is used again. */
  readonly revision: number;
  readonly createdAtMs: number;
  /** When this revision was saved. */
  readonly updatedAtMs: number;
}

/** A script without its text, as lists show it: a page of full ones could weigh 25 MiB. */
export interface ScriptSummary extends Omit<Script, 'content'> {
  /** In UTF-8. */
  readonly contentBytes: number;
}

/** What a user is writing and has not saved under a name yet. There is one of them, and it has no versions. */
export interface Draft extends Omit<Script, 'id' | 'name'> {
  readonly name?: string | undefined;
}

export type DraftText = Omit<ScriptText, 'name'> & Pick<Draft, 'name'>;

/** 256 KiB in UTF-8, what a run accepts: a larger script could be kept but never used. */
export const MAX_CONTENT_BYTES = 262_144;
export const MAX_SCRIPTS_PER_USER = 1000;
/** With the current revision among them. */
export const KEPT_VERSIONS = 50;
/**
 * 512 MiB of contents, all versions together: a thousand scripts of 10 KiB with fifty versions each. What the limits
 * above would let one user store is 12.5 GiB, and nobody has written that much Pine.
 */
export const MAX_STORED_BYTES_PER_USER = 512 * 1024 * 1024;
/** Of how many deleted ids a user's library still knows the revision; see ScriptStore. */
export const KEPT_RETIRED_IDS = 1000;
/** These four are long enough for what people write there, and keep a page of a list below 2 MiB. */
export const MAX_ID_CHARS = 64;
export const MAX_NAME_CHARS = 200;
export const MAX_DESCRIPTION_CHARS = 4000;
export const MAX_PATH_CHARS = 512;

/** It goes into addresses as it is; names that begin with an underscore, such as _draft, are ours. */
const ID = new RegExp(`^[A-Za-z0-9][A-Za-z0-9._-]{0,${MAX_ID_CHARS - 1}}$`);
const CONTROL = /\p{Cc}/u;
const DOTS_ONLY_STEP = /(^|\/)\.{1,2}(\/|$)/;

/** A field whose value cannot be kept; the reason names the remedy. */
export interface FieldFault {
  readonly field: 'id' | 'name' | 'description' | 'path' | 'content';
  readonly reason: string;
}

export const isScriptId = (id: string): boolean => ID.test(id);

export function idFaults(id: string): FieldFault[] {
  if (isScriptId(id)) return [];
  const reason = `id has 1 to ${MAX_ID_CHARS} of the characters A-Z a-z 0-9 . _ - and begins with a letter or digit; leave it out to get one.`;
  return [{ field: 'id', reason }];
}

/** What a field must be, said to whoever sent something else. */
const RULES: readonly (readonly [keyof ScriptText, (value: string) => boolean, string])[] = [
  ['name', isName, `1 to ${MAX_NAME_CHARS} characters, not only blanks and no control characters; correct it.`],
  [
    'description',
    (text) => text.length <= MAX_DESCRIPTION_CHARS,
    `at most ${MAX_DESCRIPTION_CHARS} characters; shorten it.`,
  ],
  [
    'path',
    isPath,
    `1 to ${MAX_PATH_CHARS} characters, / between its steps, no step . or .. and no control characters; correct it.`,
  ],
  ['content', () => true, ''],
];

/** Everything that is wrong with the fields, one fault for each, but for the size of the content. */
export function textFaults(text: DraftText): FieldFault[] {
  const faults: FieldFault[] = [];
  for (const [field, allows, rule] of RULES) {
    const value = text[field];
    if (value === undefined) continue;
    if (!isStorable(value))
      faults.push({
        field,
        reason: `${field} holds a NUL or half of a character (a lone surrogate), which cannot be kept exactly; remove it.`,
      });
    else if (!allows(value)) faults.push({ field, reason: `${field} has ${rule}` });
  }
  return faults;
}

export function isContentTooLarge(content: string): boolean {
  // A UTF-16 unit takes at least one byte, so a huge text needs no counting.
  return content.length > MAX_CONTENT_BYTES || Buffer.byteLength(content) > MAX_CONTENT_BYTES;
}

function isName(name: string): boolean {
  return name.length <= MAX_NAME_CHARS && name.trim() !== '' && !CONTROL.test(name);
}

/** Whoever writes scripts out as files one day must not be led out of their folder. */
function isPath(path: string): boolean {
  const fits = path !== '' && path.length <= MAX_PATH_CHARS;
  return fits && !path.includes('\\') && !CONTROL.test(path) && !DOTS_ONLY_STEP.test(path);
}

/** Databases keep UTF-8 and some end a text at a NUL: what would come back changed is refused, not mended. */
function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

// What a published library is: one numbered version of a Pine library that never changes, and why each limit is where it is.

import type { LibraryName } from '../pine/light.ts';

/** Without its source, as lists show it. */
export interface PublicationSummary extends LibraryName {
  /** SHA-256 of the source in UTF-8, in hex. */
  readonly digest: string;
  readonly publishedAtMs: number;
  /** The script it was published from, which may have changed or be gone since; null of code that came as it is. */
  readonly scriptId: string | null;
  readonly revision: number | null;
  /** What it imports itself, as `publisher/Name/1`. */
  readonly imports: readonly string[];
  /** In UTF-8. */
  readonly contentBytes: number;
}

export interface Publication extends PublicationSummary {
  readonly source: string;
}

/** Publishers of one's own libraries who say nothing are called so in imports. */
export const OWN_PUBLISHER = 'me';

/** More than anybody has written and brought over; each has its source. */
export const MAX_PUBLICATIONS_PER_USER = 1000;
/** Of how many withdrawn versions it is still known which code they were; the number stays theirs as long. */
export const KEPT_WITHDRAWN = 1000;
/** Whoever publishes every minute for a year has not reached it. */
export const MAX_VERSION = 999_999;
export const MAX_PUBLISHER_CHARS = 64;

/** As an import can be written: the language reads no publisher that begins with a digit. */
const PUBLISHER = new RegExp(`^[A-Za-z_][A-Za-z0-9_-]{0,${MAX_PUBLISHER_CHARS - 1}}$`);

export const isPublisher = (text: string): boolean => PUBLISHER.test(text);
export const isVersion = (version: number): boolean =>
  Number.isInteger(version) && version >= 1 && version <= MAX_VERSION;

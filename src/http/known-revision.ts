// Which revision a client says it knows: in If-Match, in the body or in the address, and all of them must agree.

import type { KitContext } from './context.ts';

/** 0 where the client knows that nothing is there, `present` where it knows only that something is; undefined where it says nothing. */
export type KnownRevision = number | 'present' | undefined;

/** The refusal of the service whose endpoint it is, with these words. */
type Refuse = (words: string) => Error;

/** "3", W/"3" and 3 all name revision 3: proxies weaken tags, and charting clients send the bare number. */
const TAG = /^(?:W\/)?"(\d{1,15})"$|^(\d{1,15})$/;
const DIGITS = /^\d{1,15}$/;

export const revisionTag = (revision: number): string => `"${revision}"`;

export function knownRevision(c: KitContext, inBody: number | string | undefined, refuse: Refuse): KnownRevision {
  const named = new Set<KnownRevision>();
  const ifMatch = c.req.header('if-match');
  if (ifMatch !== undefined) named.add(revisionIn(ifMatch.trim(), refuse));
  const ifNoneMatch = c.req.header('if-none-match');
  if (ifNoneMatch !== undefined) named.add(absenceIn(ifNoneMatch.trim(), refuse));
  const inAddress = c.req.query('revision');
  if (inAddress !== undefined) named.add(revisionOf(inAddress, refuse));
  if (inBody !== undefined) named.add(Number(inBody));
  if (named.size > 1) throw refuse('revision: If-Match and revision say different things; send one of them');
  return [...named][0];
}

function revisionIn(ifMatch: string, refuse: Refuse): KnownRevision {
  if (ifMatch === '*') return 'present';
  const found = TAG.exec(ifMatch);
  if (found === null) throw refuse('If-Match: send one revision, such as "3", or *');
  return Number(found[1] ?? found[2]);
}

/** The usual way to say: only if there is nothing yet. Taking it for no condition would overwrite what it protects. */
function absenceIn(ifNoneMatch: string, refuse: Refuse): KnownRevision {
  if (ifNoneMatch === '*') return 0;
  throw refuse('If-None-Match: send * to write only where nothing is, or If-Match with a revision');
}

function revisionOf(text: string, refuse: Refuse): number {
  if (DIGITS.test(text)) return Number(text);
  throw refuse('revision: is no revision, send the number that it was read with');
}

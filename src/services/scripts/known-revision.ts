// Which revision a client says it knows: in If-Match, in the body or in the address, and all of them must agree.

import type { KitContext } from '../../http/context.ts';
import type { KnownRevision } from '../../library/scripts.ts';
import { refusal } from './refusal.ts';

/** "3", W/"3" and 3 all name revision 3: proxies weaken tags, and charting clients send the bare number. */
const TAG = /^(?:W\/)?"(\d{1,15})"$|^(\d{1,15})$/;
const DIGITS = /^\d{1,15}$/;

export const revisionTag = (revision: number): string => `"${revision}"`;

export function knownRevision(c: KitContext, inBody: number | string | undefined): KnownRevision {
  const named = new Set<KnownRevision>();
  const ifMatch = c.req.header('if-match');
  if (ifMatch !== undefined) named.add(revisionIn(ifMatch.trim()));
  const ifNoneMatch = c.req.header('if-none-match');
  if (ifNoneMatch !== undefined) named.add(absenceIn(ifNoneMatch.trim()));
  const inAddress = c.req.query('revision');
  if (inAddress !== undefined) named.add(revisionOf(inAddress));
  if (inBody !== undefined) named.add(Number(inBody));
  if (named.size > 1)
    throw refusal('INVALID_FIELD', 'revision: If-Match and revision say different things; send one of them');
  return [...named][0];
}

function revisionIn(ifMatch: string): KnownRevision {
  if (ifMatch === '*') return 'present';
  const found = TAG.exec(ifMatch);
  if (found === null) throw refusal('INVALID_FIELD', 'If-Match: send one revision, such as "3", or *');
  return Number(found[1] ?? found[2]);
}

/** The usual way to say: only if there is nothing yet. Taking it for no condition would overwrite what it protects. */
function absenceIn(ifNoneMatch: string): KnownRevision {
  if (ifNoneMatch === '*') return 0;
  throw refusal('INVALID_FIELD', 'If-None-Match: send * to write only where nothing is, or If-Match with a revision');
}

function revisionOf(text: string): number {
  if (DIGITS.test(text)) return Number(text);
  throw refusal('INVALID_FIELD', 'revision: is no revision, send the number that the script was read with');
}

// Receives and reads the large bodies of this service; together they may take so much memory and no more.

import type { KitContext } from '../../http/context.ts';
import { readBodyPieces } from '../../http/read-body.ts';
import type { ParsePieces } from './body-reader.ts';
import { refusal } from './refusal.ts';

/** The contract's: 50,000 bars with all their digits and a script fit in. */
export const LARGE_BODY_LIMIT_BYTES = 16 * 1024 * 1024;
/** Sixteen of the largest: a machine that trades has this much to spare, and not all that strangers may send. */
const MAX_BYTES_TOGETHER = 16 * LARGE_BODY_LIMIT_BYTES;
/** What a body counts that does not say its length: as many of them as scripts may wait, and none is as large as a rule. */
const UNDECLARED_BYTES = LARGE_BODY_LIMIT_BYTES / 4;
/** A body that is still coming after some seconds comes over a slow line; most others are gone by then. */
const RETRY_AFTER_S = '2';

/** The body of a request as JSON, or the refusal thrown. */
export type ReadLarge = (c: KitContext) => Promise<unknown>;

export function createLargeBodies(parse: ParsePieces, maxBytesTogether = MAX_BYTES_TOGETHER): ReadLarge {
  let promised = 0;
  return async (c) => {
    const bytes = declaredBytes(c);
    if (promised + bytes > maxBytesTogether)
      throw refusal('BUSY', 'too many large requests are on their way; try again in a moment', {
        headers: { 'retry-after': RETRY_AFTER_S },
      });
    promised += bytes;
    try {
      return await parse(await readBodyPieces(c, LARGE_BODY_LIMIT_BYTES));
    } finally {
      promised -= bytes;
    }
  };
}

function declaredBytes(c: KitContext): number {
  const declared = Number(c.req.header('content-length') ?? Number.NaN);
  return declared >= 0 ? Math.min(declared, LARGE_BODY_LIMIT_BYTES) : UNDECLARED_BYTES;
}

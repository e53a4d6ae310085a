// Where a caller may put its API key: Authorization: Bearer or ApiKey, else the query parameter api_key.

import type { KitContext } from '../../http/context.ts';

const AUTHORIZATION = /^(?:bearer|apikey) +(\S+) *$/i;

/** The header counts before the query: an address is copied around more easily, and may be an old one. */
export function presentedKey(c: KitContext): string | undefined {
  const inHeader = AUTHORIZATION.exec(c.req.header('authorization') ?? '')?.[1];
  return inHeader ?? (c.req.query('api_key') || undefined);
}

// Who changed what, for the audit: the change itself, and the name of whoever asked for it over HTTP.

import type { KitContext } from './context.ts';

/** Writes down who changed what, after it is done; the values never hold a secret. Must not throw. */
export type Audit = (change: {
  readonly actor: string;
  readonly setting: string;
  readonly before: object | null;
  readonly after: object | null;
}) => void;

/** Clients name themselves (the command line does); the address is ours to say. */
export function actorOf(c: KitContext): string {
  const name = c.req.header('x-signalbox-actor');
  return `${name !== undefined && /^[a-z0-9-]{1,32}$/.test(name) ? name : 'api'} ${c.var.clientAddress}`;
}

// What the /admin endpoints share: the shape of their answers, and who is said to have changed something.

import type { KitContext } from '../../http/context.ts';

export const TAGS = ['Admin'];
export const shaped = { code: 'INVALID_PAYLOAD' };

export const answer = (c: KitContext, result: unknown, status: 200 | 201 = 200): Response =>
  c.json({ success: true, requestId: c.var.requestId, result }, status);

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

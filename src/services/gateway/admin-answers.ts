// What the /admin endpoints share: the shape of their answers, and where they stand in the description.

import type { KitContext } from '../../http/context.ts';

export const TAGS = ['Admin'];
export const shaped = { code: 'INVALID_PAYLOAD' };

export const answer = (c: KitContext, result: unknown, status: 200 | 201 = 200): Response =>
  c.json({ success: true, requestId: c.var.requestId, result }, status);

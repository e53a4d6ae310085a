// Stands before the routes that need a key: lets a call in while its quota lasts, and counts it when it was answered.
//
// A handler returns a pair of body and status, or a bare response. A pair is counted below 400, a bare response always.
// What a handler throws becomes a pair of 400 or more, and is not counted; but a script that was stopped at its time limit is:
// it has used more of the threads than any that was answered.

import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { KitContext } from '../../http/context.ts';
import type { AdmittedCall, RefusedCall } from '../../keys/analysis-keys.ts';
import { outcomeOf, type TierInfo } from '../../keys/usage.ts';
import { jsonBytes, withLastFields } from './json-splice.ts';
import { fromStore, type KeyDeps, quotaSpent, unauthorized, unavailable } from './key-door.ts';
import { presentedKey } from './presented-key.ts';
import { type AnalysisRefusal, isTimeout } from './refusal.ts';
import { jsonAnswer } from './run.ts';

export interface Pair {
  /** An object, or the bytes of one that is encoded already. */
  readonly body: Readonly<Record<string, unknown>> | Uint8Array;
  readonly status: ContentfulStatusCode;
}

/** Called with the key, once it has been admitted: it is known, and its quota has room for this call. */
export type Handler = (c: KitContext, rawKey: string) => Promise<Pair | Response>;

/** Key and quota come before the body: nobody without them makes us read one. A pair that counts gets `tier_info`. */
export function protect(deps: KeyDeps, handle: Handler): (c: KitContext) => Promise<Response> {
  return async (c) => {
    const rawKey = presentedKey(c) ?? '';
    const call = await fromStore(deps, c.var.requestId, deps.keys.admit(rawKey));
    if (!call.ok) throw await refusalOf(deps, rawKey, call);
    const keyed = { rawKey, call };
    try {
      return await answered(deps, c, keyed, await handle(c, rawKey));
    } catch (error) {
      if (isTimeout(error)) await count(deps, c.var.requestId, keyed);
      throw error;
    } finally {
      // Frees the slot of a call that was not counted; after a count it changes nothing.
      await call.done('not-counted').catch(() => false);
    }
  };
}

interface KeyedCall {
  readonly rawKey: string;
  readonly call: AdmittedCall;
}

async function answered(deps: KeyDeps, c: KitContext, keyed: KeyedCall, answer: Pair | Response): Promise<Response> {
  const { requestId } = c.var;
  if (answer instanceof Response) {
    await count(deps, requestId, keyed);
    return answer;
  }
  const { body, status } = answer;
  const encoded = body instanceof Uint8Array ? body : jsonBytes(body);
  if (outcomeOf({ form: 'pair', status }) === 'not-counted') return jsonAnswer(c, [encoded], status);
  // Asked before it is counted: once a call is counted, nothing more may fail.
  const known = await fromStore(deps, requestId, deps.keys.validate(keyed.rawKey));
  if (known === undefined) throw unauthorized(keyed.rawKey);
  await count(deps, requestId, keyed);
  return jsonAnswer(c, withLastFields(encoded, { tier_info: withThisCall(known.tierInfo) }), status);
}

/** Or throws, and the work is not given out: the count cannot be stored, or the key has ended or was used up meanwhile. */
async function count(deps: KeyDeps, requestId: string, { rawKey, call }: KeyedCall): Promise<void> {
  if (await fromStore(deps, requestId, call.done('counted'))) return;
  const again = await fromStore(deps, requestId, deps.keys.admit(rawKey));
  if (!again.ok) throw await refusalOf(deps, rawKey, again);
  await again.done('not-counted');
  throw unavailable();
}

async function refusalOf({ keys }: KeyDeps, rawKey: string, refused: RefusedCall): Promise<AnalysisRefusal> {
  if (refused.code === 'UNAUTHORIZED') return unauthorized(rawKey);
  // Only for a header: the refusal stands without it.
  const known = await keys.validate(rawKey).catch(() => undefined);
  return quotaSpent(refused, known?.tierInfo.calls_limit);
}

/** The figures were read before this call was counted. */
function withThisCall(tier: TierInfo): TierInfo {
  const left = tier.calls_remaining;
  const calls_remaining = left === 'unlimited' ? left : Math.max(0, left - 1);
  return { ...tier, calls_used: tier.calls_used + 1, calls_remaining };
}

// POST /auth/create_key, GET /auth/usage and POST /auth/validate: keys are made, asked about and checked here.

import { type Audit, actorOf } from '../../http/audit.ts';
import type { KitContext } from '../../http/context.ts';
import type { EndpointHandler } from '../../http/endpoint.ts';
import { readBody } from '../../http/read-body.ts';
import { checkStrict, parseStrict, readStrict } from '../../http/strict-body.ts';
import { madeAnalysisKey } from '../../keys/key-changes.ts';
import { DEFAULT_TIER, isTier, TIERS } from '../../keys/tiers.ts';
import { fromStore, type KeyDeps, quotaSpent, unauthorized } from './key-door.ts';
import { presentedKey } from './presented-key.ts';
import { refusal } from './refusal.ts';
import { createKeySchema, validateKeySchema } from './schemas.ts';

export interface AuthDeps extends KeyDeps {
  readonly audit: Audit;
  readonly nowMs: () => number;
}

const MS_PER_S = 1000;

export type AuthHandlers = Readonly<Record<'createKey' | 'usage' | 'validate', EndpointHandler>>;

export function createAuth(deps: AuthDeps): AuthHandlers {
  const { keys, nowMs, audit } = deps;

  const createKey: EndpointHandler = async (c) => {
    const tier = await readTier(c);
    const { key, apiKey } = await fromStore(deps, c.var.requestId, keys.mint(tier));
    audit({ actor: actorOf(c), ...madeAnalysisKey(key) });
    const message = 'Keep this key now: it is shown this once and stored nowhere.';
    return c.json({ status: 'success', api_key: apiKey, key_id: key.keyId, tier, message });
  };

  const usage: EndpointHandler = async (c) => {
    const rawKey = presentedKey(c) ?? '';
    const found = await fromStore(deps, c.var.requestId, keys.usage(rawKey));
    if (found === undefined) throw unauthorized(rawKey);
    const { keyId, tier, rateLimited, usage: used } = found;
    // The specification knows no exception for this route; POST /auth/validate stays readable.
    if (rateLimited) throw usedUp(used, nowMs());
    return c.json({ status: 'success', key_id: keyId, tier, usage: used });
  };

  const validate: EndpointHandler = async (c) => {
    const { api_key } = await readStrict(c, validateKeySchema);
    const found = await fromStore(deps, c.var.requestId, keys.validate(api_key));
    if (found === undefined) throw refusal('INVALID_KEY');
    const { keyId, tier, rateLimited, tierInfo } = found;
    return c.json({
      status: 'success',
      key_id: keyId,
      tier,
      active: true,
      rate_limited: rateLimited,
      tier_info: tierInfo,
    });
  };

  return { createKey, usage, validate };
}

/** The body may be left out altogether. */
async function readTier(c: KitContext) {
  const bytes = await readBody(c);
  const { tier = DEFAULT_TIER } = bytes.length === 0 ? {} : checkStrict(createKeySchema, parseStrict(bytes));
  if (isTier(tier)) return tier;
  throw refusal('INVALID_TIER', `tier: there is no such tier, send one of ${TIERS.join(', ')}`);
}

function usedUp({ reset_at, calls_limit }: { reset_at: number | null; calls_limit: unknown }, nowMs: number) {
  const advice = 'POST /auth/validate still shows its usage';
  const message = `This key has used all calls of its tier; ${advice}.`;
  const refused = { status: 429, code: 'RATE_LIMITED', message } as const;
  const waitS = reset_at === null ? undefined : Math.max(1, reset_at - Math.floor(nowMs / MS_PER_S));
  return quotaSpent(waitS === undefined ? refused : { ...refused, retryAfterS: waitS }, calls_limit);
}

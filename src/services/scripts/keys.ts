// /api/keys: the operator makes keys with the admin token, and anyone asks what is known of a key they hold.

import { type AdminGate, requireAdmin } from '../../http/admin-gate.ts';
import { type Audit, actorOf } from '../../http/audit.ts';
import type { KitContext } from '../../http/context.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { readStrict } from '../../http/strict-body.ts';
import { madeScriptKey } from '../../keys/key-changes.ts';
import { API_KEYS_REQUIRED, type ScriptKeys, validateScriptKey } from '../../keys/script-keys.ts';
import { DEFAULT_TIER, isTier, type Tier } from '../../keys/tiers.ts';
import { WORKER_DOCS } from './docs.ts';
import { refusal } from './refusal.ts';
import { keyRefusal, presentedKey } from './require-key.ts';
import { newKeySchema } from './schemas.ts';
import type { StorageGuard } from './storage-refusal.ts';

export interface KeysDeps {
  /** Undefined where no API_KEYS store is bound. */
  readonly keys: ScriptKeys | undefined;
  readonly adminGate: AdminGate;
  readonly audit: Audit;
  readonly stored: StorageGuard;
}

type Action = 'create' | 'validate';

/** Behind a public door: which token or key a call needs depends on its action. */
export function keyEndpoints(deps: KeysDeps): readonly Endpoint[] {
  const handler = (c: KitContext): Promise<Response> =>
    actionOf(c) === 'create' ? createKey(c, deps) : validateKey(c, deps);
  return [
    { ...WORKER_DOCS.postKeys, handler },
    { ...WORKER_DOCS.getKeys, handler },
  ];
}

/** The action that is named; without one a POST makes a key and a GET asks about one. */
function actionOf(c: KitContext): Action {
  const named = new Set(c.req.queries('action') ?? [c.req.method === 'POST' ? 'create' : 'validate']);
  const [action] = named;
  if (named.size !== 1 || (action !== 'create' && action !== 'validate')) throw refusal('INVALID_ACTION');
  // A HEAD comes by the same road as a GET, and would make a key that nobody ever sees.
  if (action === 'create' && c.req.method === 'HEAD')
    throw refusal('METHOD_NOT_ALLOWED', 'A key is made with POST or GET only.', { headers: { allow: 'GET, POST' } });
  return action;
}

async function createKey(c: KitContext, { keys, adminGate, audit, stored }: KeysDeps): Promise<Response> {
  // Before the body is read: strangers learn nothing, and send little.
  await requireAdmin(adminGate, c, ['x-admin-token']);
  if (keys === undefined) throw keyRefusal(API_KEYS_REQUIRED);
  const tier = await wantedTier(c);
  const made = await stored(c, keys.create(tier));
  audit({ actor: actorOf(c), ...madeScriptKey(made) });
  const { key, tier: granted, userId, createdAt } = made;
  return c.json({ status: 'success', api_key: key, tier: granted, user_id: userId, created_at: createdAt });
}

/** In the body; a GET, which many clients can send no body with, may name it in the address. */
async function wantedTier(c: KitContext): Promise<Tier> {
  const { tier: inBody } = await readStrict(c, newKeySchema, { whenEmpty: {} });
  const inAddress = c.req.query('tier');
  if (inBody !== undefined && inAddress !== undefined && inBody !== inAddress)
    throw refusal('INVALID_FIELD', 'tier: the body and the address name different ones; send one of them');
  const tier = inBody ?? inAddress ?? DEFAULT_TIER;
  if (!isTier(tier)) throw refusal('INVALID_TIER');
  return tier;
}

async function validateKey(c: KitContext, { keys, stored }: KeysDeps): Promise<Response> {
  const key = presentedKey(c)?.trim() ?? '';
  if (key === '') throw refusal('NO_KEY', undefined, CHALLENGE);
  const known = await stored(c, validateScriptKey(keys && ((each) => keys.lookup(each)), key));
  if (known === undefined) throw refusal('INVALID_KEY', undefined, CHALLENGE);
  const { tier, createdAt } = known;
  return c.json({ status: 'success', tier, ...(createdAt === undefined ? {} : { created_at: createdAt }) });
}

const CHALLENGE = { headers: { 'www-authenticate': 'Bearer' } } as const;

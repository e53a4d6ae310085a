// POST /admin/script-keys makes a key with a library of its own; POST /admin/script-keys/renew gives a library that there is a new
// key, and the old one ends in the same step.

import { z } from 'zod';
import { type Audit, actorOf } from '../../http/audit.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import { readValid } from '../../http/read-body.ts';
import { madeScriptKey, renewedScriptKey } from '../../keys/key-changes.ts';
import type { ScriptKeyRecord, ScriptKeys } from '../../keys/script-keys.ts';
import { DEFAULT_TIER, TIERS } from '../../keys/tiers.ts';
import { answer, shaped, TAGS } from './admin-answers.ts';
import { BAD_BODY, ok, refused } from './responses.ts';

export interface AdminScriptKeyDeps {
  /** Undefined where this process keeps no script keys. */
  readonly keys: Pick<ScriptKeys, 'create' | 'renew'> | undefined;
  readonly audit: Audit;
}

const newKeySchema = z.strictObject({ tier: z.enum(TIERS).default(DEFAULT_TIER) });

const renewalSchema = z
  .strictObject({
    key: z.string().max(64).optional().describe('the key that ends; or name the library'),
    userId: z.string().max(64).optional().describe('of the library, when its key is lost or has expired'),
    tier: z.enum(TIERS).optional().describe('with userId: of the new key; that of the last one when left out'),
  })
  .refine(({ key, userId }) => (key === undefined) !== (userId === undefined), 'send either key or userId')
  .refine(({ key, tier }) => key === undefined || tier === undefined, 'tier goes with userId, a key keeps its own');

const keySchema = z.object({
  apiKey: z.string().describe('shown this once; lives for one year'),
  userId: z.string(),
  tier: z.enum(TIERS),
  createdAt: z.number(),
});

const shown = ({ key: apiKey, userId, tier, createdAt }: ScriptKeyRecord) => ({ apiKey, userId, tier, createdAt });

export const scriptKeyAdminEndpoints = ({ keys, audit }: AdminScriptKeyDeps): readonly Endpoint[] => [
  {
    method: 'post',
    path: '/admin/script-keys',
    summary: 'Make a script key, which opens a library of its own',
    tags: TAGS,
    body: newKeySchema,
    bodyExample: {},
    responses: {
      ...ok('The key, and the user id by which it is replaced when it is lost', keySchema),
      400: BAD_BODY,
      404: refused('KEY_NOT_FOUND: this Signalbox keeps no script keys'),
    },
    async handler(c) {
      const { tier } = await readValid(c, newKeySchema, shaped);
      if (keys === undefined) throw noKeys();
      const made = await keys.create(tier);
      audit({ actor: actorOf(c), ...madeScriptKey(made) });
      return answer(c, shown(made));
    },
  },
  {
    method: 'post',
    path: '/admin/script-keys/renew',
    summary: 'Give a library of scripts, with its deployments, a new key',
    tags: TAGS,
    body: renewalSchema,
    bodyExample: { key: '$SCRIPT_KEY' },
    responses: {
      ...ok('The new key; no other one opens the library from now on', keySchema),
      400: BAD_BODY,
      404: refused(
        'KEY_NOT_FOUND: no such key, or it has expired: name the library by its user id; or no such library',
      ),
    },
    async handler(c) {
      const { key, userId = '', tier } = await readValid(c, renewalSchema, shaped);
      if (keys === undefined) throw noKeys();
      const library = tier === undefined ? { userId } : { userId, tier };
      const renewed = await keys.renew(key === undefined ? library : { key });
      if (renewed === 'bad-user-id')
        throw new Refusal(
          'INVALID_PAYLOAD',
          'userId: is 32 characters of 0-9 and a-f, GET /admin/deployments shows those there are',
        );
      if (renewed === 'unknown-key')
        throw new Refusal('KEY_NOT_FOUND', 'there is no such script key, or it has expired; send userId instead');
      if (renewed === 'unknown-user')
        throw new Refusal(
          'KEY_NOT_FOUND',
          'there is no library with this userId; GET /admin/deployments shows those that have deployments, and the answer to the key it was made with told it',
        );
      audit({ actor: actorOf(c), ...renewedScriptKey(renewed) });
      return answer(c, shown(renewed));
    },
  },
];

const noKeys = (): Refusal =>
  new Refusal('KEY_NOT_FOUND', 'this Signalbox keeps no script keys; SERVICES and API_KEYS say so');

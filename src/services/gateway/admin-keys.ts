// GET, POST, rotate, routes and DELETE /admin/webhook-keys: every change of a key is stored together with its audit entry.

import { z } from 'zod';
import { actorOf } from '../../http/audit.ts';
import type { KitContext } from '../../http/context.ts';
import { type Endpoint, paramOf } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import { readBody, readValid } from '../../http/read-body.ts';
import type { AuditKeyChange, KeyError, KeyErrorCode, ListedKey, Route, WebhookKeys } from '../../keys/webhook-keys.ts';
import type { Accounts } from '../../trading/accounts.ts';
import { answer, shaped, TAGS } from './admin-answers.ts';
import {
  issuedKeySchema,
  keySchema,
  newKeySchema,
  revokedKeySchema,
  rotateKeySchema,
  routesSchema,
} from './admin-schemas.ts';
import type { GatewayErrorCode } from './errors.ts';
import { BAD_BODY, ok, refused } from './responses.ts';
import { answerOf } from './schemas.ts';

export interface AdminKeyDeps {
  readonly keys: WebhookKeys;
  /** The accounts that a key can route to. */
  readonly accounts: Pick<Accounts, 'list'>;
  readonly nowMs: () => number;
}

const PATH = '/admin/webhook-keys';
const params = z.object({
  keyId: z
    .string()
    .describe('or the SHA-256 of the whole key, in hex')
    .meta({ examples: ['$KEY_ID'] }),
});

export const keyEndpoints = (deps: AdminKeyDeps): readonly Endpoint[] => [
  listEndpoint(deps),
  createEndpoint(deps),
  rotateEndpoint(deps),
  routeEndpoint(deps),
  revokeEndpoint(deps),
];

const listEndpoint = ({ keys }: AdminKeyDeps): Endpoint => ({
  method: 'get',
  path: PATH,
  summary: 'List webhook keys',
  tags: TAGS,
  responses: ok('Keys, without their secrets', z.array(keySchema)),
  handler: (c) => answer(c, keys.list().map(keyView)),
});

const createEndpoint = ({ keys, accounts, nowMs }: AdminKeyDeps): Endpoint => ({
  method: 'post',
  path: PATH,
  summary: 'Create a webhook key',
  tags: TAGS,
  body: newKeySchema,
  bodyExample: { label: 'docs-example', exchanges: ['binance'] },
  responses: {
    201: { description: 'The key, shown this once', schema: answerOf(issuedKeySchema) },
    400: refused('INVALID_JSON, INVALID_PAYLOAD, INVALID_KEY_REQUEST'),
    409: refused('KEY_CONFLICT'),
  },
  async handler(c) {
    const wanted = await readValid(c, newKeySchema, shaped);
    checkRoutes(wanted.routes ?? [], accounts);
    const { key, apiKey } = inHttpTerms(() => keys.create(wanted, auditBy(c, nowMs)));
    return answer(c, { ...keyView(key), apiKey }, 201);
  },
});

const rotateEndpoint = ({ keys, nowMs }: AdminKeyDeps): Endpoint => ({
  method: 'post',
  path: `${PATH}/{keyId}/rotate`,
  summary: 'Replace a key by a new one',
  tags: TAGS,
  params,
  body: rotateKeySchema,
  bodyExample: { graceSeconds: 3600 },
  responses: {
    ...ok('The new key, shown this once', issuedKeySchema),
    400: BAD_BODY,
    404: refused('KEY_NOT_FOUND'),
    409: refused('KEY_CONFLICT'),
  },
  async handler(c) {
    const keyId = paramOf(c, 'keyId');
    const empty = (await readBody(c)).length === 0;
    const options = empty ? {} : await readValid(c, rotateKeySchema, shaped);
    const { key, apiKey } = inHttpTerms(() => keys.rotate(keyId, options, auditBy(c, nowMs)));
    return answer(c, { ...keyView(key), apiKey });
  },
});

const routeEndpoint = ({ keys, accounts, nowMs }: AdminKeyDeps): Endpoint => ({
  method: 'put',
  path: `${PATH}/{keyId}/routes`,
  summary: 'Trade the signals of a key on several accounts',
  tags: TAGS,
  params,
  body: routesSchema,
  bodyExample: { routes: [{ account: 'main', multiplier: 1 }] },
  responses: {
    ...ok('The key with its routes', keySchema),
    400: refused('INVALID_JSON, INVALID_PAYLOAD, INVALID_KEY_REQUEST'),
    404: refused('KEY_NOT_FOUND'),
    409: refused('KEY_CONFLICT'),
  },
  async handler(c) {
    const { routes } = await readValid(c, routesSchema, shaped);
    checkRoutes(routes, accounts);
    return answer(c, keyView(inHttpTerms(() => keys.route(paramOf(c, 'keyId'), routes, auditBy(c, nowMs)))));
  },
});

/** An account that is nowhere is a slip of the pen; one that only some exchanges have is told with the signal. */
function checkRoutes(routes: readonly Route[], accounts: Pick<Accounts, 'list'>): void {
  const names = accounts.list().flatMap(({ exchange, account }) => [account, `${exchange}:${account}`]);
  const unknown = routes.find(({ account }) => !names.includes(account));
  if (unknown === undefined) return;
  const known = [...new Set(names)].sort().join(', ');
  throw new Refusal(
    'INVALID_KEY_REQUEST',
    `routes: there is no account ${JSON.stringify(unknown.account)}; there are ${known}`,
  );
}

const revokeEndpoint = ({ keys, nowMs }: AdminKeyDeps): Endpoint => ({
  method: 'delete',
  path: `${PATH}/{keyId}`,
  summary: 'Revoke a key at once',
  tags: TAGS,
  params,
  responses: {
    ...ok('The revoked key', revokedKeySchema),
    404: refused('KEY_NOT_FOUND'),
    409: refused('KEY_CONFLICT'),
  },
  handler(c) {
    const entryOf = auditBy(c, nowMs);
    // Whoever revokes twice is told so calmly; only a change has an entry.
    let alreadyRevoked = true;
    const key = inHttpTerms(() =>
      keys.revoke(paramOf(c, 'keyId'), (before, after) => {
        alreadyRevoked = false;
        return entryOf(before, after);
      }),
    );
    return answer(c, { ...keyView(key), alreadyRevoked });
  },
});

const auditBy =
  (c: KitContext, nowMs: () => number): AuditKeyChange =>
  (before, after) => ({
    atMs: nowMs(),
    actor: actorOf(c),
    setting: 'webhookKey',
    before: before && JSON.stringify(keyView(before)),
    after: JSON.stringify(keyView(after)),
  });

function keyView(key: ListedKey) {
  return {
    keyId: key.keyId,
    label: key.label,
    exchanges: key.exchanges ?? null,
    symbols: key.symbols ?? null,
    routes: key.routes ?? null,
    createdAt: key.createdAtMs,
    rotatedAt: key.rotatedAtMs ?? null,
    previousValidUntil: key.previousValidUntilMs ?? null,
    revokedAt: key.revokedAtMs ?? null,
    static: key.static,
  };
}

const KEY_ERRORS: Readonly<Record<KeyErrorCode, GatewayErrorCode>> = {
  KEY_NOT_FOUND: 'KEY_NOT_FOUND',
  KEY_REVOKED: 'KEY_CONFLICT',
  STATIC_KEY: 'KEY_CONFLICT',
  LABEL_TAKEN: 'KEY_CONFLICT',
  TOO_MANY_KEYS: 'KEY_CONFLICT',
  INVALID_LABEL: 'INVALID_KEY_REQUEST',
  INVALID_SCOPE: 'INVALID_KEY_REQUEST',
  INVALID_ROUTES: 'INVALID_KEY_REQUEST',
  INVALID_GRACE: 'INVALID_KEY_REQUEST',
};

function inHttpTerms<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = KEY_ERRORS[(error as KeyError).code];
    if (code === undefined) throw error;
    throw new Refusal(code, (error as KeyError).message);
  }
}

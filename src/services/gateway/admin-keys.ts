// GET, POST, identify, rotate, routes and DELETE /admin/webhook-keys: every change of a key is stored together with its audit entry.

import { z } from 'zod';
import { EXCHANGES } from '../../exchanges/exchange.ts';
import { actorOf } from '../../http/audit.ts';
import type { KitContext } from '../../http/context.ts';
import { type Endpoint, type EndpointHandler, paramOf } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import { readBody, readValid } from '../../http/read-body.ts';
import type {
  AuditKeyChange,
  IssuedKey,
  KeyError,
  KeyErrorCode,
  ListedKey,
  WebhookKeys,
} from '../../keys/webhook-keys.ts';
import { SerialQueue } from '../../timing/serial-queue.ts';
import type { Accounts } from '../../trading/accounts.ts';
import { marketOf } from '../../trading/intake/market-symbol.ts';
import type { Restrictions, TradeLimits } from '../../trading/intake/restrictions.ts';
import { answer, shaped, TAGS } from './admin-answers.ts';
import {
  identifyKeySchema,
  issuedKeySchema,
  keySchema,
  newKeySchema,
  revokedKeySchema,
  rotateKeySchema,
  routesSchema,
} from './admin-schemas.ts';
import { checkRoutes } from './check-routes.ts';
import type { GatewayErrorCode } from './errors.ts';
import { BAD_BODY, ok, refused } from './responses.ts';
import { answerOf } from './schemas.ts';

export interface AdminKeyDeps {
  readonly keys: WebhookKeys;
  /** The accounts that a key can route to. */
  readonly accounts: Pick<Accounts, 'list' | 'find' | 'namesAt'>;
  /** What a key may trade is among them. */
  readonly restrictions: Restrictions;
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
  identifyEndpoint(deps),
  rotateEndpoint(deps),
  routeEndpoint(deps),
  revokeEndpoint(deps),
];

const listEndpoint = ({ keys, restrictions }: AdminKeyDeps): Endpoint => ({
  method: 'get',
  path: PATH,
  summary: 'List webhook keys',
  tags: TAGS,
  responses: ok('Keys, without their secrets', z.array(keySchema)),
  handler: (c) =>
    answer(
      c,
      keys.list().map((key) => keyView(key, restrictions)),
    ),
});

const createEndpoint = (deps: AdminKeyDeps): Endpoint => ({
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
  handler: createHandler(deps),
});

function createHandler({ keys, accounts, restrictions, nowMs }: AdminKeyDeps): EndpointHandler {
  /** One after the other: a second key of the same label must not take the scope of the first along when it is refused. */
  const turns = new SerialQueue();
  return async (c) => {
    const wanted = await readValid(c, newKeySchema, shaped);
    checkRoutes(wanted.routes ?? [], wanted.exchanges ?? EXCHANGES, accounts);
    const scope = { label: wanted.label, limits: scopeOf(wanted), actor: actorOf(c) };
    const audit = auditBy(c, nowMs, restrictions);
    const create = (): Promise<IssuedKey> => keys.create(wanted, audit);
    const { key, apiKey } = await inHttpTerms(() => turns.run(() => withScope(scope, { keys, restrictions }, create)));
    return answer(c, { ...keyView(key, restrictions), apiKey }, 201);
  };
}

/** In the body, not in the address: addresses are written down on the way. */
const identifyEndpoint = ({ keys, restrictions }: AdminKeyDeps): Endpoint => ({
  method: 'post',
  path: `${PATH}/identify`,
  summary: 'Which webhook key this is',
  tags: TAGS,
  body: identifyKeySchema,
  bodyExample: { apiKey: '$WEBHOOK_KEY' },
  responses: {
    ...ok('The key, without its secret', keySchema),
    400: BAD_BODY,
    404: refused('KEY_NOT_FOUND: there is none, or it was revoked'),
  },
  async handler(c) {
    const { apiKey } = await readValid(c, identifyKeySchema, shaped);
    const keyId = keys.authenticate(apiKey)?.keyId;
    const found = keys.list().find((key) => key.keyId === keyId);
    if (found === undefined)
      throw new Refusal('KEY_NOT_FOUND', 'this is no webhook key that is known here, or it was revoked');
    return answer(c, keyView(found, restrictions));
  },
});

interface NewScope {
  readonly label: string;
  readonly limits: TradeLimits;
  readonly actor: string;
}

/**
 * What a new key may trade is in force before there is the key, and gone again where there is none after all. What an
 * earlier key of this label was allowed is over; one that is active keeps what it has.
 */
async function withScope<T>(
  { label, limits, actor }: NewScope,
  parts: Pick<AdminKeyDeps, 'keys' | 'restrictions'>,
  create: () => Promise<T>,
): Promise<T> {
  const { keys, restrictions } = parts;
  const owner = { kind: 'key', name: label } as const;
  if (keys.list().some((key) => key.label === label && key.revokedAtMs === undefined)) return create();
  await restrictions.clear(owner, actor);
  await restrictions.setLimits(owner, limits, actor);
  try {
    return await create();
  } catch (error) {
    await restrictions.clear(owner, actor);
    throw error;
  }
}

/** What a new key may trade: the lists of its limits. */
function scopeOf({ exchanges, symbols }: z.infer<typeof newKeySchema>): TradeLimits {
  const markets = symbols?.map((symbol) => {
    const market = marketOf(symbol);
    if (market !== undefined) return market;
    throw new Refusal(
      'INVALID_KEY_REQUEST',
      `symbols: ${JSON.stringify(symbol)} is no name we know; write it as BTCUSDT`,
    );
  });
  return {
    ...(exchanges && { venues: [...new Set(exchanges)] }),
    ...(markets && { symbols: [...new Set(markets)] }),
  };
}

const rotateEndpoint = ({ keys, restrictions, nowMs }: AdminKeyDeps): Endpoint => ({
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
    const { key, apiKey } = await inHttpTerms(() => keys.rotate(keyId, options, auditBy(c, nowMs, restrictions)));
    return answer(c, { ...keyView(key, restrictions), apiKey });
  },
});

const routeEndpoint = ({ keys, accounts, restrictions, nowMs }: AdminKeyDeps): Endpoint => ({
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
    const keyId = paramOf(c, 'keyId');
    checkRoutes(routes, exchangesOf(keyId, { keys, restrictions }), accounts);
    const audit = auditBy(c, nowMs, restrictions);
    const key = await inHttpTerms(() => keys.route(keyId, routes, audit));
    return answer(c, keyView(key, restrictions));
  },
});

/** The exchanges that a key may signal for. */
function exchangesOf(keyId: string, { keys, restrictions }: Pick<AdminKeyDeps, 'keys' | 'restrictions'>) {
  const key = keys.list().find((each) => each.keyId === keyId);
  return (key && restrictions.find({ kind: 'key', name: key.label })?.limits.venues) ?? EXCHANGES;
}

const revokeEndpoint = ({ keys, restrictions, nowMs }: AdminKeyDeps): Endpoint => ({
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
  async handler(c) {
    const entryOf = auditBy(c, nowMs, restrictions);
    // Whoever revokes twice is told so calmly; only a change has an entry.
    let alreadyRevoked = true;
    const key = await inHttpTerms(() =>
      keys.revoke(paramOf(c, 'keyId'), (before, after) => {
        alreadyRevoked = false;
        return entryOf(before, after);
      }),
    );
    return answer(c, { ...keyView(key, restrictions), alreadyRevoked });
  },
});

const auditBy =
  (c: KitContext, nowMs: () => number, restrictions: AdminKeyDeps['restrictions']): AuditKeyChange =>
  (before, after) => ({
    atMs: nowMs(),
    actor: actorOf(c),
    setting: 'webhookKey',
    before: before && JSON.stringify(keyView(before, restrictions)),
    after: JSON.stringify(keyView(after, restrictions)),
  });

function keyView(key: ListedKey, restrictions: Pick<Restrictions, 'find'>) {
  // A label may be used again when its key is revoked: what is allowed now is of the new one.
  const limits =
    key.revokedAtMs === undefined ? restrictions.find({ kind: 'key', name: key.label })?.limits : undefined;
  return {
    keyId: key.keyId,
    label: key.label,
    exchanges: limits?.venues ?? null,
    symbols: limits?.symbols ?? null,
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
  INVALID_ROUTES: 'INVALID_KEY_REQUEST',
  INVALID_GRACE: 'INVALID_KEY_REQUEST',
};

async function inHttpTerms<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = KEY_ERRORS[(error as KeyError).code];
    if (code === undefined) throw error;
    throw new Refusal(code, (error as KeyError).message);
  }
}

// What the endpoints of live deployments accept and answer, and their description for /openapi.json and /docs.

import { z } from 'zod';
import { EXCHANGES } from '../../exchanges/exchange.ts';
import type { EndpointDoc } from '../../http/endpoint.ts';
import { statusErrorSchema } from '../../http/status-shape.ts';
import {
  KEPT_LOGS,
  logLineSchema,
  MAX_TARGETS,
  opinionTargetFields,
  SIGNAL_TYPE,
} from '../../library/deployments/index.ts';
import { compileFaultFields, runtimeFaultFields } from '../../library/run-contract.ts';
import { SYMBOL_PATTERN } from '../../trading/intake/market-symbol.ts';
import { MAX_STRATEGY_CHARS } from '../../trading/signal.ts';

const described = <T extends z.ZodType>(schema: T, description: string): T => schema.meta({ description });

/** Scripts have a few dozen inputs; all of them together fit on a page. */
const MAX_INPUTS_CHARS = 16_384;
const MAX_NAME_CHARS = 200;
/** A JSON body of a webhook fits many times. */
const MAX_ORDER_MESSAGE_CHARS = 2000;

/** As it stands: a schema would drop a key named __proto__ instead of refusing it. */
const inputs = z.custom<Readonly<Record<string, unknown>>>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    JSON.stringify(value).length <= MAX_INPUTS_CHARS,
  { error: `is not usable, send an object of values by title, ${MAX_INPUTS_CHARS} characters of JSON at most` },
);

const chatId = z.string().regex(/^(-?\d{1,20}|@[A-Za-z0-9_]{4,64})$/, 'is no chat, send its number or @name as text');

const apiKey = z.string().min(1).max(256);
const exchange = z.enum(EXCHANGES).optional();
const strategy = z
  .string()
  .max(MAX_STRATEGY_CHARS)
  .regex(/^[^\p{C}\p{Z}]+( [^\p{C}\p{Z}]+)*$/u, 'is no name, send words with single blanks between them')
  .optional();

export const targetSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('telegram'),
    chatId: described(chatId.optional(), 'One of TELEGRAM_ALLOWED_CHATS; the default chat when left out'),
  }),
  z.strictObject({
    type: z.literal('webhook'),
    url: described(z.string().min(1), 'http or https, on the public internet'),
    secret: described(
      z
        .string()
        .regex(/^[\x21-\x7e]{8,256}$/, 'is no secret, send 8 to 256 visible ASCII characters')
        .optional(),
      'Signs the body; never shown again',
    ),
    body: described(
      z.enum(['event', 'message']).optional(),
      "message sends the alert's own message as the body; event, a JSON object that tells everything, when left out",
    ),
  }),
  z.strictObject({
    type: z.literal('signals'),
    signalType: described(
      z
        .string()
        .regex(SIGNAL_TYPE, 'has characters that are not allowed, use 1 to 32 letters, digits and _')
        .optional(),
      'The message as one word when left out',
    ),
  }),
  z.strictObject({
    type: z.literal('trade'),
    apiKey: described(
      apiKey,
      'A webhook key, presented this once: its id is kept, and revoking or pausing it stops the target',
    ),
    exchange: described(
      exchange,
      'Where the orders of a strategy go; the venue of the symbol, as in BINANCE:BTCUSDT, when left out',
    ),
    strategy: described(
      strategy,
      "Whose share of the position the orders of a strategy belong to; the deployment's own when left out",
    ),
  }),
  z.strictObject({
    type: z.literal('second-opinion'),
    apiKey: described(apiKey, "The webhook key of TradingView's alerts, presented this once: its id is kept"),
    exchange: described(exchange, 'The one that the alerts name; the venue of the symbol when left out'),
    strategy: described(strategy, 'The strategy that the alerts name; none when left out'),
    ...opinionTargetFields,
  }),
]);

/** As it is asked for: with the raw key of a target that trades. */
export type WantedTarget = z.infer<typeof targetSchema>;

export const newDeploymentSchema = z.strictObject({
  scriptId: described(z.string().min(1).max(64), 'A script of this key'),
  revision: described(z.int().min(1).optional(), 'Pinned; the current one when left out'),
  name: described(
    z
      .string()
      .min(1)
      .max(MAX_NAME_CHARS)
      .regex(/^[^\p{Cc}]*\S[^\p{Cc}]*$/u, 'is blank or has control characters, send a name')
      .optional(),
    'The name of the script when left out',
  ),
  symbol: z.string().regex(SYMBOL_PATTERN, 'is no market, send 1 to 20 of A-Z a-z 0-9 . _ : / -, such as BTCUSDT'),
  interval: described(z.string().max(20), 'Such as 5m, 4h or 1d, or as charts write it: 5, 240, D'),
  inputs: described(inputs.optional(), 'Values of the inputs by title'),
  targets: z.array(targetSchema).min(1).max(MAX_TARGETS),
  mode: described(
    z.enum(['dry-run', 'trade']).optional(),
    'dry-run writes down what trade targets would send; the default of a strategy. Alerts of an indicator trade when left out',
  ),
  orderMessage: described(
    z.string().min(1).max(MAX_ORDER_MESSAGE_CHARS).optional(),
    'What a fill says whose call has no alert_message, with placeholders such as {{strategy.order.action}}',
  ),
  initialCapital: described(
    z.number().gt(0).optional(),
    'What a strategy begins with, in its currency: the money of the account it trades. What the script declares when left out',
  ),
  replaces: described(
    z.string().min(1).max(64).optional(),
    'The id of a dry run of this key: the new deployment takes its place in one step, and its log goes on there',
  ),
  idempotencyKey: described(
    z.uuid().optional(),
    'A repeat under it is 409 with the deployment that was made, for as long as that one is there',
  ),
});

const ms = described(z.int(), 'Unix milliseconds');
const success = { status: z.literal('success') };
const deployment = z.object({
  id: z.string(),
  scriptId: z.string(),
  revision: z.int(),
  digest: described(
    z.string().nullable(),
    'SHA-256 of its script and libraries; null of one made before these were kept',
  ),
  imports: described(
    z.array(z.string()),
    'The libraries it runs with, as they were when it was made: publisher/Name/1',
  ),
  name: z.string(),
  symbol: z.string(),
  interval: z.string(),
  inputs: z.record(z.string(), z.unknown()),
  targets: described(z.array(z.record(z.string(), z.unknown())), 'A webhook says signed in place of its secret'),
  scriptType: z.enum(['indicator', 'strategy']),
  mode: described(z.enum(['dry-run', 'trade']), 'Whether its trade targets trade'),
  orderMessage: z.string().nullable(),
  initialCapital: described(z.number().nullable(), 'What it begins with; null: what the script declares'),
  state: z.enum(['running', 'paused', 'failed']),
  createdAt: ms,
  lastRunAt: ms.nullable(),
  lastBarTime: described(z.int(), 'Start of the newest bar that is dealt with'),
  lastError: z.string().nullable(),
  runs: z.int(),
  alerts: described(z.int(), 'Alerts and fills'),
  position: described(z.number().nullable(), 'What the script holds by its own books, positive long'),
  positionSince: described(ms.nullable(), 'When that position was opened; null where it holds none, or nobody knows'),
  drift: described(z.string().nullable(), 'Where the books that it trades into hold something else'),
  barsFrom: described(
    z.string().nullable(),
    'Where its bars come from: simulated, an exchange, or a testnet as in "bybit testnet"; null before its first start here',
  ),
});
/** Of one whose exits nobody runs any more. */
const left = {
  held: described(
    z.array(z.object({ strategy: z.string(), account: z.string().nullable(), quantity: z.number() })),
    'What its strategy still holds, positive long; account is null where the books cannot be read',
  ),
  note: described(z.string().nullable(), 'The same in words, with the way to close it; null where nothing is held'),
};
const warnings = described(z.array(z.string()), 'What its owner should know of it, also in its log');
const one = { description: 'The deployment', schema: z.object({ ...success, deployment }) };

type Responses = EndpointDoc['responses'];
const refused = (description: string) => ({ description, schema: statusErrorSchema });
const KEYED: Responses = {
  401: refused('NO_KEY, INVALID_KEY'),
  500: refused('INTERNAL'),
  503: refused('API_KEYS_REQUIRED, UNAVAILABLE'),
};
const params = z.object({ id: z.string().meta({ examples: ['$DEPLOYMENT_ID'] }) });
const ONE: Responses = { ...KEYED, 200: one, 404: refused('NOT_FOUND') };
const PATH = '/api/deployments/{id}';

const keyed = (route: Omit<EndpointDoc, 'door' | 'tags'>): EndpointDoc => ({
  ...route,
  tags: ['Live deployments'],
  door: 'scriptKey',
});

export const DEPLOYMENT_DOCS = {
  create: keyed({
    method: 'post',
    path: '/api/deployments',
    summary: 'Deploy a script on a market',
    description:
      'Runs at every close of a bar from now on, and on ticks where they matter. A trial run over the last 1,000 bars comes first.',
    body: newDeploymentSchema,
    bodyExample: {
      scriptId: 'docs-example',
      symbol: 'BTCUSDT',
      interval: '1h',
      targets: [{ type: 'signals' }],
    },
    responses: {
      ...KEYED,
      201: { description: 'The deployment', schema: z.object({ ...success, deployment, warnings }) },
      400: {
        description: 'INVALID_BODY, MISSING_FIELD, INVALID_FIELD, UNKNOWN_FIELDS; SCRIPT_ERROR with diagnostics',
        schema: statusErrorSchema.extend(compileFaultFields),
      },
      404: refused('NOT_FOUND: no such script or revision, or no such dry run to replace'),
      408: refused('TIMEOUT'),
      409: {
        description:
          'DUPLICATE_DEPLOYMENT; DEPLOYMENTS_FULL; CONFLICT: its bars are not those of the venue it trades at, or what it replaces trades',
        schema: statusErrorSchema.extend({
          deploymentId: described(z.string().optional(), 'What was made before under the same idempotencyKey'),
        }),
      },
      413: refused('PAYLOAD_TOO_LARGE'),
      422: { description: 'RUNTIME_ERROR, MEMORY_LIMIT', schema: statusErrorSchema.extend(runtimeFaultFields) },
      429: refused('RATE_LIMIT, BUSY'),
      503: refused('API_KEYS_REQUIRED, UNAVAILABLE, STOPPING'),
    },
  }),
  list: keyed({
    method: 'get',
    path: '/api/deployments',
    summary: 'All deployments of a key, newest first',
    responses: {
      ...KEYED,
      200: { description: 'Deployments', schema: z.object({ ...success, deployments: z.array(deployment) }) },
    },
  }),
  read: keyed({ method: 'get', path: PATH, params, summary: 'One deployment', responses: ONE }),
  pause: keyed({
    method: 'post',
    path: `${PATH}/pause`,
    params,
    summary: 'Pause a deployment',
    responses: {
      ...ONE,
      200: { description: 'The deployment, and what it holds', schema: z.object({ ...success, deployment, ...left }) },
    },
  }),
  resume: keyed({
    method: 'post',
    path: `${PATH}/resume`,
    params,
    summary: 'Resume a deployment',
    description: 'Bars that closed meanwhile do not act.',
    responses: {
      ...ONE,
      400: refused('INVALID_FIELD: the market is gone'),
      409: refused('CONFLICT: no key opens its library, or its bars are not those of the venue it trades at'),
      429: refused('RATE_LIMIT'),
    },
  }),
  remove: keyed({
    method: 'delete',
    path: PATH,
    params,
    summary: 'Remove a deployment, with its log',
    query: z.object({
      keep: described(z.string().optional(), 'true: removes it although it holds a position, which stays'),
    }),
    responses: {
      ...ONE,
      200: { description: 'Removed, and what it holds', schema: z.object({ ...success, ...left }) },
      400: refused('INVALID_FIELD'),
      409: refused('CONFLICT: it holds a position'),
    },
  }),
  logs: keyed({
    method: 'get',
    path: `${PATH}/logs`,
    params,
    summary: 'What a deployment did, newest first',
    query: z.object({ limit: described(z.string().optional(), `1 to ${KEPT_LOGS}; 100 when left out`) }),
    responses: {
      ...ONE,
      200: { description: 'Lines', schema: z.object({ ...success, logs: z.array(logLineSchema) }) },
      400: refused('INVALID_FIELD'),
    },
  }),
} satisfies Record<string, EndpointDoc>;

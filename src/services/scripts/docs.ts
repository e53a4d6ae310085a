// Keys, runs, usage and sign-in at code hosts, but for what they do: described for /openapi.json and /docs.

import { z } from 'zod';
import type { EndpointDoc } from '../../http/endpoint.ts';
import { statusErrorSchema } from '../../http/status-shape.ts';
import { TIERS } from '../../keys/tiers.ts';
import {
  compileFaultFields,
  marketFaultFields,
  runAnswerSchema,
  runtimeFaultFields,
} from '../../library/run-contract.ts';
import { deviceStartSchema, newKeySchema, pollSchema } from './schemas.ts';

type Responses = EndpointDoc['responses'];

const refused = (description: string) => ({ description, schema: statusErrorSchema });
const ms = z.int().meta({ description: 'Unix milliseconds' });
const success = { status: z.literal('success') };
const tier = z.enum(TIERS);

const BODY_FAULTS = 'INVALID_BODY, MISSING_FIELD, INVALID_FIELD, UNKNOWN_FIELDS';
const KEY_REFUSALS: Responses = {
  401: refused('NO_KEY, INVALID_KEY'),
  500: refused('INTERNAL'),
  503: refused('API_KEYS_REQUIRED, UNAVAILABLE'),
};
/** GET and POST do the same; they differ in what they do without an action. */
const KEY_ANSWER = z.object({
  ...success,
  api_key: z.string().optional().meta({ description: 'Of a new key: shown this once' }),
  tier,
  user_id: z.string().optional().meta({ description: 'Of a new key: the library that it opens' }),
  created_at: ms.optional().meta({ description: 'Unix milliseconds, where the store knows' }),
});
const KEY_FAULTS: Responses = {
  400: refused(`${BODY_FAULTS}, INVALID_TIER, INVALID_ACTION`),
  401: refused('NO_KEY, INVALID_KEY'),
  403: refused('FORBIDDEN'),
  405: refused('METHOD_NOT_ALLOWED: a HEAD makes no key'),
  413: refused('PAYLOAD_TOO_LARGE'),
  500: refused('INTERNAL'),
  503: refused('API_KEYS_REQUIRED, UNAVAILABLE'),
};
const EXAMPLE_RUN = {
  script: '//@version=6\nindicator("Cross")\nplot(ta.sma(close, 20))',
  data: [{ time: 1_700_000_000_000, open: 100, high: 102, low: 99, close: 101, volume: 12 }],
};

export const WORKER_DOCS = {
  postKeys: {
    method: 'post',
    path: '/api/keys',
    summary: 'Make a key',
    description: 'The key is shown once and lives for a year. With action=validate it answers as GET does.',
    tags: ['Script worker'],
    door: 'public',
    asksFor: 'admin',
    query: z.object({ action: z.enum(['create', 'validate']).optional() }),
    body: newKeySchema,
    bodyExample: { tier: 'hobby' },
    responses: {
      200: { description: 'Made, or with action=validate known', schema: KEY_ANSWER },
      ...KEY_FAULTS,
    },
  },
  getKeys: {
    method: 'get',
    path: '/api/keys',
    summary: 'What is known of a key',
    description: 'With action=create it makes a key as POST does, of the tier in the address.',
    tags: ['Script worker'],
    door: 'public',
    asksFor: 'scriptKey',
    query: z.object({ action: z.enum(['create', 'validate']).optional(), tier: tier.optional() }),
    responses: {
      200: { description: 'Known, or with action=create made', schema: KEY_ANSWER },
      ...KEY_FAULTS,
    },
  },
  usage: {
    method: 'get',
    path: '/api/usage',
    summary: 'The runs of a key',
    tags: ['Script worker'],
    door: 'scriptKey',
    responses: {
      ...KEY_REFUSALS,
      200: {
        description: 'Counted since the first',
        schema: z.object({
          ...success,
          tier,
          usage: z.object({ calls_used: z.int(), first_used_at: ms.nullable(), last_used_at: ms.nullable() }),
        }),
      },
    },
  },
  run: {
    method: 'post',
    path: '/api/run',
    summary: 'Run a script over bars, 30 times a minute',
    description: 'Body and answer are those of POST /run. Whether a key is needed is the operator’s choice.',
    tags: ['Script worker'],
    door: 'public',
    asksFor: 'scriptKeyIfRequired',
    body: z.looseObject({ script: z.string(), data: z.array(z.looseObject({})) }),
    bodyExample: EXAMPLE_RUN,
    responses: {
      ...KEY_REFUSALS,
      200: { description: 'As POST /run', schema: runAnswerSchema },
      400: { description: `${BODY_FAULTS}, SCRIPT_ERROR`, schema: statusErrorSchema.extend(compileFaultFields) },
      408: refused('TIMEOUT'),
      413: refused('PAYLOAD_TOO_LARGE: 16 MiB; TOO_MANY_BARS, SCRIPT_TOO_LARGE'),
      422: {
        description: 'RUNTIME_ERROR, MEMORY_LIMIT, UNKNOWN_SYMBOL, BARS_NOT_ARCHIVED',
        schema: statusErrorSchema.extend({ ...runtimeFaultFields, ...marketFaultFields }),
      },
      429: refused('RATE_LIMIT, BUSY; Retry-After says when to try again'),
      502: refused('MARKET_DATA_UNREACHABLE: bars of a market cannot be had, because its venue does not answer'),
      503: refused('API_KEYS_REQUIRED, UNAVAILABLE, STOPPING'),
    },
  },
} satisfies Record<string, EndpointDoc>;

const OAUTH_REFUSALS: Responses = {
  400: refused(`${BODY_FAULTS}, NO_CLIENT_ID`),
  429: refused('RATE_LIMIT; Retry-After says when to try again'),
  500: refused('INTERNAL'),
  502: refused('OAUTH_UPSTREAM'),
};
const provider = deviceStartSchema.shape.provider;

export const OAUTH_DOCS = {
  start: {
    method: 'post',
    path: '/api/git/oauth/device/start',
    summary: 'Begin to sign in at a code host, 8 times a minute',
    tags: ['Code hosts'],
    door: 'public',
    body: deviceStartSchema,
    bodyExample: { provider: 'github', clientId: '$OAUTH_CLIENT_ID' },
    responses: {
      ...OAUTH_REFUSALS,
      200: {
        description: 'Show user_code and verification_uri, then poll',
        schema: z.object({
          ...success,
          provider,
          device_code: z.string(),
          user_code: z.string(),
          verification_uri: z.string(),
          verification_uri_complete: z.string().optional(),
          expires_in: z.int(),
          interval: z.int(),
        }),
      },
    },
  },
  poll: {
    method: 'post',
    path: '/api/git/oauth/device/poll',
    summary: 'Ask whether the user has signed in, 60 times a minute',
    tags: ['Code hosts'],
    door: 'public',
    body: pollSchema,
    bodyExample: { provider: 'github', clientId: '$OAUTH_CLIENT_ID', device_code: '$DEVICE_CODE' },
    responses: {
      ...OAUTH_REFUSALS,
      200: {
        description: 'success with the token; pending: ask again; failed: start again',
        schema: z.object({
          status: z.enum(['success', 'pending', 'failed']),
          provider,
          access_token: z.string().optional(),
          token_type: z.string().optional(),
          scope: z.string().optional(),
          expires_in: z.int().optional(),
          refresh_token: z.string().optional(),
          error: z.enum(['authorization_pending', 'slow_down', 'expired_token', 'access_denied']).optional(),
          error_description: z.string().optional(),
          interval: z.int().optional(),
        }),
      },
    },
  },
} satisfies Record<string, EndpointDoc>;

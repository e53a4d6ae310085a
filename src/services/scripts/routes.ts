// The script worker's routes, described once for /openapi.json and /docs.

import { z } from 'zod';
import type { RouteDoc } from '../../http/openapi.ts';
import { TIERS } from '../../keys/tiers.ts';
import { MAX_PAGE } from '../../library/scripts.ts';
import {
  deviceStartSchema,
  draftSchema,
  errorSchema,
  newKeySchema,
  newScriptSchema,
  pollSchema,
  removalSchema,
  scriptSchema,
} from './schemas.ts';

type Responses = RouteDoc['responses'];

const refused = (description: string) => ({ description, schema: errorSchema });
const ms = z.int().meta({ description: 'Unix milliseconds' });
const success = { status: z.literal('success') };
const tier = z.enum(TIERS);

const summaryFields = {
  id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  path: z.string().optional(),
  revision: z.int(),
  createdAt: ms,
  updatedAt: ms,
};
const summary = z.object({ ...summaryFields, contentBytes: z.int() });
const script = z.object({ ...summaryFields, content: z.string() });
const draft = script.omit({ id: true }).partial({ name: true });
const scriptAnswer = z.object({ ...success, script });

const BODY_FAULTS = 'INVALID_BODY, MISSING_FIELD, INVALID_FIELD, UNKNOWN_FIELDS';
const KEY_REFUSALS: Responses = {
  401: refused('NO_KEY, INVALID_KEY'),
  500: refused('INTERNAL'),
  503: refused('API_KEYS_REQUIRED, UNAVAILABLE'),
};
const WRITE_REFUSALS: Responses = {
  ...KEY_REFUSALS,
  400: refused(BODY_FAULTS),
  409: {
    description: 'CONFLICT, with the revision that is there',
    schema: errorSchema.extend({ remoteRevision: z.int() }),
  },
  413: refused('PAYLOAD_TOO_LARGE: 1 MiB; SCRIPT_TOO_LARGE: 256 KiB; LIBRARY_FULL'),
};
const NOT_THERE: Responses = { 404: refused('NOT_FOUND') };

const EXAMPLE_SCRIPT = { name: 'Cross', content: '//@version=6\nindicator("Cross")\nplot(ta.sma(close, 20))' };
const EXAMPLE_RUN = {
  script: EXAMPLE_SCRIPT.content,
  data: [{ time: 1_700_000_000_000, open: 100, high: 102, low: 99, close: 101, volume: 12 }],
};

const inLibrary = (route: Omit<RouteDoc, 'auth' | 'tags'>): RouteDoc => ({
  ...route,
  tags: ['Script library'],
  auth: 'scriptKey',
});
const revisionQuery = z.object({ revision: z.string().optional().meta({ description: 'Instead of If-Match' }) });

const KEY_ROUTES: readonly RouteDoc[] = [
  {
    method: 'post',
    path: '/api/keys',
    summary: 'Make a key',
    description: 'The key is shown once and lives for a year. With action=validate it answers as GET does.',
    tags: ['Script worker'],
    auth: 'admin',
    query: z.object({ action: z.enum(['create', 'validate']).optional() }),
    body: newKeySchema,
    bodyExample: { tier: 'hobby' },
    responses: {
      200: { description: 'Made', schema: z.object({ ...success, api_key: z.string(), tier, created_at: ms }) },
      400: refused(`${BODY_FAULTS}, INVALID_TIER, INVALID_ACTION`),
      403: refused('FORBIDDEN'),
      500: refused('INTERNAL'),
      503: refused('API_KEYS_REQUIRED, UNAVAILABLE'),
    },
  },
  {
    method: 'get',
    path: '/api/keys',
    summary: 'What is known of a key',
    description: 'With action=create it makes a key as POST does, of the tier in the address.',
    tags: ['Script worker'],
    auth: 'scriptKey',
    query: z.object({ action: z.enum(['create', 'validate']).optional(), tier: tier.optional() }),
    responses: {
      200: { description: 'Known', schema: z.object({ ...success, tier, created_at: ms.optional() }) },
      400: refused('INVALID_ACTION'),
      401: refused('NO_KEY, INVALID_KEY'),
      500: refused('INTERNAL'),
      503: refused('UNAVAILABLE'),
    },
  },
  {
    method: 'get',
    path: '/api/usage',
    summary: 'The runs of a key',
    tags: ['Script worker'],
    auth: 'scriptKey',
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
  {
    method: 'post',
    path: '/api/run',
    summary: 'Run a script over bars, 30 times a minute',
    description: 'Body and answer are those of POST /run. Whether a key is needed is the operator’s choice.',
    tags: ['Script worker'],
    auth: 'scriptKey',
    body: z.looseObject({ script: z.string(), data: z.array(z.looseObject({})) }),
    bodyExample: EXAMPLE_RUN,
    responses: {
      ...KEY_REFUSALS,
      200: { description: 'As POST /run', schema: z.looseObject({ ...success, run_id: z.string() }) },
      400: refused(`${BODY_FAULTS}, SCRIPT_ERROR`),
      408: refused('TIMEOUT'),
      413: refused('PAYLOAD_TOO_LARGE: 16 MiB; TOO_MANY_BARS, SCRIPT_TOO_LARGE'),
      422: refused('RUNTIME_ERROR, MEMORY_LIMIT'),
      429: refused('RATE_LIMIT, BUSY; Retry-After says when to try again'),
      503: refused('API_KEYS_REQUIRED, UNAVAILABLE, STOPPING'),
    },
  },
];

const LIBRARY_ROUTES: readonly RouteDoc[] = [
  inLibrary({
    method: 'get',
    path: '/api/scripts',
    summary: 'List scripts, newest first, without their text',
    query: z.object({
      limit: z.int().min(1).max(MAX_PAGE).optional(),
      cursor: z.string().optional().meta({ description: 'nextCursor of the page before' }),
    }),
    responses: {
      ...KEY_REFUSALS,
      200: {
        description: 'One page; nextCursor is null on the last',
        schema: z.object({ ...success, scripts: z.array(summary), nextCursor: z.string().nullable() }),
      },
      400: refused('INVALID_FIELD'),
    },
  }),
  inLibrary({
    method: 'post',
    path: '/api/scripts',
    summary: 'Make a script',
    body: newScriptSchema,
    bodyExample: EXAMPLE_SCRIPT,
    responses: { ...WRITE_REFUSALS, 201: { description: 'Made; see Location', schema: scriptAnswer } },
  }),
  inLibrary({
    method: 'get',
    path: '/api/scripts/{id}',
    summary: 'Read a script',
    responses: { ...KEY_REFUSALS, ...NOT_THERE, 200: { description: 'Found; see ETag', schema: scriptAnswer } },
  }),
  inLibrary({
    method: 'put',
    path: '/api/scripts/{id}',
    summary: 'Save a script, or make it under this id',
    description: 'With If-Match or revision the save happens only over that revision.',
    query: revisionQuery,
    body: scriptSchema,
    bodyExample: EXAMPLE_SCRIPT,
    responses: {
      ...WRITE_REFUSALS,
      200: { description: 'Saved', schema: scriptAnswer },
      201: { description: 'Made', schema: scriptAnswer },
    },
  }),
  inLibrary({
    method: 'delete',
    path: '/api/scripts/{id}',
    summary: 'Delete a script with its versions',
    query: revisionQuery,
    body: removalSchema,
    bodyExample: {},
    responses: {
      ...WRITE_REFUSALS,
      ...NOT_THERE,
      200: {
        description: 'Deleted',
        schema: z.object({ ...success, id: z.string(), deleted: z.literal(true) }),
      },
    },
  }),
  inLibrary({
    method: 'get',
    path: '/api/scripts/_draft',
    summary: 'Read the draft',
    responses: {
      ...KEY_REFUSALS,
      200: { description: 'null while there is none', schema: z.object({ ...success, draft: draft.nullable() }) },
    },
  }),
  inLibrary({
    method: 'put',
    path: '/api/scripts/_draft',
    summary: 'Save the draft',
    body: draftSchema,
    bodyExample: { content: EXAMPLE_SCRIPT.content },
    responses: {
      ...WRITE_REFUSALS,
      200: { description: 'Saved', schema: z.object({ ...success, draft }) },
      201: { description: 'The first', schema: z.object({ ...success, draft }) },
    },
  }),
  inLibrary({
    method: 'get',
    path: '/api/scripts/{id}/versions',
    summary: 'List the versions that are kept, newest first',
    responses: {
      ...KEY_REFUSALS,
      ...NOT_THERE,
      200: {
        description: 'Found',
        schema: z.object({ ...success, id: z.string(), versions: z.array(summary.extend({ committedAt: ms })) }),
      },
    },
  }),
  inLibrary({
    method: 'get',
    path: '/api/scripts/{id}/versions/{revision}',
    summary: 'Read a version',
    responses: {
      ...KEY_REFUSALS,
      ...NOT_THERE,
      200: { description: 'Found', schema: scriptAnswer },
      400: refused('INVALID_FIELD'),
    },
  }),
];

const OAUTH_REFUSALS: Responses = {
  400: refused(`${BODY_FAULTS}, NO_CLIENT_ID`),
  429: refused('RATE_LIMIT; Retry-After says when to try again'),
  500: refused('INTERNAL'),
  502: refused('OAUTH_UPSTREAM'),
};
const provider = deviceStartSchema.shape.provider;

const OAUTH_ROUTES: readonly RouteDoc[] = [
  {
    method: 'post',
    path: '/api/git/oauth/device/start',
    summary: 'Begin to sign in at a code host, 8 times a minute',
    tags: ['Code hosts'],
    auth: 'none',
    body: deviceStartSchema,
    bodyExample: { provider: 'github' },
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
  {
    method: 'post',
    path: '/api/git/oauth/device/poll',
    summary: 'Ask whether the user has signed in, 60 times a minute',
    tags: ['Code hosts'],
    auth: 'none',
    body: pollSchema,
    bodyExample: { provider: 'github', device_code: 'the-device_code-of-start' },
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
];

export const SCRIPTS_ROUTES: readonly RouteDoc[] = [...KEY_ROUTES, ...LIBRARY_ROUTES, ...OAUTH_ROUTES];

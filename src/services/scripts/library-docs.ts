// The endpoints of the script library but for what they do: described for /openapi.json and /docs.

import { z } from 'zod';
import type { EndpointDoc } from '../../http/endpoint.ts';
import { statusErrorSchema } from '../../http/status-shape.ts';
import { MAX_PAGE } from '../../library/scripts.ts';
import { draftSchema, newScriptSchema, removalSchema, scriptSchema } from './schemas.ts';

type Responses = EndpointDoc['responses'];

const refused = (description: string) => ({ description, schema: statusErrorSchema });
const ms = z.int().meta({ description: 'Unix milliseconds' });
const success = { status: z.literal('success') };

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
    schema: statusErrorSchema.extend({ remoteRevision: z.int() }),
  },
  413: refused('PAYLOAD_TOO_LARGE: 1 MiB; SCRIPT_TOO_LARGE: 256 KiB; LIBRARY_FULL'),
};
const NOT_THERE: Responses = { 404: refused('NOT_FOUND') };

/** The page makes it, reads it, saves it and deletes it. */
const EXAMPLE_ID = 'docs-example';
const EXAMPLE_SCRIPT = { name: 'Cross', content: '//@version=6\nindicator("Cross")\nplot(ta.sma(close, 20))' };
const params = z.object({ id: z.string().meta({ examples: [EXAMPLE_ID] }) });
const inLibrary = (route: Omit<EndpointDoc, 'door' | 'tags'>): EndpointDoc => ({
  ...route,
  tags: ['Script library'],
  door: 'scriptKey',
  unknownQuery: 'ignored',
});
const revisionQuery = z.object({ revision: z.string().optional().meta({ description: 'Instead of If-Match' }) });

export const LIBRARY_DOCS = {
  list: inLibrary({
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
  create: inLibrary({
    method: 'post',
    path: '/api/scripts',
    summary: 'Make a script',
    body: newScriptSchema,
    bodyExample: { id: EXAMPLE_ID, ...EXAMPLE_SCRIPT },
    responses: { ...WRITE_REFUSALS, 201: { description: 'Made; see Location', schema: scriptAnswer } },
  }),
  read: inLibrary({
    method: 'get',
    path: '/api/scripts/{id}',
    params,
    summary: 'Read a script',
    responses: { ...KEY_REFUSALS, ...NOT_THERE, 200: { description: 'Found; see ETag', schema: scriptAnswer } },
  }),
  save: inLibrary({
    method: 'put',
    path: '/api/scripts/{id}',
    params,
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
  remove: inLibrary({
    method: 'delete',
    path: '/api/scripts/{id}',
    params,
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
  readDraft: inLibrary({
    method: 'get',
    path: '/api/scripts/_draft',
    summary: 'Read the draft',
    responses: {
      ...KEY_REFUSALS,
      200: { description: 'null while there is none', schema: z.object({ ...success, draft: draft.nullable() }) },
    },
  }),
  saveDraft: inLibrary({
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
  versions: inLibrary({
    method: 'get',
    path: '/api/scripts/{id}/versions',
    params,
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
  version: inLibrary({
    method: 'get',
    path: '/api/scripts/{id}/versions/{revision}',
    params: params.extend({ revision: z.string().meta({ examples: ['1'] }) }),
    summary: 'Read a version',
    responses: {
      ...KEY_REFUSALS,
      ...NOT_THERE,
      200: { description: 'Found', schema: scriptAnswer },
      400: refused('INVALID_FIELD'),
    },
  }),
} satisfies Record<string, EndpointDoc>;

// Published libraries and help for editors but for what they do: described for /openapi.json and /docs.

import { z } from 'zod';
import type { EndpointDoc } from '../../http/endpoint.ts';
import { statusErrorSchema } from '../../http/status-shape.ts';
import { completionAnswerSchema, diagnosticsAnswerSchema, hoverAnswerSchema } from '../../library/editor-contract.ts';
import { MAX_VERSION, OWN_PUBLISHER } from '../../library/publication.ts';
import { compileFaultFields } from '../../library/run-contract.ts';

type Responses = EndpointDoc['responses'];

const described = <T extends z.ZodType>(schema: T, description: string): T => schema.meta({ description });
const refused = (description: string) => ({ description, schema: statusErrorSchema });
const success = { status: z.literal('success') };

export const newPublicationSchema = z.strictObject({
  scriptId: described(z.string().optional(), 'A script of this key that is declared with library(...)'),
  revision: described(z.int().min(1).optional(), 'Of that script; the current one when left out'),
  content: described(z.string().optional(), 'Instead of scriptId: the library as it is; at most 256 KiB in UTF-8'),
  publisher: described(z.string().optional(), `The first word of the import; ${OWN_PUBLISHER} when left out`),
  name: described(z.string().optional(), 'If sent, it must be what the library calls itself'),
  version: described(z.number().optional(), `1 to ${MAX_VERSION}; the next free one when left out`),
});

export const resolveSchema = z.strictObject({
  script: described(z.string(), 'The script whose imports are wanted; at most 256 KiB in UTF-8'),
});

const summaryFields = {
  publisher: z.string(),
  name: described(z.string(), 'What the library calls itself'),
  version: z.int(),
  import: described(z.string(), 'As scripts write it: publisher/Name/1'),
  digest: described(z.string(), 'SHA-256 of the source'),
  publishedAt: described(z.int(), 'Unix milliseconds'),
  scriptId: described(z.string().nullable(), 'The script it was published from, which may have changed since'),
  revision: z.int().nullable(),
  imports: described(z.array(z.string()), 'What it imports itself'),
  contentBytes: z.int(),
};
const summary = z.object(summaryFields);

const KEY_REFUSALS: Responses = {
  401: refused('NO_KEY, INVALID_KEY'),
  500: refused('INTERNAL'),
  503: refused('API_KEYS_REQUIRED, UNAVAILABLE'),
};
const NOT_THERE: Responses = { 404: refused('NOT_FOUND') };
const BODY_FAULTS = 'INVALID_BODY, MISSING_FIELD, INVALID_FIELD, UNKNOWN_FIELDS';
const COMPILER_REFUSALS: Responses = {
  408: refused('TIMEOUT'),
  422: refused('MEMORY_LIMIT'),
  429: refused('RATE_LIMIT, BUSY; Retry-After says when to try again'),
  503: refused('API_KEYS_REQUIRED, UNAVAILABLE, STOPPING'),
};

/** The page publishes it, reads it and withdraws it. */
const EXAMPLE = {
  publisher: OWN_PUBLISHER,
  version: 1,
  content: '//@version=6\nlibrary("DocsExample")\nexport twice(float x) => x * 2',
};
const EXAMPLE_USER =
  '//@version=6\nindicator("Example")\nimport me/DocsExample/1 as example\nplot(example.twice(close))';
const ofLibrary = z.object({
  publisher: z.string().meta({ examples: [OWN_PUBLISHER] }),
  name: z.string().meta({ examples: ['DocsExample'] }),
});
const ofVersion = ofLibrary.extend({ version: z.string().meta({ examples: ['1'] }) });
const keyed = (route: Omit<EndpointDoc, 'door' | 'tags'>): EndpointDoc => ({
  ...route,
  tags: ['Published libraries'],
  door: 'scriptKey',
});

export const PUBLICATION_DOCS = {
  publish: keyed({
    method: 'post',
    path: '/api/libraries',
    summary: 'Publish a library, so that your scripts can import it',
    description:
      'Each publication is a version that never changes. Code that was published before keeps the version it has. A library of somebody else is brought over with its own publisher and version.',
    body: newPublicationSchema,
    bodyExample: EXAMPLE,
    responses: {
      ...KEY_REFUSALS,
      ...COMPILER_REFUSALS,
      ...NOT_THERE,
      200: { description: 'Published before, as this version', schema: z.object({ ...success, library: summary }) },
      201: { description: 'Published; see Location', schema: z.object({ ...success, library: summary }) },
      400: {
        description: `${BODY_FAULTS}; SCRIPT_ERROR: it does not compile`,
        schema: statusErrorSchema.extend(compileFaultFields),
      },
      409: refused('CONFLICT: the version is that of other code'),
      413: refused('PAYLOAD_TOO_LARGE: 1 MiB; SCRIPT_TOO_LARGE: 256 KiB; LIBRARY_FULL'),
    },
  }),
  list: keyed({
    method: 'get',
    path: '/api/libraries',
    summary: 'List published libraries, the newest first',
    responses: {
      ...KEY_REFUSALS,
      200: { description: 'Every version', schema: z.object({ ...success, libraries: z.array(summary) }) },
    },
  }),
  resolve: keyed({
    method: 'post',
    path: '/api/libraries/resolve',
    summary: 'The sources of everything a script imports',
    description: 'Imports of imports included, ready to be sent as libraries with a request of the Analysis API.',
    body: resolveSchema,
    bodyExample: { script: EXAMPLE_USER },
    responses: {
      ...KEY_REFUSALS,
      200: {
        description: 'What there is of it',
        schema: z.object({
          ...success,
          libraries: z.array(
            z.object({ namespace: z.string(), name: z.string(), version: z.int(), source: z.string() }),
          ),
          missing: described(z.array(z.string()), 'Imports that were not found, or are beyond the limits'),
        }),
      },
      400: refused(BODY_FAULTS),
      413: refused('PAYLOAD_TOO_LARGE: 1 MiB; SCRIPT_TOO_LARGE: 256 KiB'),
    },
  }),
  versions: keyed({
    method: 'get',
    path: '/api/libraries/{publisher}/{name}',
    params: ofLibrary,
    summary: 'List the versions of a library, the highest first',
    responses: {
      ...KEY_REFUSALS,
      ...NOT_THERE,
      200: { description: 'Found', schema: z.object({ ...success, versions: z.array(summary) }) },
    },
  }),
  read: keyed({
    method: 'get',
    path: '/api/libraries/{publisher}/{name}/{version}',
    params: ofVersion,
    summary: 'Read a published library',
    responses: {
      ...KEY_REFUSALS,
      ...NOT_THERE,
      200: {
        description: 'Found',
        schema: z.object({ ...success, library: z.object({ ...summaryFields, content: z.string() }) }),
      },
    },
  }),
  withdraw: keyed({
    method: 'delete',
    path: '/api/libraries/{publisher}/{name}/{version}',
    params: ofVersion,
    summary: 'Withdraw a published library',
    description: 'Its number is given to no other code. Deployments go on with the copy they have.',
    responses: {
      ...KEY_REFUSALS,
      ...NOT_THERE,
      200: {
        description: 'Withdrawn',
        schema: z.object({ ...success, import: z.string(), withdrawn: z.literal(true) }),
      },
      409: refused('CONFLICT: another published library imports it'),
    },
  }),
} satisfies Record<string, EndpointDoc>;

const EXAMPLE_SOURCE = '//@version=6\nindicator("Example")\nplot(ta.sma(close, 20))';
const editorBody = z.looseObject({ source: z.string() });
const placeBody = editorBody.extend({ line: z.int().min(0), character: z.int().min(0) });

const editor = (name: string, body: z.ZodType, bodyExample: unknown, answer: z.ZodType): EndpointDoc => ({
  method: 'post',
  path: `/api/lsp/${name}`,
  unknownQuery: 'ignored',
  summary: `As /lsp/${name}, with your published libraries`,
  tags: ['Published libraries'],
  door: 'scriptKey',
  body,
  bodyExample,
  responses: {
    ...KEY_REFUSALS,
    ...COMPILER_REFUSALS,
    200: { description: 'Found', schema: answer },
    400: refused(BODY_FAULTS),
    413: refused('PAYLOAD_TOO_LARGE, SCRIPT_TOO_LARGE'),
  },
});

export const EDITOR_DOCS = {
  completion: editor(
    'completion',
    placeBody,
    { source: EXAMPLE_SOURCE, line: 2, character: 11 },
    completionAnswerSchema,
  ),
  hover: editor('hover', placeBody, { source: EXAMPLE_SOURCE, line: 2, character: 9 }, hoverAnswerSchema),
  diagnostics: editor('diagnostics', editorBody, { source: EXAMPLE_SOURCE }, diagnosticsAnswerSchema),
} satisfies Record<string, EndpointDoc>;

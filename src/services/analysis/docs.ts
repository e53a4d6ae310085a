// The endpoints of the Analysis API that need no key, but for what they do: described for /openapi.json and /docs.

import { z } from 'zod';
import type { EndpointDoc } from '../../http/endpoint.ts';
import { statusErrorSchema } from '../../http/status-shape.ts';
import { completionAnswerSchema, diagnosticsAnswerSchema, hoverAnswerSchema } from '../../library/editor-contract.ts';
import {
  compileFaultFields,
  marketFaultFields,
  runAnswerSchema,
  runtimeFaultFields,
} from '../../library/run-contract.ts';
import { LARGE_BODY_LIMIT_BYTES } from './body-memory.ts';
import { batchSchema, convertSchema, evaluateSchema, MODES, placeSchema, sourceSchema } from './schemas.ts';

type Responses = EndpointDoc['responses'];

const refused = (description: string) => ({ description, schema: statusErrorSchema });

const BODY_FAULTS = 'INVALID_BODY, MISSING_FIELD, INVALID_FIELD, UNKNOWN_FIELDS';
const COMMON: Responses = {
  400: refused(BODY_FAULTS),
  408: refused('TIMEOUT'),
  413: refused('PAYLOAD_TOO_LARGE, SCRIPT_TOO_LARGE'),
  422: refused('MEMORY_LIMIT'),
  429: refused('BUSY, RATE_LIMITED; Retry-After says when to try again'),
  500: refused('INTERNAL'),
  503: refused('STOPPING'),
};

const EXAMPLE_RUN = {
  script: '//@version=6\nindicator("Example")\nplot(ta.sma(close, 2), "SMA")',
  data: [
    { time: 1_700_000_000_000, open: 100, high: 102, low: 99, close: 101, volume: 12 },
    { time: 1_700_000_060_000, open: 101, high: 103, low: 100, close: 102, volume: 8 },
  ],
};
const EXAMPLE_SOURCE = '//@version=6\nindicator("Example")\nplot(ta.sma(close, 20))';

const EXAMPLE_OLD_SOURCE = '//@version=4\nstudy("Example")\nplot(sma(close, 20), transp=50)';

const free = (route: Omit<EndpointDoc, 'door' | 'method'>): EndpointDoc => ({
  ...route,
  method: 'post',
  door: 'public',
});
const editor = (name: string, summary: string, body: z.ZodType, bodyExample: unknown, answer: z.ZodType): EndpointDoc =>
  free({
    path: `/lsp/${name}`,
    summary,
    tags: ['Editor'],
    body,
    bodyExample,
    responses: { 200: { description: 'Found', schema: answer }, ...COMMON },
  });

export const ANALYSIS_DOCS = {
  run: free({
    path: '/run',
    summary: 'Run a script over bars',
    description:
      'Needs no key. The time limit counts from the moment the script gets a thread. Instead of data, name a market: symbol, timeframe and bars, how many of its newest final bars; they come from the archive, and no venue is asked.',
    tags: ['Analysis'],
    query: z.object({ mode: z.enum(MODES).optional() }),
    body: evaluateSchema,
    bodyLimitBytes: LARGE_BODY_LIMIT_BYTES,
    bodyExample: EXAMPLE_RUN,
    responses: {
      ...COMMON,
      200: { description: 'What the script drew, said and logged', schema: runAnswerSchema },
      400: {
        description: `${BODY_FAULTS}; SCRIPT_ERROR: the script does not compile`,
        schema: statusErrorSchema.extend(compileFaultFields),
      },
      413: refused('PAYLOAD_TOO_LARGE: 16 MiB; TOO_MANY_BARS, SCRIPT_TOO_LARGE'),
      422: {
        description: 'RUNTIME_ERROR, with its place; MEMORY_LIMIT; UNKNOWN_SYMBOL; BARS_NOT_ARCHIVED',
        schema: statusErrorSchema.extend({ ...runtimeFaultFields, ...marketFaultFields }),
      },
      503: refused('STOPPING; UNAVAILABLE: the archive of bars cannot be read'),
    },
  }),
  batch: free({
    path: '/run/batch',
    summary: 'Run up to 8 scripts at once',
    description: 'Each result is what /run would answer, with its status in status_code.',
    tags: ['Analysis'],
    body: batchSchema,
    bodyLimitBytes: LARGE_BODY_LIMIT_BYTES,
    bodyExample: { requests: [EXAMPLE_RUN] },
    responses: {
      200: {
        description: 'One result per request, in their order',
        schema: z.object({
          status: z.literal('success'),
          count: z.number().int(),
          results: z.array(
            z.union([
              runAnswerSchema.extend({ status_code: z.literal(200) }),
              statusErrorSchema.extend({
                status_code: z.number().int().min(400),
                ...compileFaultFields,
                ...runtimeFaultFields,
                ...marketFaultFields,
              }),
            ]),
          ),
        }),
      },
      400: refused(BODY_FAULTS),
      413: refused('PAYLOAD_TOO_LARGE: 16 MiB'),
      500: refused('INTERNAL'),
    },
  }),
  completion: editor(
    'completion',
    'What could be written here',
    placeSchema,
    { source: EXAMPLE_SOURCE, line: 2, character: 11 },
    completionAnswerSchema,
  ),
  hover: editor(
    'hover',
    'What the word here means',
    placeSchema,
    { source: EXAMPLE_SOURCE, line: 2, character: 9 },
    hoverAnswerSchema,
  ),
  diagnostics: editor(
    'diagnostics',
    'What is wrong with a script',
    sourceSchema,
    { source: EXAMPLE_SOURCE },
    diagnosticsAnswerSchema,
  ),
  convert: free({
    path: '/lsp/convert',
    summary: 'A script of version 1 to 4 in version 5',
    description:
      'The text to put in its place, and what was changed. A change to check is one where a person should look whether the script still means the same. A script of version 5 or 6 is refused: INVALID_FIELD.',
    tags: ['Editor'],
    body: convertSchema,
    bodyExample: { source: EXAMPLE_OLD_SOURCE },
    responses: {
      ...COMMON,
      200: {
        description: 'Converted',
        schema: z.object({
          status: z.literal('success'),
          version: z.int().min(1).max(4).meta({ description: 'That the script was written for' }),
          text: z.string(),
          changes: z.array(
            z.object({
              line: z.int().meta({ description: 'Of the old script, from 1' }),
              what: z.string(),
              why: z.string(),
              severity: z.enum(['changed', 'check']),
            }),
          ),
        }),
      },
      400: {
        description: `${BODY_FAULTS}; SCRIPT_ERROR: the script cannot be read`,
        schema: statusErrorSchema.extend(compileFaultFields),
      },
    },
  }),
  runSocket: {
    path: '/ws/run',
    summary: 'Run scripts over one WebSocket',
    description:
      'Send {type:"run", id, …} with the fields of POST /run; the answer is {type:"result", id, …} or an error.',
    tags: ['Analysis'],
  },
};

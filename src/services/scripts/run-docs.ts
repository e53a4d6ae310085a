// What the endpoints of kept runs accept and answer, and their description for /openapi.json and /docs.

import { z } from 'zod';
import type { EndpointDoc } from '../../http/endpoint.ts';
import { statusErrorSchema } from '../../http/status-shape.ts';
import { compileFaultFields, runtimeFaultFields } from '../../library/run-contract.ts';
import { MAX_INPUTS_CHARS, MAX_KEPT_RUNS } from '../../library/runs/kept-run.ts';
import { MAX_STRETCH_BARS } from '../../library/runs/market-stretch.ts';
import { comparisonSchema, keptRunSchema, noteSchema, runSummarySchema } from '../../library/runs/run-schema.ts';
import { SYMBOL_PATTERN } from '../../trading/intake/market-symbol.ts';

const described = <T extends z.ZodType>(schema: T, description: string): T => schema.meta({ description });

const moment = described(
  z.union([z.string().max(40), z.int().min(0)]),
  'ms or s since 1970, or text such as 2024-03-01 or 2024-03-01T14:30:00Z',
);

/** As it stands: a schema would drop a key named __proto__ instead of refusing it. */
const inputs = z.custom<Readonly<Record<string, unknown>>>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    JSON.stringify(value).length <= MAX_INPUTS_CHARS,
  { error: `is not usable, send an object of values by title, ${MAX_INPUTS_CHARS} characters of JSON at most` },
);

export const newRunSchema = z.strictObject({
  scriptId: described(z.string().min(1).max(64), 'A script of this key that declares itself with strategy(...)'),
  revision: described(z.int().min(1).optional(), 'The current one when left out'),
  symbol: z.string().regex(SYMBOL_PATTERN, 'is no market, send 1 to 20 of A-Z a-z 0-9 . _ : / -, such as BTCUSDT'),
  interval: described(z.string().max(20), 'Such as 5m, 4h or 1d'),
  from: described(moment, `The first bar; at most ${MAX_STRETCH_BARS} bars`),
  to: described(moment.optional(), 'The end, not included; now when left out'),
  inputs: described(inputs.optional(), 'Values of the inputs by title'),
  initialCapital: described(z.number().gt(0).optional(), "The script's own when left out"),
  tradeFrom: described(moment.optional(), 'It trades from here on; before, it only warms up'),
  tradeTo: described(moment.optional(), 'And until here, not included'),
  checkRepaint: described(z.boolean().optional(), 'Also look whether its past changes; true when left out'),
  note: described(noteSchema.optional(), 'One line'),
});

export const noteBodySchema = z.strictObject({ note: noteSchema });

type Responses = EndpointDoc['responses'];
const success = { status: z.literal('success') };
const refused = (description: string) => ({ description, schema: statusErrorSchema });
const KEYED: Responses = {
  401: refused('NO_KEY, INVALID_KEY'),
  500: refused('INTERNAL'),
  503: refused('API_KEYS_REQUIRED, UNAVAILABLE'),
};
const RUNS: Responses = {
  ...KEYED,
  404: refused('NOT_FOUND: no such run, script or revision'),
  408: refused('TIMEOUT'),
  422: { description: 'RUNTIME_ERROR, MEMORY_LIMIT', schema: statusErrorSchema.extend(runtimeFaultFields) },
  429: refused('RATE_LIMIT, BUSY'),
  503: refused('API_KEYS_REQUIRED, UNAVAILABLE, STOPPING'),
};
const scriptFault = (description: string) => ({ description, schema: statusErrorSchema.extend(compileFaultFields) });
const params = z.object({ id: z.string().meta({ examples: ['$RUN_ID'] }) });
const ONE: Responses = {
  ...KEYED,
  200: { description: 'The run', schema: z.object({ ...success, run: keptRunSchema }) },
  404: refused('NOT_FOUND'),
};
const PATH = '/api/runs/{id}';

const keyed = (route: Omit<EndpointDoc, 'door' | 'tags'>): EndpointDoc => ({
  ...route,
  tags: ['Kept runs'],
  door: 'scriptKey',
});

export const RUN_DOCS = {
  create: keyed({
    method: 'post',
    path: '/api/runs',
    summary: 'Test a strategy over bars of a market, and keep the run',
    description: `Of each key ${MAX_KEPT_RUNS} are kept; beyond that the oldest without a note goes.`,
    body: newRunSchema,
    bodyExample: { scriptId: '$STRATEGY_ID', symbol: 'BTCUSDT', interval: '1h', from: '2026-01-01', to: '2026-01-08' },
    responses: {
      ...RUNS,
      201: { description: 'Kept', schema: z.object({ ...success, run: keptRunSchema }) },
      400: scriptFault('INVALID_BODY, MISSING_FIELD, INVALID_FIELD, UNKNOWN_FIELDS; SCRIPT_ERROR with diagnostics'),
      409: refused('RUNS_FULL: all that are kept have a note'),
      413: refused('PAYLOAD_TOO_LARGE, TOO_MANY_BARS'),
    },
  }),
  list: keyed({
    method: 'get',
    path: '/api/runs',
    summary: 'Kept runs of a key, newest first, without their trades',
    responses: {
      ...KEYED,
      200: { description: 'Runs', schema: z.object({ ...success, runs: z.array(runSummarySchema) }) },
    },
  }),
  compare: keyed({
    method: 'get',
    path: `${PATH}/compare/{other}`,
    summary: 'Two kept runs beside each other',
    params: params.extend({ other: z.string().meta({ examples: ['$RUN_ID'] }) }),
    responses: {
      ...KEYED,
      200: { description: 'What differs', schema: z.object({ ...success, comparison: comparisonSchema }) },
      404: refused('NOT_FOUND'),
    },
  }),
  read: keyed({ method: 'get', path: PATH, params, summary: 'One kept run', responses: ONE }),
  note: keyed({
    method: 'patch',
    path: PATH,
    params,
    summary: 'Change the note of a kept run',
    body: noteBodySchema,
    bodyExample: { note: 'with fees' },
    responses: {
      ...ONE,
      400: refused('INVALID_BODY, MISSING_FIELD, INVALID_FIELD, UNKNOWN_FIELDS'),
      413: refused('PAYLOAD_TOO_LARGE'),
    },
  }),
  check: keyed({
    method: 'post',
    path: `${PATH}/check`,
    params,
    summary: 'Make a kept run again, and compare',
    description: 'The same revision over the same bars, with the Signalbox of today. Nothing is kept of it.',
    responses: {
      ...RUNS,
      200: {
        description: 'Whether it comes out the same, and what differs',
        schema: z.object({ ...success, same: z.boolean(), engine: z.string(), comparison: comparisonSchema }),
      },
      400: scriptFault('INVALID_FIELD: the market is gone; SCRIPT_ERROR with diagnostics'),
      413: refused('TOO_MANY_BARS'),
    },
  }),
  remove: keyed({
    method: 'delete',
    path: PATH,
    params,
    summary: 'Remove a kept run',
    responses: { ...ONE, 200: { description: 'Removed', schema: z.object(success) } },
  }),
} satisfies Record<string, EndpointDoc>;

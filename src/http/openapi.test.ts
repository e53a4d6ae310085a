// The OpenAPI document: valid, and true to the schemas.
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { EndpointDoc } from './endpoint.ts';
import { buildOpenApi } from './openapi.ts';

const signal = z.object({
  apiKey: z.string(),
  action: z.enum(['LONG', 'SHORT']),
  quantity: z.number().gt(0),
  leverage: z.int().min(1).optional(),
  notify: z.object({ parseMode: z.enum(['Plain', 'HTML']).default('Plain') }).optional(),
  tags: z.array(z.string()).max(3).optional(),
});

const endpoints: EndpointDoc[] = [
  {
    method: 'post',
    path: '/webhook',
    summary: 'Send a signal',
    description: 'One signal.',
    tags: ['signals'],
    door: 'public',
    body: signal,
    bodyExample: { apiKey: 'key' },
    responses: {
      200: { description: 'Done', schema: z.object({ success: z.literal(true), at: z.date() }) },
      400: { description: '' },
    },
  },
  {
    method: 'get',
    path: '/trades/{requestId}/{fill}',
    summary: 'One trade',
    tags: ['trades'],
    door: 'internal',
    params: z.object({ requestId: z.uuid().meta({ examples: ['$REQUEST_ID'] }) }),
    query: z.object({
      limit: z.coerce.number().int().min(1).max(100).default(10).describe('How many'),
      after: z.string(),
    }),
    responses: { 200: { description: 'The trade', schema: z.unknown() }, 404: { description: 'No such trade' } },
  },
  {
    method: 'delete',
    path: '/trades/{requestId}/{fill}',
    summary: 'Gone',
    tags: ['trades'],
    door: 'internal',
    responses: { 204: { description: 'Gone' } },
  },
];

const errorShapeSchema = z.object({
  success: z.literal(false),
  requestId: z.uuid(),
  error: z.string(),
  code: z.string(),
});
const options = {
  title: 'Gateway',
  version: '1.0.0',
  description: 'Signals in.',
  serverUrl: 'http://127.0.0.1:8787',
  endpoints,
  errorShapeSchema,
};

describe('the OpenAPI document', () => {
  const document = buildOpenApi(options) as {
    paths: Record<
      string,
      Record<string, { parameters?: unknown[]; responses: Record<string, unknown>; security: unknown[] }>
    >;
  };

  test('is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(structuredClone(document));
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
  });

  test('is valid without endpoints and without a server too', async () => {
    const { serverUrl, ...rest } = options;
    const result = await new Validator().validate(buildOpenApi({ ...rest, endpoints: [] }));
    expect(result.valid).toBe(true);
  });

  test('describes the body as the client sends it: a default makes a field optional', () => {
    expect(document.paths['/webhook']?.post).toMatchObject({
      security: [],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            example: { apiKey: 'key' },
            schema: {
              required: ['apiKey', 'action', 'quantity'],
              properties: { quantity: { exclusiveMinimum: 0 }, action: { enum: ['LONG', 'SHORT'] } },
            },
          },
        },
      },
    });
  });

  test('gives errors the shape of the service, and every endpoint what the kit may answer before it or after', () => {
    const trade = document.paths['/trades/{requestId}/{fill}']?.get;
    expect(Object.keys(trade?.responses ?? {})).toEqual(['200', '400', '401', '404', '500']);
    expect(trade?.responses['404']).toMatchObject({
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    });
    expect(trade?.security).toEqual([{ internalKey: [] }, { internalBearer: [] }, { session: [] }]);
    expect(document.paths['/webhook']?.post?.responses['400']).toMatchObject({ description: 'Bad Request' });
  });

  test('lists path and query parameters with their rules', () => {
    expect(document.paths['/trades/{requestId}/{fill}']?.get?.parameters).toMatchObject([
      { name: 'requestId', in: 'path', required: true, example: '$REQUEST_ID', schema: { format: 'uuid' } },
      { name: 'fill', in: 'path', required: true, schema: { type: 'string' } },
      {
        name: 'limit',
        in: 'query',
        required: false,
        description: 'How many',
        schema: { minimum: 1, maximum: 100, default: 10 },
      },
      { name: 'after', in: 'query', required: true },
    ]);
  });

  test('refuses to describe a route twice', () => {
    expect(() => buildOpenApi({ ...options, endpoints: [...endpoints, ...endpoints.slice(0, 1)] })).toThrow(
      'POST /webhook is described twice',
    );
  });
});

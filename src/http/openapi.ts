// Builds the OpenAPI 3.1 document of a service from the very schemas that check its requests.
import { STATUS_CODES } from 'node:http';
import { z } from 'zod';

export interface ResponseDoc {
  description: string;
  schema?: z.ZodType;
}

export interface RouteDoc {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  // With parameters in braces: `/trades/{requestId}`.
  path: string;
  summary: string;
  description?: string;
  tags: readonly string[];
  auth: 'none' | 'internal';
  body?: z.ZodType;
  // A body that works as it is; the docs page puts it in the curl line.
  bodyExample?: unknown;
  query?: z.ZodObject;
  params?: z.ZodObject;
  // Error statuses without a schema of their own get the service's error shape.
  responses: Readonly<Record<number, ResponseDoc>>;
}

export interface OpenApiOptions {
  title: string;
  version: string;
  description: string;
  serverUrl?: string;
  routes: readonly RouteDoc[];
  errorShapeSchema: z.ZodType;
}

type JsonObject = Record<string, unknown>;

const ERROR_REF = { $ref: '#/components/schemas/Error' };
const INTERNAL_SECURITY = [{ internalKey: [] }, { internalBearer: [] }];
const SECURITY_SCHEMES = {
  internalKey: { type: 'apiKey', in: 'header', name: 'X-Internal-Auth-Key', description: 'The INTERNAL_TOKEN.' },
  internalBearer: { type: 'http', scheme: 'bearer', description: 'The INTERNAL_TOKEN as a bearer token.' },
};
const PATH_PARAMETER = /\{([^}]+)\}/g;

export function buildOpenApi(options: OpenApiOptions): JsonObject {
  const { title, version, description, serverUrl, routes, errorShapeSchema } = options;
  const paths: Record<string, JsonObject> = {};
  for (const route of routes) {
    const operations = paths[route.path] ?? {};
    if (route.method in operations) {
      throw new Error(`${route.method.toUpperCase()} ${route.path} is described twice. Remove one description.`);
    }
    operations[route.method] = operation(route);
    paths[route.path] = operations;
  }
  const tags = [...new Set(routes.flatMap((route) => route.tags))];
  return {
    openapi: '3.1.0',
    info: { title, version, description },
    ...(serverUrl === undefined ? {} : { servers: [{ url: serverUrl }] }),
    tags: tags.map((name) => ({ name })),
    paths,
    components: { schemas: { Error: jsonSchema(errorShapeSchema, 'output') }, securitySchemes: SECURITY_SCHEMES },
  };
}

function operation(route: RouteDoc): JsonObject {
  const parameters = [...pathParameters(route), ...queryParameters(route)];
  return {
    operationId: operationId(route),
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    tags: [...route.tags],
    security: route.auth === 'internal' ? INTERNAL_SECURITY : [],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined ? {} : { requestBody: requestBody(route.body, route.bodyExample) }),
    responses: responses(route),
  };
}

function operationId({ method, path }: RouteDoc): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function requestBody(schema: z.ZodType, example: unknown): JsonObject {
  const content = { schema: jsonSchema(schema, 'input'), ...(example === undefined ? {} : { example }) };
  return { required: true, content: { 'application/json': content } };
}

function responses(route: RouteDoc): JsonObject {
  const described: Record<string, JsonObject> = {};
  for (const [status, { description, schema }] of Object.entries(route.responses)) {
    described[status] = response(Number(status), description, schema);
  }
  if (route.auth === 'internal') {
    described['401'] ??= response(401, 'The internal token is missing or wrong.');
  }
  return described;
}

function response(status: number, description: string, schema?: z.ZodType): JsonObject {
  const shape = schema === undefined ? (status >= 400 ? ERROR_REF : undefined) : jsonSchema(schema, 'output');
  return {
    description: description === '' ? (STATUS_CODES[status] ?? String(status)) : description,
    headers: { 'X-Request-Id': { description: 'The id of this request.', schema: { type: 'string', format: 'uuid' } } },
    ...(shape === undefined ? {} : { content: { 'application/json': { schema: shape } } }),
  };
}

function pathParameters({ path, params }: RouteDoc): JsonObject[] {
  const schemas = params === undefined ? {} : properties(jsonSchema(params, 'input'));
  return [...path.matchAll(PATH_PARAMETER)].map(([, name = '']) => {
    const schema = schemas[name] ?? { type: 'string' };
    return { name, in: 'path', required: true, schema };
  });
}

function queryParameters({ query }: RouteDoc): JsonObject[] {
  if (query === undefined) return [];
  const schema = jsonSchema(query, 'input');
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(properties(schema)).map(([name, property]) => {
    const { description } = property as JsonObject;
    const note = description === undefined ? {} : { description };
    return { name, in: 'query', required: required.includes(name), ...note, schema: property };
  });
}

function properties(schema: JsonObject): JsonObject {
  return (schema.properties ?? {}) as JsonObject;
}

// Everything is written in place: a reference inside one schema would point into the whole document.
function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    reused: 'inline',
    cycles: 'throw',
    unrepresentable: 'any',
  });
  return rest;
}

// Builds the OpenAPI 3.1 document of a service from the very schemas that check its requests.
import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import { type Door, doorOf, type EndpointDoc } from './endpoint.ts';

export interface ServiceDoc {
  endpoints: readonly EndpointDoc[];
  errorShapeSchema: z.ZodType;
}

export interface OpenApiOptions extends ServiceDoc {
  title: string;
  version: string;
  description: string;
  serverUrl?: string;
  // Services behind the same address with an error shape of their own, by name.
  others?: Readonly<Record<string, ServiceDoc>>;
}

export type JsonObject = Record<string, unknown>;

// Any one of the schemes of a list lets a caller in.
const SECURITY: Readonly<Record<Door, readonly object[]>> = {
  public: [],
  internal: [{ internalKey: [] }, { internalBearer: [] }],
  loopback: [{}, { internalKey: [] }, { internalBearer: [] }],
  admin: [{ adminToken: [] }],
  analysisKey: [{ analysisKey: [] }, { analysisKeyInQuery: [] }],
  scriptKey: [{ scriptKey: [] }, { scriptKeyInQuery: [] }],
};
const SECURITY_SCHEMES = {
  internalKey: { type: 'apiKey', in: 'header', name: 'X-Internal-Auth-Key', description: 'The INTERNAL_TOKEN.' },
  internalBearer: { type: 'http', scheme: 'bearer', description: 'The INTERNAL_TOKEN as a bearer token.' },
  adminToken: { type: 'apiKey', in: 'header', name: 'X-Admin-Token', description: 'The ADMIN_TOKEN.' },
  analysisKey: { type: 'http', scheme: 'bearer', description: 'A key of the analysis API (pyn_…).' },
  analysisKeyInQuery: { type: 'apiKey', in: 'query', name: 'api_key', description: 'The same key in the address.' },
  scriptKey: { type: 'http', scheme: 'bearer', description: 'A key of the script worker (pn_…).' },
  scriptKeyInQuery: { type: 'apiKey', in: 'query', name: 'key', description: 'The same key in the address.' },
};
const PATH_PARAMETER = /\{([^}]+)\}/g;

export function buildOpenApi(options: OpenApiOptions): JsonObject {
  const { title, version, description, serverUrl, endpoints, errorShapeSchema, others = {} } = options;
  const paths: Record<string, JsonObject> = {};
  const schemas: Record<string, JsonObject> = {};
  const tags = new Set<string>();
  for (const [name, service] of Object.entries({ '': { endpoints, errorShapeSchema }, ...others })) {
    schemas[`${name}Error`] = jsonSchema(service.errorShapeSchema, 'output');
    for (const route of service.endpoints) {
      const operations = paths[route.path] ?? {};
      if (route.method in operations) {
        throw new Error(`${route.method.toUpperCase()} ${route.path} is described twice. Remove one description.`);
      }
      operations[route.method] = operation(route, { $ref: `#/components/schemas/${name}Error` });
      paths[route.path] = operations;
      for (const tag of route.tags) tags.add(tag);
    }
  }
  return {
    openapi: '3.1.0',
    info: { title, version, description },
    ...(serverUrl === undefined ? {} : { servers: [{ url: serverUrl }] }),
    tags: [...tags].map((name) => ({ name })),
    paths,
    components: { schemas, securitySchemes: SECURITY_SCHEMES },
  };
}

/** One description of what two processes serve behind one address. */
export function mergeOpenApi(ours: JsonObject, theirs: JsonObject): JsonObject {
  const schemasOf = ({ components }: JsonObject) => (components as { schemas: JsonObject }).schemas;
  return {
    ...ours,
    tags: [...new Map([...tagsOf(ours), ...tagsOf(theirs)].map((tag) => [tag.name, tag])).values()],
    paths: { ...(ours.paths as JsonObject), ...(theirs.paths as JsonObject) },
    components: { ...(ours.components as JsonObject), schemas: { ...schemasOf(ours), ...schemasOf(theirs) } },
  };
}

const tagsOf = ({ tags }: JsonObject) => tags as readonly { readonly name: string }[];

function operation(route: EndpointDoc, errorRef: JsonObject): JsonObject {
  const parameters = [...pathParameters(route), ...queryParameters(route)];
  return {
    operationId: operationId(route),
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    tags: [...route.tags],
    security: SECURITY[route.asksFor ?? doorOf(route)],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined ? {} : { requestBody: requestBody(route.body, route.bodyExample) }),
    responses: responses(route, errorRef),
  };
}

function operationId({ method, path }: EndpointDoc): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function requestBody(schema: z.ZodType, example: unknown): JsonObject {
  const content = { schema: jsonSchema(schema, 'input'), ...(example === undefined ? {} : { example }) };
  return { required: true, content: { 'application/json': content } };
}

function responses(route: EndpointDoc, errorRef: JsonObject): JsonObject {
  const described: Record<string, JsonObject> = {};
  for (const [status, { description, schema }] of Object.entries(route.responses)) {
    described[status] = response(Number(status), description, errorRef, schema);
  }
  if (doorOf(route) === 'internal') {
    described['401'] ??= response(401, 'The internal token is missing or wrong.', errorRef);
  }
  return described;
}

function response(status: number, description: string, errorRef: JsonObject, schema?: z.ZodType): JsonObject {
  const shape = schema === undefined ? (status >= 400 ? errorRef : undefined) : jsonSchema(schema, 'output');
  return {
    description: description === '' ? (STATUS_CODES[status] ?? String(status)) : description,
    headers: { 'X-Request-Id': { description: 'The id of this request.', schema: { type: 'string', format: 'uuid' } } },
    ...(shape === undefined ? {} : { content: { 'application/json': { schema: shape } } }),
  };
}

function pathParameters({ path, params }: EndpointDoc): JsonObject[] {
  const schemas = params === undefined ? {} : properties(jsonSchema(params, 'input'));
  return [...path.matchAll(PATH_PARAMETER)].map(([, name = '']) => {
    const schema = schemas[name] ?? { type: 'string' };
    return { name, in: 'path', required: true, schema };
  });
}

function queryParameters({ query }: EndpointDoc): JsonObject[] {
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

// Builds the OpenAPI 3.1 document of a service from the very schemas that check its requests.
import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import { type Credential, type Door, doorOf, type EndpointDoc, type ResponseDoc } from './endpoint.ts';
import { SAMPLE_VARIABLES, type SampleVariableName } from './sample-variables.ts';
import { unknownQueryWords } from './unknown-query.ts';

export interface ServiceDoc {
  endpoints: readonly EndpointDoc[];
  errorShapeSchema: z.ZodType;
}

export interface OpenApiOptions extends ServiceDoc {
  title: string;
  version: string;
  description: string;
  serverUrl?: string;
  /** Services behind the same address with an error shape of their own, by name. */
  others?: Readonly<Record<string, ServiceDoc>>;
}

export type JsonObject = Record<string, unknown>;

/** Any one entry of a list lets a caller in, with all of its schemes, an empty one without any; the curl lines take the first. */
const SECURITY: Readonly<Record<Door | Credential, readonly object[]>> = {
  public: [],
  internal: [{ internalKey: [] }, { internalBearer: [] }, { session: [] }],
  loopback: [{}, { internalKey: [] }, { internalBearer: [] }, { session: [] }],
  admin: [{ adminToken: [] }],
  analysisKey: [{ analysisKey: [] }, { analysisKeyInQuery: [] }],
  scriptKey: [{ scriptKey: [] }, { scriptKeyInQuery: [] }],
  scriptKeyIfRequired: [{ scriptKey: [] }, { scriptKeyInQuery: [] }, {}],
  internalAndWalletToken: [
    { internalKey: [], walletToken: [] },
    { internalBearer: [], walletToken: [] },
    { session: [], walletToken: [] },
  ],
};

/** The page and the curl lines call a credential by its variable. */
const held = (name: SampleVariableName) => ({ 'x-variable': name, 'x-label': SAMPLE_VARIABLES[name].label });
const bearer = (name: SampleVariableName, description: string) => ({
  ...{ type: 'http', scheme: 'bearer', description },
  ...held(name),
});
const apiKey = (name: SampleVariableName, place: 'header' | 'query', called: string, description: string) => ({
  ...{ type: 'apiKey', in: place, name: called, description },
  ...held(name),
});
const SECURITY_SCHEMES = {
  internalKey: apiKey('INTERNAL_TOKEN', 'header', 'X-Internal-Auth-Key', 'The INTERNAL_TOKEN.'),
  internalBearer: bearer('INTERNAL_TOKEN', 'The INTERNAL_TOKEN as a bearer token.'),
  session: {
    ...{ type: 'apiKey', in: 'cookie', name: 'signalbox_session', 'x-label': 'session' },
    description:
      'The cookie that POST /session sets, for pages of this very address. Its name ends with the port, and begins with __Host- over TLS.',
  },
  walletToken: apiKey('WALLET_TOKEN', 'header', 'X-Wallet-Token', 'The WALLET_TOKEN.'),
  adminToken: apiKey('ADMIN_TOKEN', 'header', 'X-Admin-Token', 'The ADMIN_TOKEN.'),
  analysisKey: bearer('ANALYSIS_KEY', 'A key of the analysis API (pyn_…).'),
  analysisKeyInQuery: apiKey('ANALYSIS_KEY', 'query', 'api_key', 'The same key in the address.'),
  scriptKey: bearer('SCRIPT_KEY', 'A key of the script worker (pn_…).'),
  scriptKeyInQuery: apiKey('SCRIPT_KEY', 'query', 'key', 'The same key in the address.'),
};
/** Doors that a token of the owner opens, and the status without it. */
const TOKENS: Partial<Readonly<Record<Door | Credential, readonly [number, string]>>> = {
  internal: [401, 'internal token'],
  internalAndWalletToken: [401, 'internal or wallet token'],
  loopback: [401, 'internal token'],
  admin: [403, 'admin token'],
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
    'x-variables': SAMPLE_VARIABLES,
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
  for (const [status, doc] of Object.entries(withUnknownQuery(route))) {
    described[status] = response(Number(status), doc, errorRef);
  }
  for (const [status, description] of impliedResponses(route)) {
    described[status] ??= response(status, { description }, errorRef);
  }
  return described;
}

function withUnknownQuery(route: EndpointDoc): EndpointDoc['responses'] {
  const words = unknownQueryWords(route);
  if (words === undefined) return route.responses;
  const own = route.responses[400];
  return {
    ...route.responses,
    400: { ...own, description: own === undefined ? words : `${own.description}; ${words}` },
  };
}

/** What any endpoint of this kind may answer, because the kit answers it before or after the endpoint's own work. */
function impliedResponses(route: EndpointDoc): readonly (readonly [number, string])[] {
  const [refusedStatus, token] = TOKENS[route.asksFor ?? doorOf(route)] ?? [];
  return [
    ...(route.query === undefined ? [] : [[400, 'A parameter is not as described'] as const]),
    ...(route.body === undefined
      ? []
      : [[400, 'The body is not as described'] as const, [413, 'PAYLOAD_TOO_LARGE'] as const]),
    ...(refusedStatus === undefined
      ? []
      : [
          [
            refusedStatus,
            `${refusedStatus === 401 ? 'UNAUTHORIZED' : 'FORBIDDEN'}: the ${token} is missing or wrong`,
          ] as const,
        ]),
    [500, 'INTERNAL: the log has the details under the id of the request'],
  ];
}

function response(status: number, doc: ResponseDoc, errorRef: JsonObject): JsonObject {
  const { description, schema, mediaType } = doc;
  const shape = schema === undefined ? (status >= 400 ? errorRef : undefined) : jsonSchema(schema, 'output');
  const content = {
    ...(shape === undefined ? {} : { 'application/json': { schema: shape } }),
    ...(mediaType === undefined ? {} : { [mediaType]: { schema: { type: 'string' } } }),
  };
  return {
    description: description === '' ? (STATUS_CODES[status] ?? String(status)) : description,
    headers: { 'X-Request-Id': { description: 'The id of this request.', schema: { type: 'string', format: 'uuid' } } },
    ...(Object.keys(content).length === 0 ? {} : { content }),
  };
}

function pathParameters({ path, params }: EndpointDoc): JsonObject[] {
  const schemas = params === undefined ? {} : properties(jsonSchema(params, 'input'));
  return [...path.matchAll(PATH_PARAMETER)].map(([, name = '']) => {
    const { examples, ...schema } = (schemas[name] ?? { type: 'string' }) as JsonObject;
    const [example] = Array.isArray(examples) ? examples : [];
    return { name, in: 'path', required: true, ...(example === undefined ? {} : { example }), schema };
  });
}

function queryParameters({ query }: EndpointDoc): JsonObject[] {
  if (query === undefined) return [];
  const whole = jsonSchema(query, 'input');
  const required = Array.isArray(whole.required) ? whole.required : [];
  return Object.entries(properties(whole)).map(([name, property]) => {
    const { examples, ...schema } = property as JsonObject;
    const { description } = schema;
    const [example] = Array.isArray(examples) ? examples : [];
    const notes = {
      ...(description === undefined ? {} : { description }),
      ...(example === undefined ? {} : { example }),
    };
    return { name, in: 'query', required: required.includes(name), ...notes, schema };
  });
}

function properties(schema: JsonObject): JsonObject {
  return (schema.properties ?? {}) as JsonObject;
}

/** Everything is written in place: a reference inside one schema would point into the whole document. */
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

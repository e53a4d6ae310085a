// Compares an answer of the program with what openapi.json says of its endpoint, status, body and error code.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

export interface SeenAnswer {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly status: number;
  readonly contentType: string | null;
  readonly text: string;
}

/** What is wrong with an answer, in words; undefined when it is as documented. */
export type AnswerChecker = (answer: SeenAnswer) => string | undefined;

interface DescribedResponse {
  /** Of a refusal: names every code that it may have. */
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}
interface Operation {
  readonly responses: Readonly<Record<string, DescribedResponse>>;
}
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

interface NotInTable {
  readonly what: string;
  readonly status: number;
  readonly code: string;
}

/**
 * Answers that belong to no endpoint, and are therefore in no description: the program gives them in the error shape of
 * the service whose paths were tried.
 */
export const NOT_IN_THE_TABLE: readonly NotInTable[] = [
  { what: 'a path that nobody serves, in every process or in one with fewer SERVICES', status: 404, code: 'NOT_FOUND' },
  { what: 'a method that a path does not answer', status: 405, code: 'METHOD_NOT_ALLOWED' },
  { what: 'a stranger below an internal path, who must not learn what there is', status: 401, code: 'UNAUTHORIZED' },
  { what: 'a door behind which no process owns the desk', status: 503, code: 'TRY_AGAIN' },
  { what: 'such a stranger who has guessed too often', status: 429, code: 'RATE_LIMITED' },
];

/** The words of the program where no endpoint answers, and of no endpoint. */
const NOBODY_SERVES = /there is nothing here/;
/** Paths that tests put on an app of the program themselves. */
export const PATHS_OF_TESTS: readonly string[] = ['/test'];

const JSON_TYPE = 'application/json';
const MAX_SHOWN_CHARS = 300;
const MAX_SHOWN_FAULTS = 6;
/** For the log alone: the client has hung up, and nobody gets this answer. */
const CLIENT_GONE = 499;
const FIRST_ERROR_STATUS = 400;

export function createAnswerChecker(document: ApiDocument): AnswerChecker {
  const routes = routesOf(document);
  const { components } = document;
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false, validateSchema: false });
  /** Compiled when they are first needed: a test meets few of all endpoints. */
  const compiled = new Map<object, ValidateFunction>();
  const bodyFault = (schema: object, text: string): string | undefined => {
    const validate = compiled.get(schema) ?? ajv.compile({ ...schema, components });
    compiled.set(schema, validate);
    const body = parsed(text);
    if (body === undefined) return 'the body is no JSON';
    if (validate(body)) return undefined;
    const { errors } = validate;
    const worded = errors?.map(({ instancePath, message, params }) => {
      const { additionalProperty } = params as { additionalProperty?: string };
      return `${instancePath || 'the body'} ${message}${additionalProperty === undefined ? '' : `: "${additionalProperty}"`}`;
    });
    return [...new Set(worded)].slice(0, MAX_SHOWN_FAULTS).join('; ');
  };
  const anyError = { anyOf: Object.keys(components.schemas).map((name) => ({ $ref: `#/components/schemas/${name}` })) };

  return (answer) => {
    const { status, text, contentType } = answer;
    if (status === CLIENT_GONE || PATHS_OF_TESTS.includes(answer.path)) return undefined;
    const isJson = contentType?.startsWith(JSON_TYPE) === true && answer.method !== 'HEAD';
    const inWords = (fault: string): string =>
      `${answer.method} ${answer.path} answered ${status}, but ${fault}\n  ${text.slice(0, MAX_SHOWN_CHARS)}`;
    const outside = isJson && NOT_IN_THE_TABLE.some((row) => row.status === status && row.code === codeIn(text));
    const route = findRoute(routes, answer);
    if (route === undefined) {
      if (!isJson) return undefined;
      if (!outside) return inWords('no endpoint of openapi.json has this path and method');
      const fault = bodyFault(anyError, text);
      return fault && inWords(fault);
    }
    const { responses } = route.operation;
    const described = responses[status];
    if (outside && codeIn(text) === 'TRY_AGAIN') return undefined;
    if (described === undefined && outside && NOBODY_SERVES.test(text)) return undefined;
    if (described === undefined)
      return inWords(`openapi.json describes only ${Object.keys(responses).join(', ')} for ${route.name}`);
    if (!isJson) return undefined;
    const schema = described.content?.[JSON_TYPE]?.schema;
    if (schema === undefined) return inWords(`openapi.json describes no JSON body for it (${route.name})`);
    const fault = bodyFault(schema, text) ?? codeFault(described, answer);
    return fault && inWords(`openapi.json describes ${route.name} otherwise: ${fault}`);
  };
}

/** Clients decide by the code what to do, so each stands in the description of the answer that may have it. */
function codeFault({ description }: DescribedResponse, { status, text }: SeenAnswer): string | undefined {
  const code = status < FIRST_ERROR_STATUS ? undefined : codeIn(text);
  if (typeof code !== 'string' || new RegExp(`\\b${code}\\b`).test(description)) return undefined;
  return `its ${status} names no code ${code}: "${description}"`;
}

interface Route {
  readonly name: string;
  readonly method: string;
  readonly form: RegExp;
  readonly operation: Operation;
}

/** Paths without parameters come first, as the program has it: `/scripts/_draft` is no `/scripts/{id}`. */
function routesOf({ paths }: ApiDocument): readonly Route[] {
  const inOrder = Object.entries(paths).sort(([a], [b]) => a.split('{').length - b.split('{').length);
  return inOrder.flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      form: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`),
      operation,
    })),
  );
}

function findRoute(routes: readonly Route[], { method, path }: SeenAnswer): Route | undefined {
  const asked = method === 'HEAD' ? 'GET' : method;
  return routes.find((route) => route.method === asked && route.form.test(readable(path)));
}

/** Kept from the beginning: some tests watch who parses what. */
const { parse } = JSON;

function parsed(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

const codeIn = (text: string): unknown => (parsed(text) as { code?: unknown } | null | undefined)?.code;

/** As the router reads it: letters may stand there as percent signs and numbers. */
const readable = (path: string): string =>
  path.replace(/(?:%[0-9a-f]{2})+/gi, (signs) => {
    try {
      return decodeURI(signs);
    } catch {
      return signs;
    }
  });

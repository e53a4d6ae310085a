// Random requests for every operation of openapi.json: good ones by its schemas and examples, and the same with something wrong.

import type { Random } from '../random.ts';
import type { KnownNames } from './known-names.ts';
import { mutated, ODD_TEXTS, oddJson, oddValue } from './odd-values.ts';
import { drawValue, type Schema } from './schema-values.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly example?: unknown;
  readonly schema: Schema;
}
interface Described {
  readonly parameters?: readonly Parameter[];
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;
  };
}
/** What a request can be made from. */
export interface RequestDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
}

export interface Operation extends Described {
  readonly method: string;
  readonly path: string;
}

export interface HttpRequest {
  readonly operation: Operation;
  readonly method: string;
  /** With the query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  /** The address it comes from. */
  readonly peer: string;
}

export const OWNER = '127.0.0.1';
export const STRANGER = '203.0.113.9';

/** Only the owner of the machine, or whoever shows a token, may ask for it. */
export const isInternal = ({ security = [] }: Operation): boolean =>
  security.length > 0 && security.every((way) => 'internalKey' in way || 'internalBearer' in way || 'session' in way);

/** The operations whose answers may mean a trade, and which are therefore asked more often. */
export const TRADING_PATHS: readonly string[] = [
  '/webhook',
  '/webhook/tradingview',
  '/email-signal',
  '/orders',
  '/positions/close',
  '/refusals/{id}/resend',
];
const TRADING_WEIGHT = 6;
/** Of a path or a query; longer ones are refused by the server below. */
const LONGEST_WORD = 3000;

export const operationsOf = ({ paths }: RequestDocument): readonly Operation[] =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, described]) => ({ ...described, path, method: method.toUpperCase() })),
  );

/** Each once, and those that trade some more times: one drawn from it is often one of those. */
export const weighted = (operations: readonly Operation[]): readonly Operation[] =>
  operations.flatMap((operation) => {
    const isTrading = operation.method === 'POST' && TRADING_PATHS.includes(operation.path);
    return Array<Operation>(isTrading ? TRADING_WEIGHT : 1).fill(operation);
  });

const CONTENT_TYPES = [
  'application/json; charset=utf-8',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-16',
  'application/xml',
  'nonsense',
  '',
] as const;
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'PROPFIND'] as const;
const ODD_HEADERS: readonly [readonly [string, string], ...(readonly [string, string])[]] = [
  ['content-encoding', 'gzip'],
  ['content-encoding', 'identity'],
  ['accept', 'text/html'],
  ['accept', '*/*;q=0'],
  ['accept-encoding', 'br, gzip;q=0.1, *;q=0'],
  ['accept-language', 'x'.repeat(3000)],
  ['origin', 'null'],
  ['origin', 'https://evil.example'],
  ['sec-fetch-site', 'cross-site'],
  ['host', 'evil.example'],
  ['host', 'localhost:99999'],
  ['host', '[::1'],
  ['x-forwarded-for', '1.2.3.4, , ::1, garbage'],
  ['x-forwarded-for', '127.0.0.1'],
  ['x-forwarded-proto', 'https'],
  ['x-request-id', '../../x'],
  ['x-http-method-override', 'DELETE'],
  ['authorization', 'Bearer'],
  ['authorization', 'Bearer '.repeat(200)],
  ['authorization', 'Basic Og=='],
  ['x-internal-auth-key', 'wrong'],
  ['x-wallet-token', ''],
  ['x-admin-token', 'é'],
  ['cookie', 'signalbox_session=x; signalbox_session=y'],
  ['cookie', '='.repeat(2000)],
  ['if-none-match', '*'],
  ['if-modified-since', 'yesterday'],
  ['range', 'bytes=0-0,1-1,-5'],
  ['expect', '100-continue'],
  ['upgrade', 'websocket'],
  ['connection', 'upgrade'],
  ['idempotency-key', '\t'],
];

/** Makes requests of one server: what its callers know goes in where an example leaves room for it. */
export class HttpRequests {
  readonly #names: KnownNames;
  /** Which headers open the doors of an operation. */
  readonly #credentials: (operation: Operation) => Readonly<Record<string, string>>;

  constructor(names: KnownNames, credentials: (operation: Operation) => Readonly<Record<string, string>>) {
    this.#names = names;
    this.#credentials = credentials;
  }

  make(operation: Operation, random: Random): HttpRequest {
    const isGood = random.chance(20);
    const wrong = (percent: number): boolean => !isGood && random.chance(percent);
    const headers: Record<string, string> = { host: 'localhost', ...this.#credentials(operation) };
    const body = this.#body(operation, random, isGood);
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (wrong(8)) headers['content-type'] = random.of(CONTENT_TYPES);
    for (let odd = wrong(15) ? random.between(1, 3) : 0; odd > 0; odd -= 1) {
      const [name, value] = random.of(ODD_HEADERS);
      headers[name] = value;
    }
    const path = this.#path(operation, random, wrong(20));
    const query = this.#query(operation, random, wrong(50));
    const target = wrong(6) ? oddPath(path, random) : path;
    const method = wrong(4) ? random.of(METHODS) : operation.method;
    const peer = wrong(10) ? STRANGER : OWNER;
    return { operation, method, target: query === '' ? target : `${target}?${query}`, headers, body, peer };
  }

  #path({ path, parameters = [] }: Operation, random: Random, isWrong: boolean): string {
    return path.replace(/\{([^}]+)\}/g, (_, name: string) => {
      const parameter = parameters.find((each) => each.in === 'path' && each.name === name);
      const text = wordOf(isWrong ? oddValue(random) : this.#parameterValue(name, parameter, random));
      // Servers get part of a path encoded by every rule and by none.
      return isWrong && random.chance(30) ? oddlyEncoded(text) : encoded(text);
    });
  }

  #parameterValue(name: string, parameter: Parameter | undefined, random: Random): unknown {
    const known = this.#names.some(name, random);
    if (known !== undefined && random.chance(60)) return known;
    const { example, schema = {} } = parameter ?? {};
    if (example !== undefined && random.chance(70)) return this.#names.filled(String(example));
    return drawValue(schema, random);
  }

  #query({ parameters = [] }: Operation, random: Random, isWrong: boolean): string {
    const wanted = parameters.filter((each) => each.in === 'query' && (each.required || random.chance(25)));
    const pairs = wanted.map((each): string => {
      const value = this.#parameterValue(each.name, each, random);
      return `${each.name}=${encoded(wordOf(value))}`;
    });
    if (!isWrong) return pairs.join('&');
    const names = [...parameters.map(({ name }) => name), ...ODD_TEXTS];
    const name = encoded(names[random.between(0, names.length - 1)] ?? '');
    const value = encoded(wordOf(oddValue(random)));
    return random
      .of([
        () => [...pairs, `${name}=${value}`],
        () => [...pairs, name],
        () => [...pairs, ...pairs, `${name}=${value}`, `${name}=${value}`],
        () => [...pairs, '&&=&==', `${name}[]=${value}`],
        () => [...pairs, random.of(['%', '%zz', '%ff%fe', '+', '?', '\\', '%00', '%F0%9F'])],
      ])()
      .join('&')
      .slice(0, 8000);
  }

  #body({ requestBody }: Operation, random: Random, isGood: boolean): string | Uint8Array | undefined {
    const described = requestBody?.content['application/json'];
    // A body where none belongs.
    if (described === undefined) return !isGood && random.chance(5) ? JSON.stringify(oddValue(random)) : undefined;
    if (!isGood && random.chance(3))
      return Uint8Array.from({ length: random.between(0, 300) }, () => random.between(0, 255));
    const { schema, example } = described;
    let value =
      example !== undefined && random.chance(60)
        ? this.#fromExample(example, schema, random)
        : drawValue(schema, random);
    value = JSON.parse(this.#names.filled(JSON.stringify(this.#withKnown(value, random))));
    if (!isGood) for (let times = random.between(0, 3); times > 0; times -= 1) value = mutated(value, random);
    const text = JSON.stringify(value) ?? '';
    return !isGood && random.chance(12) ? oddJson(text, random) : text;
  }

  /** The example with some more of the fields there are. */
  #fromExample(example: unknown, schema: Schema, random: Random): unknown {
    if (random.chance(50) || typeof example !== 'object' || example === null) return example;
    return { ...(drawValue(schema, random) as object), ...example };
  }

  /** A good key at the top, and ids that exist: without them most bodies end at the first gate. */
  #withKnown(value: unknown, random: Random): unknown {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, old]) => {
        if (name === 'apiKey') return [name, '$WEBHOOK_KEY'];
        const known = typeof old === 'string' && random.chance(30) ? this.#names.some(name, random) : undefined;
        return [name, known ?? old];
      }),
    );
  }
}

/** Any value where only text can stand. */
const wordOf = (value: unknown): string =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, LONGEST_WORD);

/** Half a surrogate pair has no encoding, which is what the replacement is for. */
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());

const oddlyEncoded = (text: string): string =>
  Array.from(Buffer.from(text.slice(0, 200)), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

function oddPath(path: string, random: Random): string {
  const at = random.between(1, path.length);
  return random.of([
    () => `${path}/`,
    () => `/${path}`,
    () => path.toUpperCase(),
    () => `${path.slice(0, at)}%2f${path.slice(at)}`,
    () => `${path.slice(0, at)}%00${path.slice(at)}`,
    () => `${path.slice(0, at)}%`,
    () => `${path}/..%2f..`,
    () => `${path};a=b`,
    () => `${path}/${'a'.repeat(random.between(1, 5000))}`,
    () => path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  ])();
}

/** For a report, and short. */
export const requestText = ({ method, target, headers, body, peer }: HttpRequest): string =>
  JSON.stringify({
    method,
    peer,
    target: target.slice(0, 600),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.slice(0, 100)])),
    body: typeof body === 'string' ? body.slice(0, 1500) : body && Buffer.from(body).toString('hex'),
  });

// One endpoint of a chain: JSON-RPC over HTTP, bounded in time and size, its credentials kept out of every message.

import { EndpointTrouble, errorOf, NodeRefusal, numberOf, readAnswer } from './rpc-answer.ts';

export interface Question {
  readonly method: string;
  readonly params: readonly unknown[];
}

export interface RpcEndpoint {
  /** Host and port: what may be shown. The rest of an address is often a key. */
  readonly host: string;
  ask(question: Question): Promise<unknown>;
  /** In one request where the endpoint allows that. A refusal stands in the place of its answer. */
  askTogether(questions: readonly Question[]): Promise<readonly unknown[]>;
}

export interface RpcEndpointOptions {
  readonly url: string;
  readonly timeoutMs: number;
  readonly fetch?: typeof globalThis.fetch;
}

/** The longest answer asked for, a few dozen calls together, has some kilobytes. */
const MAX_ANSWER_BYTES = 1024 * 1024;
const NO_ADDRESS =
  'an RPC endpoint is an address that begins with http:// or https://; in its login write a percent sign as %25';
const MAX_REST_MS = 60_000;
/** Requests side by side where several questions cannot go together; more look like an attack. */
const MAX_AT_ONCE = 5;

export const createRpcEndpoint = (options: RpcEndpointOptions): RpcEndpoint => new HttpEndpoint(options);

class HttpEndpoint implements RpcEndpoint {
  readonly host: string;
  readonly #address: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeoutMs: number;
  readonly #fetch: typeof globalThis.fetch;
  /** Until it turns out that the endpoint takes no questions together. */
  #isBatching = true;
  #lastId = 0;

  constructor({ url, timeoutMs, fetch = globalThis.fetch }: RpcEndpointOptions) {
    const { address, host, headers } = readAddress(url);
    this.host = host;
    this.#address = address;
    this.#headers = headers;
    this.#timeoutMs = timeoutMs;
    this.#fetch = fetch;
  }

  async ask(question: Question): Promise<unknown> {
    const outcome = readAnswer(await this.#post(this.#numbered(question)));
    if (outcome instanceof NodeRefusal) throw outcome;
    return outcome;
  }

  async askTogether(questions: readonly Question[]): Promise<readonly unknown[]> {
    if (!this.#isBatching || questions.length === 1) return this.#askApart(questions);
    const bodies = questions.map((question) => this.#numbered(question));
    const answers = await this.#post(bodies);
    if (!isBatchAnswer(answers, bodies.length)) {
      this.#isBatching = false;
      return this.#askApart(questions);
    }
    const byId = new Map(answers.map((answer) => [answer?.id, answer]));
    return bodies.map(({ id }) => readAnswer(byId.get(id)));
  }

  async #askApart(questions: readonly Question[]): Promise<readonly unknown[]> {
    const askOne = async (question: Question) => readAnswer(await this.#post(this.#numbered(question)));
    const outcomes: unknown[] = [];
    for (let at = 0; at < questions.length; at += MAX_AT_ONCE)
      outcomes.push(...(await Promise.all(questions.slice(at, at + MAX_AT_ONCE).map(askOne))));
    return outcomes;
  }

  #numbered({ method, params }: Question) {
    this.#lastId += 1;
    return { jsonrpc: '2.0', id: this.#lastId, method, params };
  }

  /** The answer's JSON, whatever it is. */
  async #post(body: unknown): Promise<unknown> {
    const { response, text } = await this.#exchange(JSON.stringify(body));
    try {
      const json: unknown = JSON.parse(text);
      // Some send a proper refusal with an improper status; rate limits and login faults are no refusals.
      if (response.ok || isProperRefusal(response.status, json)) return json;
    } catch {
      if (response.ok) throw new EndpointTrouble('gave an answer that is no JSON');
    }
    throw new EndpointTrouble(`answered HTTP ${response.status}`, {
      restMs: retryAfterMs(response.headers),
      mayHaveArrived: response.status >= 500,
    });
  }

  async #exchange(body: string): Promise<{ readonly response: Response; readonly text: string }> {
    // Taken out of the object, because a fetch that is called as its method refuses.
    const fetch = this.#fetch;
    try {
      const response = await fetch(this.#address, {
        method: 'POST',
        headers: this.#headers,
        body,
        // A redirect would carry the key to wherever it points.
        redirect: 'error',
        signal: AbortSignal.timeout(this.#timeoutMs),
      });
      return { response, text: await readBounded(response) };
    } catch (error) {
      throw error instanceof EndpointTrouble ? error : reachTrouble(error, this.#timeoutMs);
    }
  }
}

/** An endpoint that takes no questions together, or not so many, answers with one refusal for all of them. */
function isBatchAnswer(answers: unknown, count: number): answers is ({ readonly id?: unknown } | null)[] {
  if (!Array.isArray(answers) || answers.length < count) return false;
  return !answers.some((answer) => /\bbatch/i.test(String(errorOf(answer)?.message)));
}

/** For questions that no working endpoint refuses: one that does is in trouble. */
export async function askSurely(endpoint: RpcEndpoint, question: Question): Promise<unknown> {
  return endpoint.ask(question).catch((error) => {
    throw error instanceof NodeRefusal ? new EndpointTrouble(`refuses ${question.method}: ${error.message}`) : error;
  });
}

/** For questions whose answer is one number; anything else is trouble. */
export async function askNumber(endpoint: RpcEndpoint, question: Question): Promise<bigint> {
  const number = numberOf(await askSurely(endpoint, question));
  if (number === undefined) throw new EndpointTrouble(`gave an answer to ${question.method} that is no number`);
  return number;
}

/** Throws without repeating the address: it may hold a key. */
function readAddress(url: string): { address: string; host: string; headers: Record<string, string> } {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) throw new Error(NO_ADDRESS);
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json' };
  if (parsed.username !== '' || parsed.password !== '') {
    headers.authorization = `Basic ${Buffer.from(loginOf(parsed)).toString('base64')}`;
    parsed.username = '';
    parsed.password = '';
  }
  return { address: parsed.href, host: parsed.host, headers };
}

function loginOf({ username, password }: URL): string {
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  } catch {
    throw new Error(NO_ADDRESS);
  }
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new EndpointTrouble('sent an answer that is far too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Only these say for certain that nothing was sent. */
const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** What was thrown is not repeated: it may hold the address. */
function reachTrouble(error: unknown, timeoutMs: number): EndpointTrouble {
  if (error instanceof Error && error.name === 'TimeoutError')
    return new EndpointTrouble(`did not answer within ${timeoutMs / 1000} s`);
  const { code } = ((error as Error).cause ?? {}) as { code?: unknown };
  if (typeof code !== 'string' || !/^[A-Z_]{1,40}$/.test(code)) return new EndpointTrouble('cannot be reached');
  return new EndpointTrouble(`cannot be reached (${code})`, { mayHaveArrived: !NEVER_CONNECTED.has(code) });
}

function retryAfterMs(headers: Headers): number | undefined {
  const text = headers.get('retry-after');
  return text !== null && /^\d{1,6}$/.test(text) ? Math.min(Number(text) * 1000, MAX_REST_MS) : undefined;
}

const isProperRefusal = (status: number, json: unknown): boolean =>
  (status === 400 || status === 500) && errorOf(json) !== undefined;

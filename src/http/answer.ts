// Turns an answer into the exact status, headers and text that go out.
import { validateHeaderName, validateHeaderValue } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface EncodedAnswer {
  readonly status: number;
  readonly text: string;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** An API answer is data: nothing may run, frame, sniff, store or refer from it. */
export const API_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
});

/** Every answer has a JSON body, so statuses that forbid one are a fault of the endpoint. */
const WITHOUT_BODY = new Set([204, 205, 304]);

/** How the bytes travel is the server's business; of these an endpoint may only ask for `connection: close`. */
const SERVERS_OWN = new Set(['date', 'keep-alive', 'trailer', 'transfer-encoding', 'upgrade']);

export function encodeAnswer({ status, body, headers: extra }: Answer, requestId: string): EncodedAnswer {
  if (!(Number.isInteger(status) && status >= 200 && status <= 599) || WITHOUT_BODY.has(status)) {
    throw new Error(`An endpoint answered ${status}. Use a status from 200 to 599 that may have a body.`);
  }
  const text = JSON.stringify(body);
  const headers: Record<string, string> = { ...API_HEADERS, 'content-type': 'application/json' };
  for (const name in extra) headers[name.toLowerCase()] = allowed(name.toLowerCase(), extra[name] ?? '');
  headers['content-length'] = String(Buffer.byteLength(text));
  headers['x-request-id'] = requestId;
  return { status, text, headers };
}

function allowed(name: string, value: string): string {
  if (SERVERS_OWN.has(name) || (name === 'connection' && value !== 'close')) {
    throw new Error(`An endpoint set the header ${name}. Leave it to the server.`);
  }
  // Here, where an endpoint's fault still becomes an answer in shape; later nobody could give one.
  validateHeaderName(name);
  validateHeaderValue(name, value);
  return value;
}

/** Answers of ours, which have every header they need. */
const WHOLE = new WeakSet<Response>();

export function responseOf({ status, text, headers }: EncodedAnswer): Response {
  const response = new Response(text, { status, headers });
  WHOLE.add(response);
  return response;
}

/** The headers that every answer has. To look at those of a response costs more than to make it, so ours are not looked at. */
export function completeHeaders(response: Response, requestId: string): void {
  if (WHOLE.has(response)) return;
  const { headers } = response;
  for (const name in API_HEADERS) {
    if (!headers.has(name)) headers.set(name, API_HEADERS[name] ?? '');
  }
  headers.set('x-request-id', requestId);
}

// Turns an answer into the exact status, header lines and bytes that go out, the same for both roads.

export interface Answer {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface EncodedAnswer {
  readonly status: number;
  readonly text: string;
  // Plain ASCII is the same in both, and latin1 spares the transcoding.
  readonly encoding: 'latin1' | 'utf8';
  // Name, value, name, value: lower case and sorted, as the Headers class lists them.
  readonly headers: string[];
}

// An API answer is data: nothing may run, frame, sniff, store or refer from it.
export const API_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
});

const JSON_TYPE = 'application/json';

// Every answer has a JSON body, so statuses that forbid one are a fault of the door, on every road alike.
const WITHOUT_BODY = new Set([204, 205, 304]);

// How the bytes travel is the server's business; of these a door may only ask for `connection: close`.
const SERVERS_OWN = new Set(['date', 'keep-alive', 'trailer', 'transfer-encoding', 'upgrade']);

export interface EncodedBody {
  readonly text: string;
  readonly encoding: 'latin1' | 'utf8';
  readonly length: string;
}

export function encodeBody({ status, body }: Answer): EncodedBody {
  if (!(Number.isInteger(status) && status >= 200 && status <= 599) || WITHOUT_BODY.has(status)) {
    throw new Error(`A door answered ${status}. Use a status from 200 to 599 that may have a body.`);
  }
  const text = JSON.stringify(body);
  const byteLength = Buffer.byteLength(text);
  return { text, encoding: byteLength === text.length ? 'latin1' : 'utf8', length: String(byteLength) };
}

export function encodeAnswer(answer: Answer, requestId: string): EncodedAnswer {
  const { text, encoding, length } = encodeBody(answer);
  const headers =
    answer.headers === undefined ? plainHeaders(length, requestId) : mergedHeaders(answer.headers, length, requestId);
  return { status: answer.status, text, encoding, headers };
}

// Written out in order: sorting eight names for every answer would cost more than encoding it.
export function plainHeaders(length: string, requestId: string): string[] {
  return [
    'cache-control',
    'no-store',
    'content-length',
    length,
    'content-security-policy',
    "default-src 'none'; frame-ancestors 'none'",
    'content-type',
    JSON_TYPE,
    'referrer-policy',
    'no-referrer',
    'x-content-type-options',
    'nosniff',
    'x-frame-options',
    'DENY',
    'x-request-id',
    requestId,
  ];
}

function mergedHeaders(extra: Readonly<Record<string, string>>, length: string, requestId: string): string[] {
  const all: Record<string, string> = { ...API_HEADERS, 'content-type': JSON_TYPE };
  for (const [name, value] of Object.entries(extra)) {
    const lower = name.toLowerCase();
    if (SERVERS_OWN.has(lower) || (lower === 'connection' && value !== 'close')) {
      throw new Error(`A door set the header ${lower}. Leave it to the server.`);
    }
    all[lower] = value;
  }
  all['content-length'] = length;
  all['x-request-id'] = requestId;
  return Object.entries(all)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flat();
}

export function responseOf({ status, text, headers }: EncodedAnswer): Response {
  const fields = new Headers();
  for (let i = 0; i < headers.length; i += 2) fields.set(headers[i] ?? '', headers[i + 1] ?? '');
  return new Response(text, { status, headers: fields });
}

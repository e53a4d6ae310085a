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

export function encodeAnswer(answer: Answer, requestId: string): EncodedAnswer {
  const text = JSON.stringify(answer.body);
  const byteLength = Buffer.byteLength(text);
  const length = String(byteLength);
  const headers =
    answer.headers === undefined ? plainHeaders(length, requestId) : mergedHeaders(answer.headers, length, requestId);
  return { status: answer.status, text, encoding: byteLength === text.length ? 'latin1' : 'utf8', headers };
}

// Written out in order: sorting eight names for every answer would cost more than encoding it.
function plainHeaders(length: string, requestId: string): string[] {
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
  for (const [name, value] of Object.entries(extra)) all[name.toLowerCase()] = value;
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

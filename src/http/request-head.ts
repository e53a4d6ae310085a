// Recognises the one plain form of request that the fast lane serves, and reads its headers when somebody asks.

export interface PlainRequest<Road> {
  readonly road: Road;
  readonly head: string;
  readonly body: Uint8Array;
  readonly isForwarded: boolean;
}

// A road that a request can take: found by its path, with a limit on the body.
export interface Destination {
  readonly limitBytes: number;
}

// Request line and fields together; node's own limit counts less than these bytes, so it is never the stricter one.
const MAX_HEAD_BYTES = 16 * 1024;

// Stricter than node in every place: no folded lines, no bare CR or LF, no byte beyond ASCII, no odd query, and far
// fewer fields than the 2000 after which node drops some.
const PLAIN_HEAD =
  /^POST (\/[!-"$->@-~]*)(?:\?[\w.~!$&'()*+,;=:@/?%-]*)? HTTP\/1\.1\r\n(?:[\w!#$%&'*+.^`|~-]+:[\t -~]*\r\n){1,64}\r\n/;

// Every field that says how the request is framed or how the connection goes on, and the one the client address needs.
const TELLING_FIELD =
  /\r\n(?:(host)|(content-length)|(connection)|(x-forwarded-for)|transfer-encoding|expect|upgrade|trailer|proxy-connection):[\t ]*([^\r]*)/gi;

const PLAIN_LENGTH = /^\d{1,9}$/;
const KEEP_ALIVE = /^keep-alive$/i;

// Undefined for anything but exactly one whole, plain request to a known road: that is node's to judge.
export function readPlainRequest<Road extends Destination>(
  chunk: Buffer,
  roads: ReadonlyMap<string, Road>,
): PlainRequest<Road> | undefined {
  const match = PLAIN_HEAD.exec(chunk.toString('latin1', 0, MAX_HEAD_BYTES));
  if (match === null) return undefined;
  const road = roads.get(match[1] ?? '');
  if (road === undefined) return undefined;
  const head = match[0];
  const framing = readFraming(head);
  if (framing === undefined || framing.bodyBytes > road.limitBytes) return undefined;
  if (head.length + framing.bodyBytes !== chunk.length) return undefined;
  return { road, head, body: chunk.subarray(head.length), isForwarded: framing.isForwarded };
}

interface Framing {
  readonly bodyBytes: number;
  readonly isForwarded: boolean;
}

function readFraming(head: string): Framing | undefined {
  let hosts = 0;
  let connections = 0;
  let bodyBytes = -1;
  let isForwarded = false;
  TELLING_FIELD.lastIndex = 0;
  for (let field = TELLING_FIELD.exec(head); field !== null; field = TELLING_FIELD.exec(head)) {
    const [, host, contentLength, connection, forwardedFor, value = ''] = field;
    if (host !== undefined) hosts += 1;
    else if (contentLength !== undefined) {
      if (bodyBytes >= 0 || !PLAIN_LENGTH.test(value)) return undefined;
      bodyBytes = Number(value);
    } else if (connection !== undefined) {
      connections += 1;
      if (connections > 1 || !KEEP_ALIVE.test(value)) return undefined;
    } else if (forwardedFor !== undefined) isForwarded = true;
    else return undefined;
  }
  return hosts === 1 && bodyBytes >= 0 ? { bodyBytes, isForwarded } : undefined;
}

// Node keeps only the first of these when a client repeats them; all others it joins.
const FIRST_ONE_COUNTS = new Set([
  'age',
  'authorization',
  'content-length',
  'content-type',
  'etag',
  'expires',
  'from',
  'host',
  'if-modified-since',
  'if-unmodified-since',
  'last-modified',
  'location',
  'max-forwards',
  'proxy-authorization',
  'referer',
  'retry-after',
  'server',
  'user-agent',
]);

// The value as node would give it, in one string. Lazy: most doors never ask, so nothing is prepared.
export function headerValue(head: string, name: string): string | undefined {
  const wanted = name.toLowerCase();
  const values: string[] = [];
  let start = head.indexOf('\r\n') + 2;
  for (let end = head.indexOf('\r\n', start); end > start; end = head.indexOf('\r\n', start)) {
    const colon = start + wanted.length;
    if (head[colon] === ':' && head.slice(start, colon).toLowerCase() === wanted) {
      values.push(trimBlanks(head.slice(colon + 1, end)));
    }
    start = end + 2;
  }
  if (values.length < 2 || FIRST_ONE_COUNTS.has(wanted)) return values[0];
  return values.join(wanted === 'cookie' ? '; ' : ', ');
}

function trimBlanks(text: string): string {
  return text.replace(/^[\t ]+|[\t ]+$/g, '');
}

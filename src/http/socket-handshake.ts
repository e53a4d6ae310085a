// The handshake of a WebSocket: what is checked before the upgrade, and the plain answer of a refusal.
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { encodeAnswer } from './answer.ts';
import type { Endpoint, EndpointDoc } from './endpoint.ts';
import type { ErrorRow, ErrorShape } from './errors.ts';
import type { Origins } from './origins.ts';
import { statusShape } from './status-shape.ts';

export const SOCKET_ERRORS = {
  BAD_HANDSHAKE: { status: 400, message: 'this is no WebSocket handshake; connect with a WebSocket client' },
  UNAUTHORIZED: { status: 401, message: 'this WebSocket is for the owner; show the token as with every other request' },
  FOREIGN_ORIGIN: {
    status: 403,
    message:
      'pages of this origin may not connect; add it to ALLOWED_ORIGINS, or set BASE_URL if it is the address of Signalbox itself',
  },
  NOT_FOUND: { status: 404, message: 'no WebSocket is served at this path; /docs lists every endpoint' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'a WebSocket begins with GET' },
  UPGRADE_REQUIRED: { status: 426, message: 'a WebSocket is served here; connect with version 13 of its protocol' },
  TOO_MANY_SOCKETS: { status: 429, message: 'too many open sockets of this address; close some of them' },
  SOCKETS_FULL: { status: 503, message: 'no more sockets can be served; try again in a moment' },
  AWAY: { status: 503, message: 'this part is being started again; try again in a second' },
  STOPPING: { status: 503, message: 'Signalbox is about to stop; try again after its start' },
} as const satisfies Record<string, ErrorRow>;

export type SocketErrorCode = keyof typeof SOCKET_ERRORS;

/** What only a refusal of this code has to say besides. */
const EXTRA_HEADERS: Partial<Record<SocketErrorCode, Readonly<Record<string, string>>>> = {
  UNAUTHORIZED: { 'www-authenticate': 'Bearer' },
  METHOD_NOT_ALLOWED: { allow: 'GET' },
  UPGRADE_REQUIRED: { 'sec-websocket-version': '13' },
  TOO_MANY_SOCKETS: { 'retry-after': '30' },
  SOCKETS_FULL: { 'retry-after': '5' },
  AWAY: { 'retry-after': '1' },
  STOPPING: { 'retry-after': '5' },
};

const NONCE = /^[+/0-9A-Za-z]{22}==$/;

/** Every other upgrade, such as the h2c that some HTTP clients offer with each request, may be answered as if unasked. */
export const asksForWebSocket = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade?.trim().toLowerCase() === 'websocket';

/**
 * Looks at the form of the handshake and where it comes from; undefined when both are fine. Version 8 is refused although the
 * library speaks it: there the origin stood under another name.
 */
export function handshakeFault(
  incoming: IncomingMessage,
  origins: Origins,
  isOwnPage: () => boolean,
): SocketErrorCode | undefined {
  const { method, headers } = incoming;
  if (method !== 'GET') return 'METHOD_NOT_ALLOWED';
  if (!asksForWebSocket(incoming) || headers['sec-websocket-version'] !== '13') return 'UPGRADE_REQUIRED';
  if (!NONCE.test(headers['sec-websocket-key'] ?? '')) return 'BAD_HANDSHAKE';
  // Browsers name the page that connects; other programs have no page.
  const { origin } = headers;
  return origin === undefined || origins.allows(origin) || isOwnPage() ? undefined : 'FOREIGN_ORIGIN';
}

/** Answers in plain HTTP, in the error shape, and closes. Returns the status. `words` say it better than the table. */
export function refuseHandshake(
  socket: Duplex,
  code: SocketErrorCode,
  requestId: string,
  shape: ErrorShape,
  words?: string,
): number {
  const { status, message: general } = SOCKET_ERRORS[code];
  const message = words ?? general;
  const body = shape({ code, message, requestId, extra: {} });
  const headers = { ...EXTRA_HEADERS[code], connection: 'close' };
  const { text, headers: fields } = encodeAnswer({ status, body, headers }, requestId);
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  // The answer 426 has to name the protocol it asks for.
  if (status === 426) head += 'upgrade: websocket\r\n';
  for (const name in fields) head += `${name}: ${fields[name]}\r\n`;
  if (socket.writable) socket.end(`${head}\r\n${text}`, () => socket.destroy());
  else socket.destroy();
  return status;
}

/** What a plain GET is told where a WebSocket is served; the app would answer that there is nothing. */
export function socketEndpoint(
  doc: Pick<EndpointDoc, 'path' | 'summary' | 'description' | 'tags'>,
  shape: ErrorShape = statusShape,
): Endpoint {
  const code = 'UPGRADE_REQUIRED';
  const { status, message } = SOCKET_ERRORS[code];
  return {
    ...doc,
    method: 'get',
    door: 'public',
    responses: {
      101: { description: 'The connection is a WebSocket from here on' },
      426: { description: 'UPGRADE_REQUIRED: connect with a WebSocket client' },
    },
    handler: (c) =>
      c.json(shape({ code, message, requestId: c.var.requestId, extra: {} }), status, {
        ...EXTRA_HEADERS[code],
        upgrade: 'websocket',
        connection: 'upgrade',
      }),
  };
}

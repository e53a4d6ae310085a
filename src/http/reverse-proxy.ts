// Passes requests and WebSockets on to another process of ours as bytes: nothing is read or kept here.
//
// A connection of its own for each: one that were kept could be closed by the other side in the very moment it is used
// again, and a new one on the same machine costs microseconds.
import { type IncomingMessage, type RequestListener, request, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { foregroundTimers } from '../timing/timers.ts';
import { wait } from '../timing/wait.ts';
import { originText, PEER_HEADER } from './passed-on.ts';
import { peerOfSocket } from './peers.ts';
import type { Sockets } from './server.ts';

export interface ReverseProxyOptions {
  /** The Unix socket of the other process, asked for with each request; undefined where there is nobody to pass it on to. */
  readonly target: () => string | undefined;
  /** Whether a request comes from the owner's own session. The cookie itself is not passed on. */
  readonly vouchFor?: (incoming: IncomingMessage) => boolean | Promise<boolean>;
  /** Answers when the other process is not there. */
  readonly onUnavailable: RequestListener;
  /** The same for the handshake of a WebSocket. */
  readonly onSocketUnavailable: (incoming: IncomingMessage, socket: Duplex) => void;
}

/** What the process behind the door is told of where a request comes from; cookies are for the process at the door alone. */
const introduced = (incoming: IncomingMessage, isVouched: boolean): readonly string[] => [
  PEER_HEADER,
  originText(incoming, isVouched),
];

const staysHere = (name: string): boolean => name === PEER_HEADER || name === 'cookie';

/** From where it came is not known any more: passed on it would look as if it came from this process. */
const hasLeft = ({ socket }: IncomingMessage): boolean => peerOfSocket(socket) === undefined;

export interface ReverseProxy extends Sockets {
  readonly serve: RequestListener;
}

/** They are about one connection, not about the request. */
const OF_THE_CONNECTION = new Set(
  'connection keep-alive proxy-connection upgrade te trailer http2-settings'.split(' '),
);

export function createReverseProxy(options: ReverseProxyOptions): ReverseProxy {
  const { target, vouchFor = () => false, onUnavailable, onSocketUnavailable } = options;
  const tunnels = new Set<Duplex>();

  const onUpgrade: Sockets['onUpgrade'] = (incoming, socket, head) => {
    if (hasLeft(incoming)) return void socket.destroy();
    const path = target();
    if (path === undefined) return onSocketUnavailable(incoming, socket);
    tunnels.add(socket);
    const other = connect({ path });
    const end = (): void => {
      tunnels.delete(socket);
      socket.destroy();
      other.destroy();
    };
    for (const side of [socket, other]) side.on('close', end);
    socket.on('error', end);
    other.once('error', () => {
      tunnels.delete(socket);
      other.off('close', end);
      onSocketUnavailable(incoming, socket);
    });
    other.once('connect', () => {
      other.removeAllListeners('error').on('error', end);
      other.write(handshakeText(incoming), 'latin1');
      other.write(head);
      (socket as Socket).setTimeout?.(0);
      socket.pipe(other).pipe(socket);
    });
  };

  /** Most requests need nobody's word, and do not wait for one. */
  const serveVouched = async (incoming: IncomingMessage, outgoing: ServerResponse, to: string): Promise<void> => {
    const word = vouchFor(incoming);
    const isVouched = typeof word === 'boolean' ? word : await word;
    if (outgoing.destroyed) return;
    passOn(incoming, outgoing, { to, headers: passedHeaders(incoming, isVouched), onUnavailable });
  };

  return {
    serve(incoming, outgoing) {
      if (hasLeft(incoming)) return void outgoing.destroy();
      const to = target();
      if (to === undefined) onUnavailable(incoming, outgoing);
      else serveVouched(incoming, outgoing, to).catch(() => onUnavailable(incoming, outgoing));
    },
    onUpgrade,
    /** The other process says good-bye to its clients itself; this waits for it. */
    async stop(drainMs) {
      const endMs = performance.now() + drainMs;
      while (tunnels.size > 0 && performance.now() < endMs) await wait(10, { timers: foregroundTimers });
      for (const socket of tunnels) socket.destroy();
    },
  };
}

interface Passed extends Pick<ReverseProxyOptions, 'onUnavailable'> {
  readonly to: string;
  readonly headers: readonly string[];
}

function passOn(incoming: IncomingMessage, outgoing: ServerResponse, parts: Passed): void {
  const { to, headers: told, onUnavailable } = parts;
  const { method, url: path } = incoming;
  // Said in words, or it would be "close", and the other side's own request to close could not be told from it.
  const headers = [...told, 'connection', 'keep-alive'];
  // Without an agent, which would be made for each request and hand over this one connection.
  const createConnection = (): Socket => connect({ path: to });
  const passed = request({ method, path, headers, createConnection, setHost: false });
  let isAnswered = false;
  passed.on('continue', () => outgoing.writeContinue());
  passed.on('response', (answer) => {
    isAnswered = true;
    outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage, answerHeaders(answer));
    // Cut off where the other process ends in the middle of it: half an answer must not look like a whole one.
    answer.on('error', () => outgoing.destroy());
    answer.pipe(outgoing);
  });
  /** What is still coming is of no use to anybody, but the next request on this connection stands behind it. */
  const skipRest = (): void => {
    incoming.unpipe(passed);
    incoming.resume();
  };
  passed.on('error', () => {
    skipRest();
    if (!isAnswered && !outgoing.destroyed) onUnavailable(incoming, outgoing);
  });
  outgoing.on('close', () => {
    passed.destroy();
    skipRest();
  });
  if (hasBody(incoming)) incoming.pipe(passed);
  else passed.end();
}

/**
 * Only what is passed on as one: bytes behind a head that says nothing of them would be a request of their own to the other side,
 * with our word for where it comes from.
 */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

/** As names and values in turn, the way they came. */
function passedHeaders(incoming: IncomingMessage, isVouched: boolean): string[] {
  const { rawHeaders } = incoming;
  const headers = [...introduced(incoming, isVouched)];
  // Only HTTP/1.0 may leave it out, and the request goes on as HTTP/1.1.
  if (incoming.headers.host === undefined) headers.push('host', '');
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = rawHeaders.slice(i, i + 2);
    const lower = name.toLowerCase();
    if (!OF_THE_CONNECTION.has(lower) && !staysHere(lower)) headers.push(name, value);
  }
  return headers;
}

/** How the answer is cut into pieces is decided anew; a request to close the connection, or to upgrade it, goes through. */
function answerHeaders({ rawHeaders }: IncomingMessage): string[] {
  const headers: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = rawHeaders.slice(i, i + 2);
    const lower = name.toLowerCase();
    const isOurs =
      ['keep-alive', 'transfer-encoding'].includes(lower) || (lower === 'connection' && value === 'keep-alive');
    if (!isOurs) headers.push(name, value);
  }
  return headers;
}

/** The head of the request as it came, a byte for each character, with its origin. No session is vouched for: there is no socket of the owner behind the door. */
function handshakeText(incoming: IncomingMessage): string {
  const { method, url, rawHeaders } = incoming;
  const told = introduced(incoming, false);
  let text = `${method} ${url} HTTP/1.1\r\n`;
  for (let i = 0; i < told.length; i += 2) text += `${told[i]}: ${told[i + 1]}\r\n`;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = rawHeaders.slice(i, i + 2);
    if (!staysHere(name.toLowerCase())) text += `${name}: ${value}\r\n`;
  }
  return `${text}\r\n`;
}

// Passes requests and WebSockets on to another process of ours as bytes: nothing is read or kept here.
//
// A connection of its own for each: one that were kept could be closed by the other side in the very moment it is used
// again, and a new one on the same machine costs microseconds.
import {
  type ClientRequest,
  type IncomingMessage,
  type RequestListener,
  request,
  type ServerResponse,
} from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { foregroundTimers } from '../timing/timers.ts';
import { wait } from '../timing/wait.ts';
import { originText, PEER_HEADER } from './passed-on.ts';
import type { Sockets } from './server.ts';

export interface ReverseProxyOptions {
  /** Asked for each request; undefined where there is nobody to pass it on to. */
  readonly target: (incoming: IncomingMessage) => ProxyTarget | undefined;
  readonly introduction: Introduction;
  /** Whether a request comes from the owner's own session. The cookie itself is not passed on. */
  readonly vouchFor?: (incoming: IncomingMessage) => boolean | Promise<boolean>;
  /** Answers when the other process is not there. */
  readonly onUnavailable: RequestListener;
  /** The same when it ends before the first byte of its answer, and may have carried the request out. */
  readonly onBroken?: RequestListener;
  /** The same for the handshake of a WebSocket. */
  readonly onSocketUnavailable: (incoming: IncomingMessage, socket: Duplex) => void;
}

/** A Unix socket of this machine, or a port of some machine. */
export type ProxyTarget = { readonly path: string } | { readonly host: string; readonly port: number };

/** What the process behind the door is told of where a request comes from. */
export interface Introduction {
  /** Names and values in turn. */
  headersOf(incoming: IncomingMessage, isVouched: boolean): readonly string[];
  /** Whether what the client wrote in this header, its name in lower case, stays here. */
  keepsHere(name: string, incoming: IncomingMessage): boolean;
}

/**
 * For a process whose socket only this one can reach. Cookies are for the process at the door alone: behind it keys rule.
 */
export const byPeerHeader: Introduction = {
  headersOf: (incoming, isVouched) => [PEER_HEADER, originText(incoming, isVouched)],
  keepsHere: (name) => name === PEER_HEADER || name === 'cookie',
};

/** From where it came is not known any more: passed on it would look as if it came from this process. */
const hasLeft = ({ socket }: IncomingMessage): boolean => socket.remoteAddress === undefined;

const FORWARDED_FOR = 'x-forwarded-for';
const FORWARDED_PROTO = 'x-forwarded-proto';
/** On what was passed on that way: whoever would pass it on again is part of a circle. */
export const PASSED_ON_HEADER = 'x-signalbox-passed-on';

/**
 * As every proxy does it, for a process that others can reach too: it believes this where TRUSTED_PROXIES names us. So we say for
 * ourselves what came in without TLS, and pass on the word of a proxy alone that we trust too.
 */
export function byForwardedFor(isTrusted: (peer: string) => boolean): Introduction {
  const ours = new Set([FORWARDED_FOR, PEER_HEADER, PASSED_ON_HEADER]);
  const peerOf = ({ socket }: IncomingMessage): string => String(socket.remoteAddress);
  return {
    headersOf(incoming) {
      const before = incoming.headers[FORWARDED_FOR];
      const peer = peerOf(incoming);
      const chain = before === undefined ? peer : `${String(before)}, ${peer}`;
      const protocol = isTrusted(peer) ? [] : [FORWARDED_PROTO, 'http'];
      return [FORWARDED_FOR, chain, PASSED_ON_HEADER, '1', ...protocol];
    },
    keepsHere: (name, incoming) => ours.has(name) || (name === FORWARDED_PROTO && !isTrusted(peerOf(incoming))),
  };
}

export interface ReverseProxy extends Sockets {
  readonly serve: RequestListener;
  /** Gives up what is under way: the other process will not answer it any more. */
  cut(): void;
}

/** They are about one connection, not about the request. */
const OF_THE_CONNECTION = new Set(
  'connection keep-alive proxy-connection upgrade te trailer http2-settings'.split(' '),
);

export function createReverseProxy(options: ReverseProxyOptions): ReverseProxy {
  const { target, introduction, vouchFor = () => false, onUnavailable, onSocketUnavailable } = options;
  const { onBroken = onUnavailable } = options;
  const tunnels = new Set<Duplex>();
  const underWay = new Set<ClientRequest>();

  const onUpgrade: Sockets['onUpgrade'] = (incoming, socket, head) => {
    if (hasLeft(incoming)) return void socket.destroy();
    const to = target(incoming);
    if (to === undefined) return onSocketUnavailable(incoming, socket);
    tunnels.add(socket);
    const other = connect(to);
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
      other.write(handshakeText(incoming, introduction), 'latin1');
      other.write(head);
      (socket as Socket).setTimeout?.(0);
      socket.pipe(other).pipe(socket);
    });
  };

  /** Most requests need nobody's word, and do not wait for one. */
  const serveVouched = async (incoming: IncomingMessage, outgoing: ServerResponse, to: ProxyTarget): Promise<void> => {
    const word = vouchFor(incoming);
    const isVouched = typeof word === 'boolean' ? word : await word;
    if (outgoing.destroyed) return;
    const headers = passedHeaders(incoming, introduction, isVouched);
    const passed = passOn(incoming, outgoing, { to, headers, onUnavailable, onBroken });
    underWay.add(passed);
    passed.on('close', () => underWay.delete(passed));
  };

  return {
    serve(incoming, outgoing) {
      if (hasLeft(incoming)) return void outgoing.destroy();
      const to = target(incoming);
      if (to === undefined) onUnavailable(incoming, outgoing);
      else serveVouched(incoming, outgoing, to).catch(() => onUnavailable(incoming, outgoing));
    },
    onUpgrade,
    cut() {
      for (const passed of underWay) passed.destroy(new Error('given up'));
      for (const socket of tunnels) socket.destroy();
    },
    /** The other process says good-bye to its clients itself; this waits for it. */
    async stop(drainMs) {
      const endMs = performance.now() + drainMs;
      while (tunnels.size > 0 && performance.now() < endMs) await wait(10, { timers: foregroundTimers });
      for (const socket of tunnels) socket.destroy();
    },
  };
}

interface Passed extends Required<Pick<ReverseProxyOptions, 'onUnavailable' | 'onBroken'>> {
  readonly to: ProxyTarget;
  readonly headers: readonly string[];
}

function passOn(incoming: IncomingMessage, outgoing: ServerResponse, parts: Passed): ClientRequest {
  const { to, headers: told, onUnavailable, onBroken } = parts;
  const { method, url: path } = incoming;
  // Said in words, or it would be "close", and the other side's own request to close could not be told from it.
  const headers = [...told, 'connection', 'keep-alive'];
  // Without an agent, which would be made for each request and hand over this one connection.
  const createConnection = (): Socket => connect({ ...to, noDelay: true });
  const passed = request({ method, path, headers, createConnection, setHost: false });
  let isAnswered = false;
  let isThere = false;
  passed.on('socket', (socket) => socket.once('connect', () => (isThere = true)));
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
    if (!isAnswered && !outgoing.destroyed) (isThere ? onBroken : onUnavailable)(incoming, outgoing);
  });
  outgoing.on('close', () => {
    passed.destroy();
    skipRest();
  });
  if (hasBody(incoming)) incoming.pipe(passed);
  else passed.end();
  return passed;
}

/**
 * Only what is passed on as one: bytes behind a head that says nothing of them would be a request of their own to the other side,
 * with our word for where it comes from.
 */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

/** As names and values in turn, the way they came. */
function passedHeaders(incoming: IncomingMessage, introduction: Introduction, isVouched: boolean): string[] {
  const { rawHeaders } = incoming;
  const headers = [...introduction.headersOf(incoming, isVouched)];
  // Only HTTP/1.0 may leave it out, and the request goes on as HTTP/1.1.
  if (incoming.headers.host === undefined) headers.push('host', '');
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = rawHeaders.slice(i, i + 2);
    const lower = name.toLowerCase();
    if (!OF_THE_CONNECTION.has(lower) && !introduction.keepsHere(lower, incoming)) headers.push(name, value);
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
function handshakeText(incoming: IncomingMessage, introduction: Introduction): string {
  const { method, url, rawHeaders } = incoming;
  const told = introduction.headersOf(incoming, false);
  let text = `${method} ${url} HTTP/1.1\r\n`;
  for (let i = 0; i < told.length; i += 2) text += `${told[i]}: ${told[i + 1]}\r\n`;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = rawHeaders.slice(i, i + 2);
    if (!introduction.keepsHere(name.toLowerCase(), incoming)) text += `${name}: ${value}\r\n`;
  }
  return `${text}\r\n`;
}

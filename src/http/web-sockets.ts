// WebSockets of the kit: routes by path, refusals in shape, limits on everything, pings, and a stop that drains.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import { UNMATCHED } from './app.ts';
import { type AddressList, createClientAddress } from './client-address.ts';
import type { ErrorShape } from './errors.ts';
import type { KitSocket, SocketHandler, SocketLimits } from './kit-socket.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { OpenSocket, type SocketTally } from './open-socket.ts';
import type { Origins } from './origins.ts';
import type { Origin } from './passed-on.ts';
import { handshakeFault, refuseHandshake, type SocketErrorCode } from './socket-handshake.ts';
import { createSocketMeters } from './socket-meters.ts';
import { type RegistryLimits, SocketRegistry } from './socket-registry.ts';
import { statusShape } from './status-shape.ts';

export type { KitSocket, SocketHandler } from './kit-socket.ts';

export interface SocketCall {
  readonly requestId: string;
  readonly clientAddress: string;
  readonly query: URLSearchParams;
  readonly header: (name: string) => string | undefined;
}

export interface SocketRoute {
  /** The service's name in log and metrics. */
  readonly service: string;
  readonly path: string;
  /** A longer text closes the socket with 1009. */
  readonly maxMessageBytes: number;
  open(socket: KitSocket, call: SocketCall): SocketHandler;
}

export interface WebSocketLimits extends SocketLimits, RegistryLimits {
  /** Time for the other side to answer a close. */
  readonly closeTimeoutMs: number;
}

export interface WebSocketsOptions {
  readonly routes: readonly SocketRoute[];
  readonly requestIds: () => string;
  readonly trustedProxies: AddressList;
  /** Who is behind a handshake, where the socket's other end is another process of ours. */
  readonly originOf?: (incoming: IncomingMessage) => Pick<Origin, 'peer'>;
  readonly origins: Origins;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Monotonic. */
  readonly nowMs: () => number;
  readonly shape?: ErrorShape;
  readonly limits?: Partial<WebSocketLimits>;
}

export interface WebSockets {
  readonly size: number;
  onUpgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Refuses new sockets, closes the open ones with 1001, and cuts off what is still there after the time. */
  stop(drainMs: number): Promise<void>;
}

const MEBIBYTE = 1024 * 1024;

/** What log and metrics call an upgrade to a path without a route. */
const NO_ROUTE = { service: 'sockets', path: UNMATCHED };

const LIMITS: WebSocketLimits = {
  // Below the 10,000 connections of the server: plain requests must find room beside them.
  maxSockets: 8000,
  // Far more than the tabs of one household.
  maxSocketsPerAddress: 100,
  // Sixteen of the largest texts of any route.
  maxUnfinishedBytes: 256 * MEBIBYTE,
  // Proxies drop what is silent for a minute.
  pingIntervalMs: 30_000,
  closeTimeoutMs: 5000,
  // A person at an editor sends a handful a second; an editor that reconnects sends all its scripts at once.
  messageBurst: 100,
  messagesPerSecond: 20,
  // Several answers over many thousand bars.
  maxBufferedBytes: 64 * MEBIBYTE,
  maxUnderWay: 16,
  messageTimeoutMs: 60_000,
};

export function createWebSockets(options: WebSocketsOptions): WebSockets {
  const { requestIds, metrics, log, nowMs, origins, originOf = peerOfSocket, shape = statusShape } = options;
  const limits: WebSocketLimits = { ...LIMITS, ...options.limits };
  const clientAddress = createClientAddress(options.trustedProxies);
  const routes = new Map(options.routes.map((route) => [route.path, { route, server: serverOf(route, limits) }]));
  const registry = new SocketRegistry(limits);
  const tally: SocketTally = { messagesIn: 0, messagesOut: 0 };
  const meters = createSocketMeters(metrics, () => registry.size, tally);
  let stopping: Promise<void> | undefined;

  const welcome = (ws: WebSocket, incoming: IncomingMessage, route: SocketRoute, call: SocketCall): void => {
    const { path, service } = route;
    const { requestId, clientAddress: address } = call;
    const startedMs = nowMs();
    const onClosed = (code: number): void => {
      leave();
      meters.closed(path, code);
      const seconds = Math.round(nowMs() - startedMs) / 1000;
      const { messagesIn, messagesOut } = socket;
      log.info(
        { service, path, code, seconds, messagesIn, messagesOut, requestId, clientAddress: address },
        'socket closed',
      );
    };
    const socket = new OpenSocket(ws, incoming.socket, {
      limits,
      tally,
      nowMs,
      onUnfinished: (bytes) => registry.onUnfinished(bytes),
      onFault: (err) => log.error({ requestId, path, err }, 'a socket failed'),
      onClosed,
    });
    const leave = registry.enter(socket, address);
    socket.start((kitSocket) => route.open(kitSocket, call));
  };

  const onUpgrade: WebSockets['onUpgrade'] = (incoming, socket, head) => {
    // Node listens no more, and an error nobody hears would end the process.
    socket.on('error', () => socket.destroy());
    const startedMs = nowMs();
    const requestId = requestIds();
    const header = (name: string): string | undefined => headerOf(incoming, name);
    const address = clientAddress(originOf(incoming).peer, header('x-forwarded-for'));
    const { path, query } = targetOf(incoming);
    const found = routes.get(path);
    const finish = (status: number): void => {
      const { method = '' } = incoming;
      const { service, path: pattern } = found?.route ?? NO_ROUTE;
      const elapsedMs = nowMs() - startedMs;
      metrics.httpMeter(service, pattern, method).observe(status, elapsedMs / 1000);
      log.access(service, method, path)(status, Math.round(elapsedMs * 1000) / 1000, requestId, address);
    };
    const refuse = (code: SocketErrorCode): void => {
      meters.refused(code);
      finish(refuseHandshake(socket, code, requestId, shape));
    };
    if (stopping !== undefined) return refuse('STOPPING');
    if (found === undefined) return refuse('NOT_FOUND');
    const fault = handshakeFault(incoming, origins) ?? registry.roomFault(address);
    if (fault !== undefined) return refuse(fault);
    const { route, server } = found;
    // What is left for the library to refuse, such as a malformed list of subprotocols.
    server.once('wsClientError', () => refuse('BAD_HANDSHAKE'));
    server.handleUpgrade(incoming, socket, head, (ws) => {
      finish(101);
      welcome(ws, incoming, route, { requestId, clientAddress: address, query: new URLSearchParams(query), header });
    });
    server.removeAllListeners('wsClientError');
  };

  return {
    get size() {
      return registry.size;
    },
    onUpgrade,
    stop: (drainMs) => {
      stopping ??= registry.drain(drainMs);
      return stopping;
    },
  };
}

const peerOfSocket = ({ socket }: IncomingMessage): Pick<Origin, 'peer'> => ({ peer: socket.remoteAddress });

/** One per route, because the library knows one largest message per server. */
function serverOf({ maxMessageBytes }: SocketRoute, { closeTimeoutMs }: WebSocketLimits): WebSocketServer {
  // The types do not know the close timeout yet.
  const settings: ServerOptions & { closeTimeout: number } = {
    noServer: true,
    clientTracking: false,
    maxPayload: maxMessageBytes,
    // Each compressing socket would hold some hundred kilobytes, and a small text could unpack to a large one.
    perMessageDeflate: false,
    autoPong: false,
    // No subprotocol is spoken, so none is promised.
    handleProtocols: () => false,
    closeTimeout: closeTimeoutMs,
  };
  return new WebSocketServer(settings);
}

function targetOf({ url = '' }: IncomingMessage): { path: string; query: string } {
  const mark = url.indexOf('?');
  return mark < 0 ? { path: url, query: '' } : { path: url.slice(0, mark), query: url.slice(mark + 1) };
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(', ') : value;
}

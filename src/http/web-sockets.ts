// WebSockets of the kit: routes by path, refusals in shape, limits on everything, pings, and a stop that drains.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import { UNMATCHED } from './app.ts';
import { type AddressList, createClientAddress } from './client-address.ts';
import type { ErrorShape } from './errors.ts';
import type { GateRequest, GateVerdict, SessionEnd, SessionPass } from './internal-auth.ts';
import type { KitSocket, SocketHandler, SocketLimits } from './kit-socket.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { CLOSE, OpenSocket, type SocketTally } from './open-socket.ts';
import type { Origins } from './origins.ts';
import type { OwnPages } from './own-page.ts';
import type { Origin } from './passed-on.ts';
import { peerOfSocket } from './peers.ts';
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
  /** Who may connect; everybody where it is left out. Asked before the upgrade, so a stranger gets a plain answer. */
  admit?(request: GateRequest): Promise<GateVerdict>;
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
  /** They may connect without being listed. */
  readonly pages: Pick<OwnPages, 'isOwn'>;
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

export const createWebSockets = (options: WebSocketsOptions): WebSockets => new Sockets(options);

/** One handshake on its way to being a socket or a refusal. */
interface Handshake {
  readonly incoming: IncomingMessage;
  readonly socket: Duplex;
  readonly route: SocketRoute | undefined;
  readonly path: string;
  readonly startedMs: number;
  readonly call: SocketCall;
}

interface ServedRoute {
  readonly route: SocketRoute;
  readonly server: WebSocketServer;
}

class Sockets implements WebSockets {
  readonly #options: WebSocketsOptions;
  readonly #limits: WebSocketLimits;
  readonly #clientAddress: ReturnType<typeof createClientAddress>;
  readonly #routes: ReadonlyMap<string, ServedRoute>;
  readonly #registry: SocketRegistry;
  readonly #tally: SocketTally = { messagesIn: 0, messagesOut: 0 };
  readonly #meters: ReturnType<typeof createSocketMeters>;
  #stopping: Promise<void> | undefined;

  constructor(options: WebSocketsOptions) {
    const limits: WebSocketLimits = { ...LIMITS, ...options.limits };
    this.#options = options;
    this.#limits = limits;
    this.#clientAddress = createClientAddress(options.trustedProxies);
    this.#routes = new Map(options.routes.map((route) => [route.path, { route, server: serverOf(route, limits) }]));
    this.#registry = new SocketRegistry(limits);
    this.#meters = createSocketMeters(options.metrics, () => this.#registry.size, this.#tally);
  }

  get size(): number {
    return this.#registry.size;
  }

  onUpgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { path, query } = targetOf(incoming);
    const found = this.#routes.get(path);
    const startedMs = this.#options.nowMs();
    const call = this.#callOf(incoming, query);
    const handshake: Handshake = { incoming, socket, route: found?.route, path, startedMs, call };
    const fault = this.#faultOf(handshake);
    if (found === undefined || fault !== undefined) {
      this.#refuse(handshake, fault ?? 'NOT_FOUND');
      return;
    }
    if (found.route.admit === undefined) this.#upgrade(handshake, found, head);
    else void this.#admit(handshake, found, head);
  }

  /** A gate may take its time, above all over a wrong token; the client may be gone by then. */
  async #admit(handshake: Handshake, found: ServedRoute, head: Buffer): Promise<void> {
    const { socket, call } = handshake;
    try {
      const verdict = (await found.route.admit?.(this.#gateRequestOf(handshake))) ?? { ok: true };
      if (socket.destroyed) return;
      const fault = verdict.ok ? this.#faultOf(handshake) : 'UNAUTHORIZED';
      if (fault === undefined) this.#upgrade(handshake, found, head, verdict.ok ? verdict.session : undefined);
      else this.#refuse(handshake, fault, verdict.ok ? undefined : verdict.message);
    } catch (err) {
      this.#options.log.error({ requestId: call.requestId, err }, 'a handshake failed');
      socket.destroy();
    }
  }

  #upgrade(handshake: Handshake, { route, server }: ServedRoute, head: Buffer, session?: SessionPass): void {
    const { incoming, socket, call } = handshake;
    // What is left for the library to refuse, such as a malformed list of subprotocols.
    server.once('wsClientError', () => this.#refuse(handshake, 'BAD_HANDSHAKE'));
    server.handleUpgrade(incoming, socket, head, (ws) => {
      this.#finish(handshake, 101);
      const socket = this.#welcome(ws, incoming, route, call);
      if (session !== undefined) endWith(session, socket, ws);
    });
    server.removeAllListeners('wsClientError');
  }

  stop(drainMs: number): Promise<void> {
    this.#stopping ??= this.#registry.drain(drainMs);
    return this.#stopping;
  }

  #callOf(incoming: IncomingMessage, query: string): SocketCall {
    const { requestIds, originOf = atItsOtherEnd } = this.#options;
    const header = (name: string): string | undefined => headerOf(incoming, name);
    return {
      requestId: requestIds(),
      clientAddress: this.#clientAddress(originOf(incoming).peer, header('x-forwarded-for')),
      query: new URLSearchParams(query),
      header,
    };
  }

  #gateRequestOf({ incoming, call }: Handshake): GateRequest {
    const { originOf = atItsOtherEnd } = this.#options;
    const { clientAddress, header } = call;
    const { httpVersion, method } = incoming;
    return { peer: originOf(incoming).peer, clientAddress, httpVersion, method, isHandshake: true, header };
  }

  #faultOf(handshake: Handshake): SocketErrorCode | undefined {
    const { incoming, route, call } = handshake;
    const { origins, pages } = this.#options;
    if (this.#stopping !== undefined) return 'STOPPING';
    if (route === undefined) return 'NOT_FOUND';
    const isOwnPage = (): boolean => pages.isOwn(this.#gateRequestOf(handshake));
    return handshakeFault(incoming, origins, isOwnPage) ?? this.#registry.roomFault(call.clientAddress);
  }

  #refuse(handshake: Handshake, code: SocketErrorCode, words?: string): void {
    const { shape = statusShape } = this.#options;
    this.#meters.refused(code);
    this.#finish(handshake, refuseHandshake(handshake.socket, code, handshake.call.requestId, shape, words));
  }

  /** The handshake's line in the log and its place in the metrics, as of any other request. */
  #finish({ incoming, route, path, startedMs, call }: Handshake, status: number): void {
    const { metrics, log, nowMs } = this.#options;
    const { method = '' } = incoming;
    const { service, path: pattern } = route ?? NO_ROUTE;
    const elapsedMs = nowMs() - startedMs;
    metrics.httpMeter(service, pattern, method).observe(status, elapsedMs / 1000);
    const write = log.access(service, method, path);
    write(status, Math.round(elapsedMs * 1000) / 1000, call.requestId, call.clientAddress);
  }

  #welcome(ws: WebSocket, incoming: IncomingMessage, route: SocketRoute, call: SocketCall): OpenSocket {
    const { log, nowMs } = this.#options;
    const { path, service } = route;
    const { requestId, clientAddress } = call;
    const startedMs = nowMs();
    const onClosed = (code: number): void => {
      leave();
      this.#meters.closed(path, code);
      const seconds = Math.round(nowMs() - startedMs) / 1000;
      const { messagesIn, messagesOut } = socket;
      log.info({ service, path, code, seconds, messagesIn, messagesOut, requestId, clientAddress }, 'socket closed');
    };
    const socket = new OpenSocket(ws, incoming.socket, {
      limits: this.#limits,
      tally: this.#tally,
      nowMs,
      onUnfinished: (bytes) => this.#registry.onUnfinished(bytes),
      onFault: (err) => log.error({ requestId, path, err }, 'a socket failed'),
      onClosed,
    });
    const leave = this.#registry.enter(socket, clientAddress);
    socket.start((kitSocket) => route.open(kitSocket, call));
    return socket;
  }
}

const LAST_WORDS: Readonly<Record<SessionEnd, readonly [code: number, reason: string]>> = {
  ended: [CLOSE.sessionEnded, 'the session has ended; log in and connect again'],
  unknown: [CLOSE.fault, 'whether the session still lives cannot be looked up now; connect again in a moment'],
};

/** A socket that a session has opened is worth no more than the session. */
function endWith(session: SessionPass, socket: OpenSocket, ws: WebSocket): void {
  const forget = session.whenEnded((end) => socket.close(...LAST_WORDS[end]));
  ws.once('close', forget);
}

const atItsOtherEnd = ({ socket }: IncomingMessage): Pick<Origin, 'peer'> => ({ peer: peerOfSocket(socket) });

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

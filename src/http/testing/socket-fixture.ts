// Test fixture of the kit's WebSockets: a real server, routes that record what they are told, and real clients.
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { createAddressList } from '../client-address.ts';
import { createLog } from '../log.ts';
import { createMetrics } from '../metrics.ts';
import { createOrigins } from '../origins.ts';
import { createOwnPages } from '../own-page.ts';
import { listen } from '../server.ts';
import {
  createWebSockets,
  type KitSocket,
  type SocketCall,
  type SocketHandler,
  type SocketRoute,
  type WebSocketLimits,
} from '../web-sockets.ts';

export interface SocketFixtureOptions {
  routes?: readonly SocketRoute[];
  limits?: Partial<WebSocketLimits>;
  origins?: readonly string[];
  nowMs?: () => number;
  headersTimeoutMs?: number;
  stalledTimeoutMs?: number;
}

/** Answers each text with itself, and keeps what it saw. */
export function echoRoute(path = '/echo', maxMessageBytes = 1024) {
  const sockets: KitSocket[] = [];
  const calls: SocketCall[] = [];
  const closed: number[] = [];
  const route: SocketRoute = {
    service: 'test',
    path,
    maxMessageBytes,
    open(socket, call) {
      const number = sockets.push(socket);
      calls.push(call);
      return { onText: (text) => socket.sendText(text), onClose: () => void closed.push(number) };
    },
  };
  return { route, sockets, calls, closed };
}

export function routeOf(open: (socket: KitSocket) => SocketHandler, maxMessageBytes = 1024): SocketRoute {
  return { service: 'test', path: '/echo', maxMessageBytes, open };
}

export async function openSockets(options: SocketFixtureOptions = {}) {
  const lines: string[] = [];
  let ids = 0;
  const metrics = createMetrics();
  const sockets = createWebSockets({
    routes: options.routes ?? [echoRoute().route],
    requestIds: () => {
      ids += 1;
      return `id-${ids}`;
    },
    trustedProxies: createAddressList(['127.0.0.1']),
    origins: createOrigins(options.origins ?? []),
    pages: createOwnPages({}),
    log: createLog({ level: 'info', name: 'test', destination: { write: (line) => void lines.push(line) } }),
    metrics,
    nowMs: options.nowMs ?? (() => performance.now()),
    limits: options.limits ?? {},
  });
  const server = await listen({
    host: '127.0.0.1',
    port: 0,
    listener: (incoming, outgoing) => setTimeout(() => outgoing.end('plain'), incoming.url === '/slow' ? 50 : 0),
    sockets,
    ...(options.headersTimeoutMs === undefined ? {} : { headersTimeoutMs: options.headersTimeoutMs }),
    ...(options.stalledTimeoutMs === undefined ? {} : { stalledTimeoutMs: options.stalledTimeoutMs }),
  });
  return {
    sockets,
    server,
    text: () => lines.join(''),
    lines: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>),
    scrape: () => metrics.registry.metrics(),
    connect: (path = '/echo', headers: Record<string, string> = {}) => connectTo(server.port, path, headers),
  };
}

export async function connected(options: SocketFixtureOptions = {}) {
  const opened = await openSockets(options);
  const client = await opened.connect();
  return { ...opened, client };
}

export interface SocketClient {
  readonly ws: WebSocket;
  readonly texts: string[];
  next(): Promise<string>;
  /** How it ended. */
  readonly ended: Promise<{ code: number; reason: string }>;
}

export async function connectTo(port: number, path: string, headers: Record<string, string>): Promise<SocketClient> {
  const ws = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers, perMessageDeflate: true });
  const texts: string[] = [];
  ws.on('message', (data) => texts.push(String(data)));
  const ended = new Promise<{ code: number; reason: string }>((resolve) => {
    ws.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  await once(ws, 'open');
  // Only after the handshake: a refusal is the error of `once` above.
  ws.on('error', () => {});
  const next = async (): Promise<string> => {
    if (texts.length === 0) await Promise.race([once(ws, 'message'), ended]);
    return texts.shift() ?? 'nothing: the socket closed';
  };
  return { ws, texts, next, ended };
}

/** Waits for what another process or the other end of a socket has to do first. */
export async function until(isTrue: () => boolean, timeoutMs = 5000): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  while (!isTrue()) {
    if (performance.now() > deadlineMs) throw new Error('waited in vain');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

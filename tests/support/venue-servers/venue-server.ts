// A local server that speaks a venue's public protocol over real sockets, and can be told to misbehave in every known way.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { LiveBar } from '../../../src/market-data/bar-feed.ts';
import type { Bar } from '../../../src/market-data/price-source.ts';
import { barsBetween } from './test-market.ts';

/** What a request meets instead of its answer. */
export type HttpFault =
  | { readonly status: number; readonly body?: object | string; readonly headers?: Record<string, string> }
  | 'hang'
  | 'reset'
  | 'html'
  | 'truncated';

/**
 * What a socket meets: `refuse` answers the handshake with 503, `hang` never answers it, `slam` closes once it is open,
 * `mute` hears everything and says nothing, not even a pong, `dumb` answers pings but sends nothing else.
 */
export type SocketFault = 'refuse' | 'hang' | 'slam' | 'mute' | 'dumb';

export interface Reply {
  readonly status?: number;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
}

export interface Request {
  readonly path: string;
  readonly query: URLSearchParams;
}

/** The bars a server has: none from the future, none before the listing, none in a hole. */
export interface Shelf {
  nowMs: () => number;
  listedAtMs: number;
  /** Start times left out of answers, and how many more answers lack them. */
  readonly holes: Map<number, number>;
  /** Changes what is answered for a page. */
  warp: ((bars: Bar[]) => Bar[]) | undefined;
  lastPrice: string;
  /** Binance shows it in the header of every page; it grows with their length. */
  usedWeight: number;
  read(timeframeMs: number, fromMs: number, toMs: number): Bar[];
}

/** What a venue's own file tells. `frame` writes one bar for the stream of a symbol and interval. */
export interface Dialect {
  readonly wsPath: string;
  /** Who keeps the connection alive; in tests every minute of the venue is a few milliseconds. */
  readonly habit: 'pings and wants pongs' | 'wants to be pinged';
  answer(request: Request, shelf: Shelf): Reply;
  /** The topic that an address subscribes to by itself. */
  topicOfPath?(path: string): string | undefined;
  /** What is answered to a text, and the topic it subscribes to. */
  hear(text: string): { readonly reply?: string; readonly topic?: string };
  frame(topic: string, bar: LiveBar, eventMs: number): string;
}

export interface VenueServer {
  readonly restUrl: string;
  readonly wsUrl: string;
  readonly shelf: Shelf;
  readonly requests: Request[];
  /** When each handshake came, by performance.now(). */
  readonly handshakes: number[];
  /** Texts heard on sockets. */
  readonly heard: string[];
  /** For the next requests whose path holds the text, first in, first out. */
  fail(path: string, ...faults: HttpFault[]): void;
  /** While set, every request meets it. */
  outage: HttpFault | undefined;
  socketFault: SocketFault | undefined;
  countOf(path: string): number;
  /** To every socket that subscribed. */
  push(bar: LiveBar, eventMs?: number): void;
  say(text: string): void;
  subscribers(): number;
  /** Ends every socket, politely with a code or without a word. */
  cut(code?: number): void;
  close(): Promise<void>;
}

/** What a venue says of all markets at once, the last of them without a price, with a line that makes no sense behind. */
export const tickersOf = (symbols: readonly string[], field: string, price: string | number): unknown[] => [
  ...symbols.map((symbol, i) => ({ symbol, [field]: i < symbols.length - 1 ? price : '' })),
  null,
];

const HABIT_MS = 500;
const HTML = '<html><body>502 Bad Gateway</body></html>';

export async function startVenueServer(dialect: Dialect, nowMs: () => number): Promise<VenueServer> {
  const faults: { path: string; fault: HttpFault }[] = [];
  const topics = new Map<WebSocket, string>();
  const raw = new Set<Socket>();
  const http = createServer((request, response) => void answer(request, response));
  const sockets = new WebSocketServer({ noServer: true, autoPong: false });
  const shelf: Shelf = {
    nowMs,
    listedAtMs: 0,
    holes: new Map(),
    warp: undefined,
    lastPrice: '50123.4',
    usedWeight: 0,
    read(timeframeMs, fromMs, toMs) {
      const bars = barsBetween(timeframeMs, Math.max(fromMs, shelf.listedAtMs), Math.min(toMs, shelf.nowMs()));
      const found = bars.filter(({ time }) => {
        const left = shelf.holes.get(time) ?? 0;
        if (left > 0) shelf.holes.set(time, left - 1);
        return left <= 0;
      });
      return shelf.warp?.(found) ?? found;
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://localhost');
    server.requests.push({ path, query });
    const at = faults.findIndex((entry) => path.includes(entry.path));
    const fault = at >= 0 ? faults.splice(at, 1)[0]?.fault : server.outage;
    if (fault === 'hang') return;
    if (fault === 'reset') response.destroy();
    else if (fault === 'html') response.writeHead(200, { 'content-type': 'text/html' }).end(HTML);
    else if (typeof fault === 'object') {
      const body = typeof fault.body === 'string' ? fault.body : JSON.stringify(fault.body ?? {});
      response.writeHead(fault.status, fault.headers).end(body);
    } else {
      const { status = 200, body, headers } = dialect.answer({ path, query }, shelf);
      const text = JSON.stringify(body);
      response.writeHead(status, headers).end(fault === 'truncated' ? text.slice(0, text.length / 2) : text);
    }
  }

  http.on('connection', (socket) => {
    raw.add(socket);
    socket.on('close', () => raw.delete(socket));
  });
  http.on('upgrade', (request, socket: Socket, head) => {
    server.handshakes.push(performance.now());
    socket.on('error', () => {});
    if (server.socketFault === 'hang') return;
    if (server.socketFault === 'refuse') socket.end('HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\n\r\n');
    else sockets.handleUpgrade(request, socket, head, (client) => welcome(client, request.url ?? ''));
  });

  function welcome(client: WebSocket, path: string): void {
    client.on('error', () => {});
    client.on('close', () => topics.delete(client));
    if (server.socketFault === 'slam') client.close(1012);
    keepHabit(client);
    const topic = dialect.topicOfPath?.(path);
    if (topic !== undefined) topics.set(client, topic);
    client.on('ping', (data) => {
      if (server.socketFault !== 'mute') client.pong(data);
    });
    client.on('message', (data) => {
      const text = String(data);
      server.heard.push(text);
      if (server.socketFault === 'mute') return;
      const { reply, topic: asked } = dialect.hear(text);
      if (asked !== undefined) topics.set(client, asked);
      if (reply !== undefined) client.send(reply);
    });
  }

  /** Hangs up on a client that was silent for a whole round. */
  function keepHabit(client: WebSocket): void {
    let isHeard = true;
    client.on('pong', () => {
      isHeard = true;
    });
    client.on('message', () => {
      isHeard = true;
    });
    const timer = setInterval(() => {
      if (server.socketFault === 'mute') return;
      if (!isHeard) client.close(1008);
      isHeard = false;
      if (dialect.habit === 'pings and wants pongs') client.ping();
    }, HABIT_MS);
    client.on('close', () => clearInterval(timer));
  }

  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  const server: VenueServer = {
    restUrl: `http://127.0.0.1:${port}`,
    wsUrl: `ws://127.0.0.1:${port}${dialect.wsPath}`,
    shelf,
    requests: [],
    handshakes: [],
    heard: [],
    outage: undefined,
    socketFault: undefined,
    fail: (path, ...more) => void faults.push(...more.map((fault) => ({ path, fault }))),
    countOf: (path) => server.requests.filter((request) => request.path.includes(path)).length,
    push(bar, eventMs = nowMs()) {
      for (const [client, topic] of topics) client.send(dialect.frame(topic, bar, eventMs));
    },
    say(text) {
      for (const client of sockets.clients) client.send(text);
    },
    subscribers: () => topics.size,
    cut(code) {
      for (const client of sockets.clients) {
        if (code === undefined) client.terminate();
        else client.close(code);
      }
    },
    async close() {
      for (const client of sockets.clients) client.terminate();
      http.close();
      for (const socket of raw) socket.destroy();
      if (http.listening) await once(http, 'close');
    },
  };
  return server;
}

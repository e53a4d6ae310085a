// The server side of the stream benchmark, in a process of its own: ours, or a bare one that does the same without slices.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';
import { createAddressList } from '../../src/http/client-address.ts';
import { createLog } from '../../src/http/log.ts';
import { createMetrics } from '../../src/http/metrics.ts';
import { createOrigins } from '../../src/http/origins.ts';
import { createOwnPages } from '../../src/http/own-page.ts';
import { createRequestIds } from '../../src/http/request-id.ts';
import { listen } from '../../src/http/server.ts';
import { createWebSockets } from '../../src/http/web-sockets.ts';
import { createBarArchive } from '../../src/market-data/bar-archive.ts';
import type { BarFeed, FeedListener, LiveBar } from '../../src/market-data/bar-feed.ts';
import { createBarHub } from '../../src/market-data/bar-hub.ts';
import { createMarketStream } from '../../src/services/scripts/stream.ts';
import { klineFrame } from '../../src/services/scripts/stream-frames.ts';
import { backgroundTimers } from '../../src/timing/timers.ts';

/** Ticks a second for so long, or so many closed bars in one go. */
export type Order = { readonly ticksPerSecond: number; readonly durationMs: number } | { readonly bars: number };

/** Of the server's main thread while it carried out the order: how long other work had to wait, and the time it took. */
export interface Blocked {
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly cpuMicros: number;
}

export const BARS_MARKET = 'BTCUSDT';
/** Only the client that does not read follows it. */
export const HEAVY_MARKET = 'HEAVYUSDT';
const HEAVY_FRAMES_A_TICK = 200;
const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2026, 0, 5);

/** The same clock in every process of this machine. */
export const sharedMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** The volume tells when the bar was made. */
const barOf = (index: number, closed: boolean): LiveBar => ({
  time: START_MS + index * MINUTE_MS,
  open: 68_123.4,
  high: 68_200.1,
  low: 68_001.7,
  close: 68_150.2,
  volume: sharedMs(),
  closed,
});

interface Server {
  readonly port: number;
  send(bar: LiveBar, market: string): void;
}

async function startOurs(): Promise<Server> {
  const listeners = new Map<FeedListener, string>();
  const log = createLog({ level: 'error', name: 'bench' });
  const feed: BarFeed = {
    label: 'simulated',
    timeframesMs: [MINUTE_MS],
    marketNames: async () => [],
    bars: async () => [{ ...barOf(0, false) }],
    follow(market, _timeframeMs, listener) {
      listeners.set(listener, market);
      listener.onState('live');
      return { close: () => void listeners.delete(listener) };
    },
    close: () => {},
  };
  const archive = createBarArchive({ feed, store: undefined, log });
  const nowMs = (): number => START_MS;
  const hub = createBarHub({ feed, archive, nowMs, timers: backgroundTimers, random: Math.random, log });
  const sockets = createWebSockets({
    routes: [createMarketStream({ hub, monotonicMs: () => performance.now() })],
    requestIds: createRequestIds({ nowMs: Date.now, randomBytes }),
    trustedProxies: createAddressList([]),
    origins: createOrigins([]),
    pages: createOwnPages({}),
    log,
    metrics: createMetrics(),
    nowMs: () => performance.now(),
    limits: { maxSocketsPerAddress: 10_000 },
  });
  const { port } = await listen({ host: '127.0.0.1', port: 0, listener: (_, answer) => answer.end(), sockets });
  const send: Server['send'] = (bar, market) => {
    for (const [listener, followed] of [...listeners]) if (followed === market) listener.onBar(bar);
  };
  return { port, send };
}

/** What one writes first: each client gets its own text, all in one loop. */
async function startBare(): Promise<Server> {
  const http = createServer();
  const sockets = new WebSocketServer({ server: http, perMessageDeflate: false });
  const clients: { readonly socket: WebSocket; readonly market: string }[] = [];
  sockets.on('connection', (socket, { url = '' }) => {
    socket.on('error', () => {});
    clients.push({ socket, market: new URL(url, 'ws://localhost').searchParams.get('symbol') ?? '' });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const send: Server['send'] = (bar, symbol) => {
    const topic = { symbol, interval: '1m', source: 'simulated' };
    for (const { socket, market } of clients) if (market === symbol) socket.send(klineFrame(topic, bar).toString());
  };
  return { port: (http.address() as AddressInfo).port, send };
}

async function carryOut(server: Server, order: Order, first: number): Promise<number> {
  if ('bars' in order) {
    for (let index = first; index < first + order.bars; index += 1) server.send(barOf(index, true), BARS_MARKET);
    return first + order.bars;
  }
  const startMs = performance.now();
  for (let tick = 0; (tick / order.ticksPerSecond) * 1000 < order.durationMs; tick += 1) {
    const waitMs = startMs + (tick / order.ticksPerSecond) * 1000 - performance.now();
    await wait(Math.max(0, waitMs));
    server.send(barOf(first, false), BARS_MARKET);
    for (let i = 0; i < HEAVY_FRAMES_A_TICK; i += 1) server.send(barOf(0, false), HEAVY_MARKET);
  }
  return first;
}

export async function serveStream(kind: 'ours' | 'bare'): Promise<void> {
  const server = await (kind === 'ours' ? startOurs() : startBare());
  let next = 0;
  process.on('message', async (order: Order) => {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const before = process.threadCpuUsage();
    next = await carryOut(server, order, next);
    await wait(50);
    delay.disable();
    const { user, system } = process.threadCpuUsage(before);
    const blocked: Blocked = { p99Ms: delay.percentile(99) / 1e6, maxMs: delay.max / 1e6, cpuMicros: user + system };
    process.send?.(blocked);
  });
  process.send?.(server.port);
}

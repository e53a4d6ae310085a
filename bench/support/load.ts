// A lean HTTP load generator: many connections, as fast as they go or at a steady rate, with honest latencies.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Connection, openConnection } from './connection.ts';
import { createLatencies } from './latency.ts';

export interface LoadOptions {
  host: string;
  port: number;
  path: string;
  connections: number;
  durationMs: number;
  // Left out, every connection sends its next request as soon as it has its answer.
  ratePerSecond?: number;
  // Requests of the first milliseconds are sent but not counted.
  warmupMs?: number;
}

export interface LoadReport {
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  statuses: Record<string, number>;
  // Every answer, those of the warm-up included.
  answered: number;
  // Connections that broke before the end: anything but zero spoils the figures.
  lostConnections: number;
  // Requests of a steady rate that found no free connection before the end.
  unsent: number;
  // How late the generator itself was: a latency of this size may be its own, not the server's.
  ownDelayP99Ms: number;
}

const RATE_TICK_MS = 1;
const PREPARED = 250_000;
// More than any server here answers; a short run prepares no more than it can send.
const MOST_PER_SECOND = 50_000;
const NANOSECONDS_PER_MS = 1e6;

// Bodies must be ASCII: they are written byte for byte, without measuring their encoding.
export function runLoad(options: LoadOptions, nextBody: () => string): Promise<LoadReport> {
  const { host, port, path, connections, durationMs, ratePerSecond, warmupMs = 0 } = options;
  const head = `POST ${path} HTTP/1.1\r\nhost: ${host}:${port}\r\ncontent-type: application/json\r\ncontent-length: `;
  const latencies = createLatencies();
  const ownDelay = monitorEventLoopDelay({ resolution: 1 });
  const statuses = new Map<number, number>();
  const idle: Connection[] = [];
  const all: Connection[] = [];
  let lostConnections = 0;
  let sent = 0;
  let answered = 0;
  let waiting = 0;
  let startMs = 0;
  let countFromMs = 0;
  let endMs = 0;

  const nextRequest = (): Buffer => {
    const body = nextBody();
    return Buffer.from(`${head}${body.length}\r\n\r\n${body}`, 'latin1');
  };
  // Made before the clock starts: the generator must leave the machine to the server.
  const seconds = (warmupMs + durationMs) / 1000;
  const needed = Math.min(PREPARED, Math.ceil(seconds * (ratePerSecond ?? MOST_PER_SECOND)));
  const prepared = Array.from({ length: needed }, nextRequest);

  const send = (connection: Connection, dueMs: number): void => {
    connection.dueMs = dueMs;
    connection.send(prepared[sent] ?? nextRequest());
    sent += 1;
  };

  // A request that had to wait for a connection counts from when it was due, so a stalled server cannot hide its
  // stall; the others count from when they were sent, so the coarse timer here is not held against the server.
  const sendDue = (nowMs: number): number => {
    const rate = ratePerSecond ?? 0;
    const due = Math.floor(((Math.min(nowMs, endMs) - startMs) / 1000) * rate);
    const waitedUntil = sent + waiting;
    while (sent < due) {
      const connection = idle.pop();
      if (connection === undefined) break;
      send(connection, sent < waitedUntil ? startMs + (sent / rate) * 1000 : nowMs);
    }
    waiting = due - sent;
    return waiting;
  };

  const onAnswer = (connection: Connection, status: number): void => {
    const nowMs = performance.now();
    answered += 1;
    const { dueMs } = connection;
    if (dueMs >= countFromMs && nowMs <= endMs) {
      latencies.record(nowMs - dueMs);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    if (ratePerSecond !== undefined) idle.push(connection);
    else if (nowMs < endMs) send(connection, nowMs);
  };

  return new Promise((resolve) => {
    const finish = (unsent: number): void => {
      for (const connection of all) connection.close();
      ownDelay.disable();
      resolve({
        requestsPerSecond: latencies.count / ((endMs - countFromMs) / 1000),
        p50Ms: latencies.quantile(0.5),
        p99Ms: latencies.quantile(0.99),
        maxMs: latencies.maxMs,
        statuses: Object.fromEntries(statuses),
        answered,
        lostConnections,
        unsent,
        ownDelayP99Ms: ownDelay.percentile(99) / NANOSECONDS_PER_MS,
      });
    };
    const start = (): void => {
      startMs = performance.now();
      ownDelay.enable();
      countFromMs = startMs + warmupMs;
      endMs = countFromMs + durationMs;
      const timer = setInterval(() => {
        const nowMs = performance.now();
        const unsent = ratePerSecond === undefined ? 0 : sendDue(nowMs);
        if (nowMs < endMs) return;
        clearInterval(timer);
        finish(unsent);
      }, RATE_TICK_MS);
      if (ratePerSecond === undefined) for (const connection of all) send(connection, startMs);
    };
    const onOpen = (connection: Connection): void => {
      idle.push(connection);
      if (idle.length === connections) start();
    };
    const onLost = (): void => {
      lostConnections += 1;
      // Nobody would ever start or end a run whose server is gone.
      if (lostConnections === connections && performance.now() < (endMs || Number.POSITIVE_INFINITY)) {
        endMs = performance.now();
        if (startMs === 0) finish(0);
      }
    };
    for (let i = 0; i < connections; i += 1) all.push(openConnection({ host, port, onOpen, onAnswer, onLost }));
  });
}

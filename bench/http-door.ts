// Measures the web kit with an empty handler, beside a bare node:http server that does the same work.
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { createApp } from '../src/http/app.ts';
import { createAddressList } from '../src/http/client-address.ts';
import type { Endpoint } from '../src/http/endpoint.ts';
import { defineErrors, Refusal } from '../src/http/errors.ts';
import { parseJsonBody } from '../src/http/json-body.ts';
import { createLog } from '../src/http/log.ts';
import { createMetrics } from '../src/http/metrics.ts';
import { mountEndpoints } from '../src/http/mount-endpoints.ts';
import { nodeListener } from '../src/http/node-listener.ts';
import { createRequestIds } from '../src/http/request-id.ts';
import { listen } from '../src/http/server.ts';
import { runLoadInChild } from './support/load-child.ts';

const ROUNDS = 7;
const LOAD = { host: '127.0.0.1', path: '/webhook', connections: 64, durationMs: 2000, warmupMs: 1000 };
const BODIES = {
  bodiesModule: new URL('./support/signal-bodies.ts', import.meta.url),
  bodiesSettings: { apiKey: `whk_${'a'.repeat(43)}`, symbols: 32 },
};

const errors = defineErrors({
  PAYLOAD_TOO_LARGE: { status: 413, message: 'Send a smaller body.' },
  INVALID_JSON: { status: 400, message: 'Send valid JSON.' },
  NOT_FOUND: { status: 404, message: 'Check the path.' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'Check the method.' },
  UNAUTHORIZED: { status: 401, message: 'Send the token.' },
  RATE_LIMITED: { status: 429, message: 'Wait.' },
  INTERNAL: { status: 500, message: 'Try again.' },
});

function answerTo(requestId: string): object {
  return { success: true, requestId, status: 'Enqueued', message: 'The signal is queued.' };
}

async function serveDoor(): Promise<number> {
  const app = createApp({
    service: 'bench',
    errors,
    shape: ({ code, message, requestId }) => ({ success: false, requestId, error: message, code }),
    requestIds: createRequestIds({ nowMs: Date.now, randomBytes }),
    trustedProxies: createAddressList([]),
    log: createLog({ level: 'info', name: 'bench' }),
    metrics: createMetrics(),
    defaultBodyLimitBytes: 65_536,
    nowMs: () => performance.now(),
  });
  const endpoint: Endpoint = {
    method: 'post',
    path: LOAD.path,
    door: 'public',
    summary: 'Measured',
    tags: ['bench'],
    responses: {},
    answer({ body, requestId }) {
      const parsed = parseJsonBody(body);
      if (!parsed.ok) throw new Refusal('INVALID_JSON', parsed.message);
      return { status: 202, body: answerTo(requestId) };
    },
  };
  mountEndpoints(app, [endpoint], { internal: () => {} });
  return (await listen({ listener: nodeListener(app), host: LOAD.host, port: 0 })).port;
}

async function serveBare(): Promise<number> {
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      JSON.parse(Buffer.concat(chunks).toString());
      const text = JSON.stringify(answerTo('01890000-0000-7000-8000-000000000000'));
      outgoing.writeHead(202, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
      outgoing.end(text);
    });
  });
  server.listen(0, LOAD.host);
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const SERVERS = {
  bare: serveBare,
  kit: serveDoor,
};

type Kind = keyof typeof SERVERS;
const KINDS = ['bare', 'kit'] as const;
const NAMES: Record<Kind, string> = { bare: 'bare node:http', kit: 'the web kit' };

interface Figures {
  requestsPerSecond: number;
  cpuMicrosPerRequest: number;
}

async function cpuMicrosOf(child: ChildProcess): Promise<number> {
  child.send('cpu');
  const [{ user, system }] = (await once(child, 'message')) as [NodeJS.CpuUsage];
  return user + system;
}

// Each server has a process of its own; its log lines go through the whole road to a file descriptor.
async function measure(kind: Kind): Promise<Figures> {
  const child = fork(fileURLToPath(import.meta.url), [kind], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [port] = (await once(child, 'message')) as [number];
  const before = await cpuMicrosOf(child);
  const report = await runLoadInChild({ load: { ...LOAD, port }, ...BODIES });
  const cpuMicros = (await cpuMicrosOf(child)) - before;
  child.kill('SIGKILL');
  await once(child, 'exit');
  if (report.lostConnections > 0 || Object.keys(report.statuses).join() !== '202') {
    throw new Error(`The ${kind} server failed under load: ${JSON.stringify(report)}`);
  }
  const figures = { requestsPerSecond: report.requestsPerSecond, cpuMicrosPerRequest: cpuMicros / report.answered };
  const latency = `p50 ${report.p50Ms.toFixed(2)} ms  p99 ${report.p99Ms.toFixed(2)} ms`;
  console.log(
    `${NAMES[kind].padEnd(18)} ${Math.round(figures.requestsPerSecond)} req/s  ${latency}  ${figures.cpuMicrosPerRequest.toFixed(1)} µs`,
  );
  return figures;
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

// Throughput is what counts, but a busy machine blurs it; the main thread's time per request tells the story calmly.
async function compare(): Promise<void> {
  const rounds: Record<Kind, Figures>[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.push({ bare: await measure('bare'), kit: await measure('kit') });
  }
  console.log(`\nmedian of ${ROUNDS} rounds    throughput/bare  main thread per request  bare/main thread`);
  for (const kind of KINDS) {
    const throughput = median(rounds.map((all) => all[kind].requestsPerSecond / all.bare.requestsPerSecond));
    const micros = median(rounds.map((all) => all[kind].cpuMicrosPerRequest));
    const ratio = median(rounds.map((all) => all.bare.cpuMicrosPerRequest / all[kind].cpuMicrosPerRequest));
    console.log(
      `${NAMES[kind].padEnd(21)}  ${throughput.toFixed(2).padStart(15)}  ${`${micros.toFixed(1)} µs`.padStart(23)}  ${ratio.toFixed(2).padStart(16)}`,
    );
  }
}

async function serve(start: () => Promise<number>): Promise<void> {
  process.on('message', () => process.send?.(process.threadCpuUsage()));
  process.send?.(await start());
}

const asked = KINDS.find((kind) => kind === process.argv[2]);
if (asked === undefined) await compare();
else await serve(SERVERS[asked]);

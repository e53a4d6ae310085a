// Measures the fast road with a trivial door beside a bare node:http server that parses and answers the same JSON.
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { createApp } from '../src/http/app.ts';
import { createAddressList } from '../src/http/client-address.ts';
import { mountDoor, nodeListener } from '../src/http/door.ts';
import { defineErrors, Refusal } from '../src/http/errors.ts';
import { parseJsonBody } from '../src/http/json-body.ts';
import { createLog } from '../src/http/log.ts';
import { createMetrics } from '../src/http/metrics.ts';
import { createRequestIds } from '../src/http/request-id.ts';
import { listen } from '../src/http/server.ts';
import { runLoadInChild } from './support/load-child.ts';

const ROUNDS = 7;
const TARGET_RATIO = 0.8;
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
  const door = mountDoor(
    app,
    LOAD.path,
    ({ body, requestId }) => {
      const parsed = parseJsonBody(body);
      if (!parsed.ok) throw new Refusal('INVALID_JSON', parsed.message);
      return { status: 202, body: answerTo(requestId) };
    },
    { limitBytes: 65_536 },
  );
  const { port } = await listen({ listener: nodeListener({ app, doors: [door] }), host: LOAD.host, port: 0 });
  return port;
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

type Kind = 'door' | 'bare';

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
    `${kind}  ${Math.round(figures.requestsPerSecond)} req/s  ${latency}  ${figures.cpuMicrosPerRequest.toFixed(1)} µs CPU`,
  );
  return figures;
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

// Throughput is what counts, but a busy machine blurs it; the processor time per request tells the same story calmly.
async function compare(): Promise<void> {
  const byThroughput: number[] = [];
  const byCpu: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const bare = await measure('bare');
    const door = await measure('door');
    byThroughput.push(door.requestsPerSecond / bare.requestsPerSecond);
    byCpu.push(bare.cpuMicrosPerRequest / door.cpuMicrosPerRequest);
  }
  console.log(`door/bare, median of ${ROUNDS} rounds, target ${TARGET_RATIO}`);
  console.log(`  throughput            ${median(byThroughput).toFixed(3)}`);
  console.log(`  processor per request ${median(byCpu).toFixed(3)}`);
}

async function serve(start: () => Promise<number>): Promise<void> {
  process.on('message', () => process.send?.(process.cpuUsage()));
  process.send?.(await start());
}

const kind = process.argv[2];
if (kind === 'door') await serve(serveDoor);
else if (kind === 'bare') await serve(serveBare);
else await compare();

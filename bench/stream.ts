// How quickly one bar reaches a thousand and five thousand clients, alone and beside a client that does not read, next to
// a bare server that sends in one loop. `npm run bench stream -- [--quick]`

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { createLatencies, type Latencies } from './support/latency.ts';
import { BARS_MARKET, type Blocked, HEAVY_MARKET, type Order, serveStream, sharedMs } from './support/stream-server.ts';

const quick = process.argv.includes('--quick');
const SIZES = quick ? [100] : [1000, 5000];
const PACED: Order = { ticksPerSecond: 10, durationMs: quick ? 500 : 5000 };
/** The kinds take turns, so that a busy moment of the machine does not hit one of them alone. */
const ROUNDS = quick ? 1 : 3;
/** In one go; each client gets all of them. */
const FLOOD_BARS = quick ? 20 : 100;
const AT_ONCE = 100;
const DRAIN_MS = 60_000;

type Kind = 'bare' | 'ours' | 'stuck';
const NAMES: Record<Kind, string> = {
  bare: 'bare server, one loop',
  ours: 'ours',
  stuck: 'ours, one client stuck',
};

interface Figures {
  readonly messagesPerSecond: number;
  readonly latencies: Latencies;
  readonly blocked: Blocked;
  /** A busy machine blurs everything else; the main thread's time tells the story calmly. */
  readonly cpuMicrosPerMessage: number;
}

interface Crowd {
  received: number;
  onBar: ((madeMs: number) => void) | undefined;
  readonly sockets: WebSocket[];
}

async function connect(port: number, market: string): Promise<WebSocket> {
  const url = `ws://127.0.0.1:${port}/api/stream?symbol=${market}&interval=1m`;
  const socket = new WebSocket(url, { perMessageDeflate: false });
  await once(socket, 'open');
  socket.on('error', () => {});
  return socket;
}

async function gather(port: number, size: number): Promise<Crowd> {
  const crowd: Crowd = { received: 0, onBar: undefined, sockets: [] };
  while (crowd.sockets.length < size) {
    const some = Array.from({ length: Math.min(AT_ONCE, size - crowd.sockets.length) }, () =>
      connect(port, BARS_MARKET),
    );
    for (const socket of await Promise.all(some)) {
      crowd.sockets.push(socket);
      socket.on('message', (data: Buffer) => {
        crowd.received += 1;
        crowd.onBar?.(madeAt(data));
      });
    }
  }
  // What greets a client is not measured.
  await wait(500);
  return crowd;
}

/** Only the one number: reading whole frames would measure this process instead. */
function madeAt(frame: Buffer): number {
  const start = frame.indexOf('"volume":');
  return start < 0 ? Number.NaN : Number.parseFloat(frame.toString('latin1', start + 9, start + 30));
}

async function give(child: ChildProcess, order: Order): Promise<Blocked> {
  child.send(order);
  const [blocked] = (await once(child, 'message')) as [Blocked];
  return blocked;
}

async function flood(child: ChildProcess, crowd: Crowd): Promise<number> {
  crowd.received = 0;
  const expected = crowd.sockets.length * FLOOD_BARS;
  const startMs = performance.now();
  const done = give(child, { bars: FLOOD_BARS });
  while (crowd.received < expected) {
    if (performance.now() - startMs > DRAIN_MS) throw new Error(`only ${crowd.received} of ${expected} frames came`);
    await wait(1);
  }
  const elapsedS = (performance.now() - startMs) / 1000;
  await done;
  return expected / elapsedS;
}

async function measure(kind: Kind, size: number): Promise<Figures> {
  const server = kind === 'bare' ? 'bare' : 'ours';
  const child = fork(fileURLToPath(import.meta.url), [server], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  try {
    const [port] = (await once(child, 'message')) as [number];
    const crowd = await gather(port, size);
    if (kind === 'stuck') (await connect(port, HEAVY_MARKET)).pause();
    await give(child, { ticksPerSecond: 10, durationMs: 500 });
    const latencies = createLatencies();
    crowd.onBar = (madeMs) => {
      if (!Number.isNaN(madeMs)) latencies.record(sharedMs() - madeMs);
    };
    const blocked = await give(child, PACED);
    crowd.onBar = undefined;
    const messagesPerSecond = await flood(child, crowd);
    for (const socket of crowd.sockets) socket.terminate();
    const cpuMicrosPerMessage = blocked.cpuMicros / latencies.count;
    const figures = { messagesPerSecond, latencies, blocked, cpuMicrosPerMessage };
    show(NAMES[kind], figures);
    return figures;
  } finally {
    child.kill('SIGKILL');
  }
}

function show(name: string, { messagesPerSecond, latencies, blocked, cpuMicrosPerMessage }: Figures): void {
  const [p50, p99] = [0.5, 0.99].map((share) => latencies.quantile(share).toFixed(1));
  const wait = `other work waited p99 ${blocked.p99Ms.toFixed(1)} ms, at most ${blocked.maxMs.toFixed(1)} ms`;
  console.log(
    `${name.padEnd(24)} ${Math.round(messagesPerSecond).toString().padStart(7)} messages/s  ` +
      `delay p50 ${p50} ms  p99 ${p99} ms  ${cpuMicrosPerMessage.toFixed(1)} µs each  ${wait}`,
  );
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

async function compare(): Promise<void> {
  for (const size of SIZES) {
    console.log(`${size} clients of one market, a bar ten times a second, then ${FLOOD_BARS} bars in one go`);
    const rounds: Record<Kind, Figures>[] = [];
    for (let round = 0; round < ROUNDS; round += 1)
      rounds.push({
        bare: await measure('bare', size),
        ours: await measure('ours', size),
        stuck: await measure('stuck', size),
      });
    const ratio = median(rounds.map(({ ours, bare }) => ours.messagesPerSecond / bare.messagesPerSecond));
    const delay = median(
      rounds.map(({ ours, stuck }) => stuck.latencies.quantile(0.99) / ours.latencies.quantile(0.99)),
    );
    const cpu = median(rounds.map(({ ours, bare }) => bare.cpuMicrosPerMessage / ours.cpuMicrosPerMessage));
    const block = median(rounds.map(({ ours, bare }) => bare.blocked.p99Ms / ours.blocked.p99Ms));
    console.log(
      `${size} clients, median of ${ROUNDS}: throughput ${ratio.toFixed(2)} times the bare server's; p99 with a stuck ` +
        `client ${delay.toFixed(2)} times the one without; a message costs ${cpu.toFixed(2)} times less of the main thread; ` +
        `other work waits ${block.toFixed(1)} times shorter\n`,
    );
  }
}

const [kind] = process.argv.slice(2);
if (kind === 'bare' || kind === 'ours') await serveStream(kind);
else await compare();

// How long signals wait while somebody runs the worst query there is: a cross join over a full journal, again and again.
// `npm run bench query -- [--quick]`; 200 signals a second go to POST /webhook, first alone, then beside the queries.

import { closeSync, fsyncSync, openSync, readdirSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freshDataDir, type RunningProcess, startProcess } from '../tests/support/process.ts';
import { createLatencies, type Latencies } from './support/latency.ts';
import { prefillJournal } from './support/prefill.ts';
import { benchMarkets, createBodies, signalBody } from './support/webhook-bodies.ts';

const quick = process.argv.includes('--quick');
const ROWS = quick ? 20_000 : 1_000_000;
const RATE_PER_SECOND = 200;
const WARMUP_MS = quick ? 250 : 3000;
const DURATION_MS = quick ? 500 : 30_000;
const TARGET_P99_MS = 20;
/** A query ends at five seconds; a process that has to be started first takes a moment more. */
const QUERY_LIMIT_MS = 5000;
const QUERY_GRACE_MS = 3000;
/** Bought before the load, so that a close never finds an empty position. */
const CUSHION = 100;
const API_KEY = `whk_${'b'.repeat(43)}`;

const CROSS_JOIN = `SELECT count(*) FROM trades a, trades b, trade_signals c WHERE a.quantity + b.quantity = c.timestamp`;

const markets = await benchMarkets();

async function openFull(): Promise<{ box: RunningProcess; close: () => Promise<void> }> {
  const env = {
    MARKET_SEED: '1',
    PAPER_BALANCE: '1000000000',
    WEBHOOK_RATE_PER_MINUTE: '1000000',
    WEBHOOK_API_KEYS: API_KEY,
  };
  const made = await startProcess({ env });
  await made.stop();
  prefillJournal(made.dataDir, ROWS);
  // Else the system would still be writing these rows while the signals wait for the disk.
  for (const name of readdirSync(made.dataDir)) syncFile(join(made.dataDir, name));
  const logFile = join(freshDataDir(), 'signalbox.log');
  const box = await startProcess({ dataDir: made.dataDir, env, logFile });
  for (const market of markets) {
    await fetch(`${box.url}/webhook`, { method: 'POST', body: signalBody(API_KEY, 'LONG', market, CUSHION) });
  }
  const close = async (): Promise<void> => {
    await box.kill();
    for (const folder of [made.dataDir, dirname(logFile)]) rmSync(folder, { recursive: true, force: true });
  };
  return { box, close };
}

function syncFile(path: string): void {
  const fd = openSync(path, 'r');
  fsyncSync(fd);
  closeSync(fd);
}

interface Report {
  readonly answered: number;
  readonly failed: number;
  readonly latencies: Latencies;
}

/** A signal every five milliseconds, whatever became of the one before; each counts from when it was due. */
async function load(box: RunningProcess): Promise<Report> {
  const agent = new Agent({ keepAlive: true });
  const nextBody = createBodies({ apiKey: API_KEY, markets });
  const latencies = createLatencies();
  const sent: Promise<number>[] = [];
  const startMs = performance.now();
  const count = ((WARMUP_MS + DURATION_MS) / 1000) * RATE_PER_SECOND;
  while (sent.length < count) {
    const dueMs = startMs + (sent.length / RATE_PER_SECOND) * 1000;
    await wait(Math.max(0, dueMs - performance.now()));
    const counts = dueMs - startMs >= WARMUP_MS;
    const answer = post(box, agent, nextBody()).then((status) => {
      if (counts) latencies.record(performance.now() - dueMs);
      return status;
    });
    sent.push(answer);
  }
  const statuses = await Promise.all(sent);
  agent.destroy();
  return { answered: statuses.length, failed: statuses.filter((status) => status !== 200).length, latencies };
}

function post(box: RunningProcess, agent: Agent, body: string): Promise<number> {
  return new Promise((resolve) => {
    const sending = request(`${box.url}/webhook`, { method: 'POST', agent }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode ?? 0));
    });
    sending.on('error', () => resolve(0));
    sending.end(body);
  });
}

interface Asked {
  readonly status: number;
  readonly ms: number;
}

async function ask(box: RunningProcess, query: string): Promise<Asked> {
  const startedMs = performance.now();
  const response = await fetch(`${box.url}/query`, { method: 'POST', body: JSON.stringify({ query }) });
  await response.arrayBuffer();
  return { status: response.status, ms: performance.now() - startedMs };
}

/** One query after the other for as long as the load goes on. */
async function beside(box: RunningProcess, query: string): Promise<{ report: Report; asked: Asked[] }> {
  const asked: Asked[] = [];
  let over = false;
  const asking = (async () => {
    while (!over) asked.push(await ask(box, query));
  })();
  const report = await load(box);
  over = true;
  await asking;
  return { report, asked };
}

function show(name: string, { answered, failed, latencies }: Report): void {
  const [p50, p99] = [0.5, 0.99].map((share) => latencies.quantile(share).toFixed(2));
  console.log(
    `${name.padEnd(30)} ${answered} signals, ${failed} failed  p50 ${p50} ms  p99 ${p99} ms  max ${latencies.maxMs.toFixed(1)} ms`,
  );
}

function verdict(ok: boolean, what: string): void {
  console.log(`${ok ? 'ok  ' : 'MISS'} ${what}`);
  if (!ok) process.exitCode = 1;
}

const { box, close } = await openFull();
try {
  console.log(`${ROWS} trades in the journal`);
  show('signals alone', await load(box));
  const { report, asked } = await beside(box, CROSS_JOIN);
  show('signals beside the cross join', report);
  const inTime = asked.every(({ status, ms }) => status === 408 && ms < QUERY_LIMIT_MS + QUERY_GRACE_MS);
  const times = asked.map(({ status, ms }) => `${status} after ${(ms / 1000).toFixed(2)} s`).join(', ');
  const p99Ms = report.latencies.quantile(0.99);
  const words = `p99 beside the cross join: ${p99Ms.toFixed(2)} ms, target < ${TARGET_P99_MS} ms`;
  verdict(p99Ms < TARGET_P99_MS && report.failed === 0, words);
  verdict(inTime, `every query ended at its limit: ${times}`);
  const slowWrite = await ask(
    box,
    'UPDATE trade_signals SET source = source WHERE (SELECT count(*) FROM trades a, trades b)',
  );
  verdict(
    slowWrite.status === 408 && slowWrite.ms < QUERY_LIMIT_MS,
    `a slow write ended at its own limit: ${slowWrite.status} after ${(slowWrite.ms / 1000).toFixed(2)} s`,
  );
} finally {
  await close();
}

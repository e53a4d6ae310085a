// A thread for tests of the pool that does what the source says, in place of the engine.

import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { parentPort, threadId } from 'node:worker_threads';
import { type Job, type Outcome, READY, type Report } from '../../src/adapters/scripts/messages.ts';
import { heldBytes } from '../../src/adapters/scripts/thread-memory.ts';

const port = parentPort!;
const kept: unknown[] = [];
const echo = (reason: string): Outcome => ({ kind: 'input-fault', reason });

const DEEDS: Record<string, (job: Job) => Outcome | Promise<Outcome>> = {
  echo: () => echo(`thread ${threadId}`),
  environment: () => echo(JSON.stringify(process.env)),
  async sleep(job) {
    await sleep(Number('inputs' in job ? job.inputs?.ms : 0));
    return echo(`thread ${threadId}`);
  },
  loop() {
    for (;;);
  },
  backtrack: () => echo(String(/^(a+)+$/.test(`${'a'.repeat(60)}b`))),
  heap() {
    for (;;) kept.push({ a: [1, 2, 3] });
  },
  buffers() {
    for (;;) kept.push(new Float64Array(100_000).fill(1));
  },
  largeObject() {
    const map = new Map<number, number>();
    for (let i = 0; ; i += 1) map.set(i, i);
  },
  churn() {
    let sum = 0;
    const untilMs = performance.now() + 600;
    while (performance.now() < untilMs) sum += new Float64Array(100_000).fill(1)[5] ?? 0;
    return echo(`thread ${threadId} ${sum > 0}`);
  },
  hold() {
    kept.push(new Float64Array(5_500_000).fill(1));
    return echo(`thread ${threadId}`);
  },
  recurse: () => {
    const deeper = (n: number): number => deeper(n + 1) + 1;
    return echo(String(deeper(0)));
  },
  exit: () => process.exit(3),
  wrongAnswer: () => ({ kind: 'checked', ok: true, diagnostics: [], inputs: [] }),
};

port.on('message', async (job: Job) => {
  const outcome = await DEEDS['source' in job ? (job.source ?? '') : '']!(job);
  port.postMessage({ outcome, heldBytes: heldBytes(getHeapStatistics()) } satisfies Report);
});
port.postMessage(READY);

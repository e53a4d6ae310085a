// Signals per second and latency of POST /webhook with every gate on and every step durable, beside a bare node:http
// server that parses and answers the same JSON. `npm run bench webhook -- [async] [direct] [rows] [--quick]`; all by default.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freshDataDir, startProcess } from '../tests/support/process.ts';
import { prefillJournal } from './support/prefill.ts';
import {
  isQuick,
  LOAD,
  measure,
  median,
  ROUNDS,
  show,
  startSignalbox,
  statusOf,
  type Target,
  verdict,
} from './support/webhook-target.ts';

type Mode = 'async' | 'direct';
const STEADY_RATE = 1000;
const TARGET: Record<Mode, number> = { async: 0.35, direct: 0.15 };
/** A signal waits for the commit before it, for its own, and in direct mode for those of its trade. */
const STEADY_P99_MS = 10;
const STEADY_P99_SYNCS = 5;
const SYNC_PROBES = 50;
const ANSWERS: Record<Mode, object> = {
  async: {
    success: true,
    requestId: '01890000-0000-7000-8000-000000000000',
    status: 'Enqueued',
    message: 'queued for execution; GET /trades/01890000-0000-7000-8000-000000000000 tells the outcome',
  },
  direct: {
    success: true,
    requestId: '01890000-0000-7000-8000-000000000000',
    tradeResult: {
      success: true,
      orderId: 'paper-binance-000001',
      status: 'Filled',
      executedQty: 1,
      price: 1,
      queued: false,
      mode: 'paper',
    },
    notificationResult: null,
  },
};
function serveBare(mode: Mode): void {
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      JSON.parse(Buffer.concat(chunks).toString());
      const text = JSON.stringify(ANSWERS[mode]);
      outgoing.writeHead(statusOf({ mode }), {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      });
      outgoing.end(text);
    });
  });
  server.listen(0, LOAD.host, () => process.send?.((server.address() as { port: number }).port));
}

async function startBare(mode: Mode): Promise<Target> {
  const child = fork(fileURLToPath(import.meta.url), [`--serve-bare=${mode}`], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [port] = (await once(child, 'message')) as [number];
  const end = async (): Promise<void> => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { port, apiKey: `whk_${'a'.repeat(43)}`, commits: async () => 0, end };
}

async function throughput(mode: Mode): Promise<void> {
  const ratios: number[] = [];
  const shares: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const bare = await startBare(mode);
    const bareReport = await measure(bare, { status: statusOf({ mode }) });
    await bare.end();
    show(`bare server (${mode} body)`, bareReport);
    const box = await startSignalbox({ mode });
    const boxReport = await measure(box, { status: statusOf({ mode }) });
    await box.end();
    show(`signalbox ${mode}`, boxReport);
    ratios.push(boxReport.requestsPerSecond / bareReport.requestsPerSecond);
    shares.push(boxReport.commitsPerSignal);
  }
  verdict(`${mode}: share of the bare server's throughput`, median(ratios), TARGET[mode]);
  console.log(
    `  ${median(shares).toFixed(3)} fsyncs per signal: a commit is shared by everything of one turn of the loop\n`,
  );
}

/** The disk's own sync: the median of small appends to a file where the data folders are, each made durable. */
function measureSyncMs(): number {
  const folder = freshDataDir();
  const file = openSync(join(folder, 'sync-probe'), 'w');
  const block = Buffer.alloc(4096, 'x');
  const times = Array.from({ length: SYNC_PROBES }, () => {
    const startedMs = performance.now();
    writeSync(file, block);
    fdatasyncSync(file);
    return performance.now() - startedMs;
  });
  closeSync(file);
  rmSync(folder, { recursive: true, force: true });
  return median(times);
}

async function steady(mode: Mode): Promise<void> {
  const box = await startSignalbox({ mode });
  const report = await measure(box, { status: statusOf({ mode }), ratePerSecond: STEADY_RATE });
  await box.end();
  show(`signalbox ${mode} steady`, report);
  const syncMs = measureSyncMs();
  const targetMs = STEADY_P99_MS + STEADY_P99_SYNCS * syncMs;
  const ok = report.p99Ms < targetMs && report.unsent === 0;
  console.log(
    `${ok ? 'ok  ' : 'MISS'} ${mode} at ${STEADY_RATE}/s: p99 ${report.p99Ms.toFixed(2)} ms, target < ${targetMs.toFixed(1)} ms (a sync of this disk takes ${syncMs.toFixed(2)} ms)\n`,
  );
  if (!ok) process.exitCode = 1;
}

async function rows(): Promise<void> {
  const [few, many] = isQuick ? [1000, 50_000] : [1000, 1_000_000];
  const rates: Record<number, number[]> = { [few]: [], [many]: [] };
  const folders = new Map<number, string>();
  for (const count of [few, many]) {
    const made = await startProcess({ env: { PAPER_BALANCE: '1000000000' } });
    await made.stop();
    prefillJournal(made.dataDir, count);
    folders.set(count, made.dataDir);
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const count of [few, many]) {
      const box = await startSignalbox({ mode: 'direct', dataDir: folders.get(count) as string });
      const report = await measure(box, { status: 200 });
      await box.end();
      show(`direct, ${count} rows before`, report);
      rates[count]?.push(report.requestsPerSecond);
    }
  }
  for (const dataDir of folders.values()) rmSync(dataDir, { recursive: true, force: true });
  const ratio = median(rates[many] as number[]) / median(rates[few] as number[]);
  verdict(`cost per signal: ${many} rows beside ${few} rows`, ratio, 0.85);
}

const serving = process.argv.find((word) => word.startsWith('--serve-bare='));
if (serving) {
  serveBare(serving.endsWith('async') ? 'async' : 'direct');
} else {
  const named = process.argv.slice(2).filter((word) => !word.startsWith('--'));
  const wanted = (part: string): boolean => named.length === 0 || named.includes(part);
  for (const mode of ['async', 'direct'] as const) {
    if (!wanted(mode)) continue;
    await throughput(mode);
    await steady(mode);
  }
  if (wanted('rows')) await rows();
}

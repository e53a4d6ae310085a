// POST /run end to end over a socket: 20,000 bars of RSI, MACD and Bollinger bands, beside a bare node:http server that
// parses and answers the same JSON; and POST /webhook while thirty such runs are under way all the time.
// `npm run bench analysis -- [run] [beside] [--quick]`; both by default.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freshDataDir, type RunningProcess, startProcess } from '../tests/support/process.ts';
import { runLoadInChild } from './support/load-child.ts';
import { pineChart } from './support/pine-chart.ts';
import { type RunReport, startRunClient } from './support/run-client.ts';
import { benchMarkets, signalBody } from './support/webhook-bodies.ts';

const quick = process.argv.includes('--quick');
const BARS = 20_000;
const ROUNDS = quick ? 1 : 3;
const RUNS = quick ? 3 : 60;
const WARMUP_RUNS = quick ? 1 : 20;
const TARGET_P50_MS = 100;
const CONCURRENT_RUNS = 30;
const SIGNALS_PER_SECOND = 200;
const TARGET_P99_MS = 20;
const CUSHION = 100;
const API_KEY = `whk_${'b'.repeat(43)}`;

function requestBody(): string {
  const { count, time, open, high, low, close, volume } = pineChart(BARS);
  const data = Array.from({ length: count }, (_, i) => ({
    time: time[i],
    // As exchanges send them.
    open: Number(open[i]?.toFixed(2)),
    high: Number(high[i]?.toFixed(2)),
    low: Number(low[i]?.toFixed(2)),
    close: Number(close[i]?.toFixed(2)),
    volume: volume[i],
  }));
  const script = readFileSync(new URL('./pine-scripts/b.pine', import.meta.url), 'utf8');
  return JSON.stringify({ script, data });
}

/** Answers with as many bytes of JSON as a run does: four series of numbers. */
function serveBare(answerBytes: number): void {
  const values: number[] = [];
  const number = 64.127_358_120_935_54;
  for (let size = 0; size < answerBytes; size += 18) values.push(number);
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      JSON.parse(Buffer.concat(chunks).toString());
      outgoing.end(JSON.stringify(values));
    });
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as { port: number }).port));
}

async function startSignalbox(): Promise<RunningProcess & { readonly port: number; remove(): Promise<void> }> {
  const env = {
    MARKET_SEED: '1',
    PAPER_BALANCE: '1000000000',
    WEBHOOK_RATE_PER_MINUTE: '1000000',
    WEBHOOK_API_KEYS: API_KEY,
    LOG_LEVEL: 'info',
  };
  const logFile = join(freshDataDir(), 'signalbox.log');
  const running = await startProcess({ env, logFile });
  const remove = async (): Promise<void> => {
    await running.kill();
    rmSync(dirname(logFile), { recursive: true, force: true });
    rmSync(running.dataDir, { recursive: true, force: true });
  };
  return { ...running, port: Number(new URL(running.url).port), remove };
}

async function startBare(answerBytes: number): Promise<{ readonly port: number; remove(): Promise<void> }> {
  const child = fork(fileURLToPath(import.meta.url), [`--serve-bare=${answerBytes}`], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [port] = (await once(child, 'message')) as [number];
  const remove = async (): Promise<void> => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { port, remove };
}

const quantile = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;

function show(name: string, { times, answerBytes }: RunReport): void {
  const figures = [0.5, 0.99].map((share) => `p${share * 100} ${quantile(times, share).toFixed(1)} ms`).join('  ');
  console.log(`${name.padEnd(24)} ${figures}  (${(answerBytes / 1e6).toFixed(1)} MB answered)`);
}

async function measure(port: number, body: string): Promise<RunReport> {
  const report = await startRunClient({ port, body, connections: 1, warmup: WARMUP_RUNS, runs: RUNS }).report;
  if (Object.keys(report.statuses).join() !== '200') throw new Error(`it failed: ${JSON.stringify(report.statuses)}`);
  return report;
}

async function run(body: string): Promise<void> {
  const ours: number[] = [];
  const shares: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const box = await startSignalbox();
    const boxReport = await measure(box.port, body);
    await box.remove();
    show('signalbox /run', boxReport);
    const bare = await startBare(boxReport.answerBytes);
    const bareReport = await measure(bare.port, body);
    await bare.remove();
    show('bare server, no script', bareReport);
    ours.push(quantile(boxReport.times, 0.5));
    shares.push(quantile(boxReport.times, 0.5) / quantile(bareReport.times, 0.5));
  }
  const p50Ms = quantile(ours, 0.5);
  verdict(`/run of ${BARS} bars: p50 ${p50Ms.toFixed(1)} ms, target < ${TARGET_P50_MS} ms`, p50Ms < TARGET_P50_MS);
  console.log(
    `  ${quantile(shares, 0.5).toFixed(2)} times what a bare server needs for the same JSON without the script\n`,
  );
}

async function beside(body: string): Promise<void> {
  const markets = await benchMarkets();
  const box = await startSignalbox();
  for (const market of markets) {
    const signal = signalBody(API_KEY, 'LONG', market, CUSHION);
    await (await fetch(`${box.url}/webhook`, { method: 'POST', body: signal })).arrayBuffer();
  }
  const signals = () =>
    runLoadInChild({
      load: {
        host: '127.0.0.1',
        port: box.port,
        path: '/webhook',
        connections: 16,
        durationMs: quick ? 500 : 10_000,
        warmupMs: quick ? 250 : 5000,
        ratePerSecond: SIGNALS_PER_SECOND,
      },
      bodiesModule: new URL('./support/webhook-bodies.ts', import.meta.url),
      bodiesSettings: { apiKey: API_KEY, markets },
    });
  const alone = await signals();
  const runs = startRunClient({ port: box.port, body, connections: CONCURRENT_RUNS, warmup: 0 });
  const loaded = await signals();
  runs.end();
  const report = await runs.report;
  await box.remove();
  for (const [name, { p50Ms, p99Ms, maxMs, statuses }] of Object.entries({ alone, loaded }))
    console.log(
      `webhooks ${name.padEnd(7)} p50 ${p50Ms.toFixed(1)} ms  p99 ${p99Ms.toFixed(1)} ms  max ${maxMs.toFixed(1)} ms  ${JSON.stringify(statuses)}`,
    );
  console.log(`runs beside them: ${JSON.stringify(report.statuses)}, p50 ${quantile(report.times, 0.5).toFixed(0)} ms`);
  verdict(
    `webhooks at ${SIGNALS_PER_SECOND}/s beside ${CONCURRENT_RUNS} runs: p99 ${loaded.p99Ms.toFixed(1)} ms, target < ${TARGET_P99_MS} ms`,
    loaded.p99Ms < TARGET_P99_MS && loaded.unsent === 0,
  );
}

function verdict(what: string, isMet: boolean): void {
  console.log(`${isMet ? 'ok  ' : 'MISS'} ${what}`);
  if (!isMet) process.exitCode = 1;
}

const serving = process.argv.find((word) => word.startsWith('--serve-bare='));
if (serving) serveBare(Number(serving.split('=')[1]));
else {
  const named = process.argv.slice(2).filter((word) => !word.startsWith('--'));
  const wanted = (part: string): boolean => named.length === 0 || named.includes(part);
  const body = requestBody();
  if (wanted('run')) await run(body);
  if (wanted('beside')) await beside(body);
}

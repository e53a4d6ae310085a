// POST /run end to end over a socket: 20,000 bars of RSI, MACD and Bollinger bands, beside a bare node:http server that
// parses and answers the same JSON; and POST /webhook while thirty such runs are under way all the time, beside a bare
// webhook next to the same runs.
// `npm run bench analysis -- [run] [beside] [--quick]`; both by default.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freshDataDir, type RunningProcess, startProcess } from '../tests/support/process.ts';
import { measureBesideRuns } from './support/beside-runs.ts';
import { pineChart } from './support/pine-chart.ts';
import { type RunReport, startRunClient } from './support/run-client.ts';
import { benchMarkets, signalBody } from './support/webhook-bodies.ts';

const quick = process.argv.includes('--quick');
const BARS = quick ? 2000 : 20_000;
const ROUNDS = quick ? 1 : 3;
const RUNS = quick ? 3 : 60;
const WARMUP_RUNS = quick ? 1 : 20;
const TARGET_P50_MS = 100;
/** Fewer in a short run: on a busy machine the last of thirty would wait longer than a run may. */
const CONCURRENT_RUNS = quick ? 3 : 30;
const SIGNALS_PER_SECOND = 200;
const TARGET_P99_TIMES = 1.5;
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
  const { alone, loaded, bareAlone, bareLoaded, isWhole } = await measureBesideRuns({
    ...{ port: box.port, apiKey: API_KEY, markets, runBody: body, concurrentRuns: CONCURRENT_RUNS },
    ...{ ratePerSecond: SIGNALS_PER_SECOND, rounds: ROUNDS },
    ...{ durationMs: quick ? 200 : 5000, warmupMs: quick ? 100 : 2000 },
  });
  await box.remove();
  const times = (value: number, base: number): string => `${(value / base).toFixed(2)} times`;
  verdict(
    `webhooks at ${SIGNALS_PER_SECOND}/s beside ${CONCURRENT_RUNS} runs: p99 ${loaded.toFixed(1)} ms, ${times(loaded, alone)} that without them, target < ${TARGET_P99_TIMES}`,
    loaded < TARGET_P99_TIMES * alone && isWhole,
  );
  console.log(
    `  a bare server beside the same runs: p99 ${bareLoaded.toFixed(1)} ms, ${times(bareLoaded, bareAlone)} that without them; ours is ${times(loaded, bareLoaded)} the bare one's`,
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

// `npm run soak processes [seconds]`: 200 signals a second while the script process is killed every second it is there,
// and as long without kills before it. A bare server is asked at the same time, so that what the machine does to every
// server while processes start on it can be told from what happens to ours.

import { rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { drawSignal, type SignalSource } from '../../tests/support/chaos/random-signals.ts';
import { allSettled, compare, compareOrder } from '../../tests/support/nothing-lost.ts';
import { type RunningProcess, startProcess } from '../../tests/support/process.ts';
import { Random } from '../../tests/support/random.ts';
import { scriptProcessOf } from '../../tests/support/script-process-of.ts';
import { post, type SentSignal } from '../../tests/support/senders.ts';
import { startBareWebhook } from './bare-webhook.ts';

const SIGNALS_PER_SECOND = 200;
const BARE_PER_SECOND = 50;
const CONNECTIONS = 32;
const KILL_EVERY_MS = 1000;
const API_KEY = `whk_${'p'.repeat(43)}`;
/** Beyond what the bare server suffers meanwhile. */
const LATE_TIMES = 1.5;
/** A close of what is not held is refused with 422: it is answered and in order all the same. */
const ANSWERS = new Set([200, 422]);

interface Phase {
  readonly sent: readonly SentSignal[];
  readonly times: readonly number[];
  readonly bareTimes: readonly number[];
  readonly kills: number;
}

/** True when every signal of both halves was answered, is in the journal once, in order, and none was late. */
export async function soakProcesses(seconds: number, say: (line: string) => void): Promise<boolean> {
  const env = {
    WEBHOOK_API_KEYS: API_KEY,
    WEBHOOK_RATE_PER_MINUTE: '0',
    PAPER_BALANCE: '1000000000',
    LOG_LEVEL: 'error',
  };
  const running = await startProcess({ env });
  const bare = await startBareWebhook();
  const bareUrl = `http://127.0.0.1:${bare.port}`;
  // Code gets hot, and the first start of the scripts is over.
  await phase(running, bareUrl, Math.min(seconds, 5), false);
  const calm = await phase(running, bareUrl, seconds, false);
  const killed = await phase(running, bareUrl, seconds, true);
  await bare.stop();
  await allSettled(running.url);
  const code = await running.stop();
  const all = [...calm.sent, ...killed.sent];
  const faults = [
    ...all.filter(({ answer }) => !ANSWERS.has(answer?.status ?? 0)).map(({ answer }) => `answered ${answer?.status}`),
    ...compare(running.dataDir, all),
    ...compareOrder(running.dataDir),
    ...(code === 0 ? [] : [`SIGTERM ended with code ${code}`]),
    ...(killed.kills > 0 ? [] : ['the script process was never killed']),
  ];
  rmSync(running.dataDir, { recursive: true, force: true });
  tell(calm, killed, say);
  for (const fault of faults) say(`FAULT ${fault}`);
  const [ours, machine] = [ratio(killed.times, calm.times), ratio(killed.bareTimes, calm.bareTimes)];
  const isLate = ours > LATE_TIMES * Math.max(1, machine);
  say(
    `${isLate ? 'MISS' : 'ok  '} p99 with kills is ${ours.toFixed(2)} times that without; a bare server's beside it ${machine.toFixed(2)} times`,
  );
  if (faults.length === 0) say(`none lost, none twice, all in order: ${all.length} signals, ${killed.kills} kills`);
  return faults.length === 0 && !isLate;
}

async function phase(running: RunningProcess, bareUrl: string, seconds: number, withKills: boolean): Promise<Phase> {
  const killer = withKills ? killScripts(running, seconds) : 0;
  const ours = sendPaced({ url: running.url, seconds, ratePerSecond: SIGNALS_PER_SECOND });
  const theirs = sendPaced({ url: bareUrl, seconds, ratePerSecond: BARE_PER_SECOND });
  const [{ sent, times }, { times: bareTimes }, kills] = await Promise.all([ours, theirs, killer]);
  return { sent, times, bareTimes, kills };
}

async function killScripts(running: RunningProcess, seconds: number): Promise<number> {
  const endMs = performance.now() + seconds * 1000;
  let kills = 0;
  while (performance.now() < endMs) {
    const pid = scriptProcessOf(running);
    if (pid !== undefined) {
      process.kill(pid, 'SIGKILL');
      kills += 1;
    }
    await sleep(KILL_EVERY_MS);
  }
  return kills;
}

interface Pace {
  readonly url: string;
  readonly seconds: number;
  readonly ratePerSecond: number;
}

/** Each signal when it is due, whether or not those before it are answered. */
async function sendPaced({ url, seconds, ratePerSecond }: Pace) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const random = new Random(Math.floor(Math.random() * 0x7fffffff));
  const source: SignalSource = { random, apiKeys: [API_KEY], paper: ['binance'] };
  const sent: SentSignal[] = [];
  const times: number[] = [];
  const underWay: Promise<void>[] = [];
  const send = async (): Promise<void> => {
    const entry: SentSignal = { ...drawSignal(source), answer: undefined };
    sent.push(entry);
    const sentMs = performance.now();
    entry.answer = await post(url, agent, entry.body);
    times.push(performance.now() - sentMs);
  };
  const startMs = performance.now();
  const due = () => Math.min(seconds, (performance.now() - startMs) / 1000) * ratePerSecond;
  while (sent.length < seconds * ratePerSecond) {
    while (sent.length < Math.floor(due())) underWay.push(send());
    await sleep(1);
  }
  await Promise.all(underWay);
  agent.destroy();
  return { sent, times };
}

const quantile = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
const ratio = (loaded: readonly number[], calm: readonly number[]): number =>
  quantile(loaded, 0.99) / quantile(calm, 0.99);

function tell(calm: Phase, killed: Phase, say: (line: string) => void): void {
  const figures = (times: readonly number[]) =>
    [0.5, 0.99, 1].map((share) => `${quantile(times, share).toFixed(1)} ms`.padStart(11)).join('');
  say(`${''.padEnd(32)}${['p50', 'p99', 'max'].map((name) => name.padStart(11)).join('')}`);
  say(`${'webhooks without kills'.padEnd(32)}${figures(calm.times)}`);
  say(`${`webhooks over ${killed.kills} kills`.padEnd(32)}${figures(killed.times)}`);
  say(`${'bare server without kills'.padEnd(32)}${figures(calm.bareTimes)}`);
  say(`${'bare server over the same kills'.padEnd(32)}${figures(killed.bareTimes)}`);
}

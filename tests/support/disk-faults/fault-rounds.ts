// Signals to a real process whose disk fails at a chosen step, kill -9 while it does, and a start on a sound disk: then what
// was answered is compared with what is there.

import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { allSettled, compare } from '../nothing-lost.ts';
import { freshDataDir, startProcess } from '../process.ts';
import { post, type SentSignal } from '../senders.ts';
import { type DiskFault, type DiskStep, prepareDiskFaults } from './index.ts';

const API_KEY = `whk_${'f'.repeat(43)}`;
/** More than one, so that they share commits and one of them comes while another is under way. */
const SIGNALS_PER_ROUND = 3;

const ENV = {
  WEBHOOK_API_KEYS: API_KEY,
  WEBHOOK_RATE_PER_MINUTE: '0',
  PAPER_BALANCE: '1000000000',
  LOG_LEVEL: 'error',
  // A restart on a busy machine must not be late: what was accepted has to be executed, not expired.
  SIGNAL_MAX_AGE_S: '600',
};

export interface FaultRound extends DiskFault {
  readonly mode: 'direct' | 'async';
}

export interface FaultReport {
  readonly sent: readonly SentSignal[];
  /** Steps that really failed; a round without one has tried nothing. */
  readonly failedSteps: readonly number[];
  readonly faults: readonly string[];
}

/** One folder for all rounds: every round ends with kill -9 while its fault is armed, and a start without it. */
export async function runFaultRounds(rounds: readonly FaultRound[]): Promise<FaultReport> {
  const dataDir = freshDataDir();
  const disk = await prepareDiskFaults(dataDir);
  const agent = new Agent({ keepAlive: false });
  const sent: SentSignal[] = [];
  const failedSteps: number[] = [];
  const send = async (url: string): Promise<void> => {
    const idempotencyKey = randomUUID();
    const signal = { exchange: 'binance', action: 'LONG', symbol: 'ETHUSDT', quantity: 0.05 };
    const body = JSON.stringify({ apiKey: API_KEY, ...signal, idempotencyKey });
    const entry: SentSignal = { body, idempotencyKey, answer: undefined };
    sent.push(entry);
    entry.answer = await post(url, agent, body);
  };
  for (const round of rounds) {
    const running = await startProcess({ dataDir, env: { ...ENV, ...disk.env, QUEUE_MODE: round.mode } });
    await allSettled(running.url);
    disk.fail(round);
    await Promise.all(Array.from({ length: SIGNALS_PER_ROUND }, () => send(running.url)));
    await running.kill();
    failedSteps.push(disk.faults());
    disk.heal();
  }
  const last = await startProcess({ dataDir, env: { ...ENV, QUEUE_MODE: 'direct' } });
  await send(last.url);
  await allSettled(last.url);
  const code = await last.stop();
  agent.destroy();
  disk.close();
  const faults = [...compare(dataDir, sent), ...refusedButThere(dataDir, sent)];
  if (code !== 0) faults.push(`SIGTERM ended with code ${code}`);
  if (sent.at(-1)?.answer?.status !== 200) faults.push('the last start, on a sound disk, does not trade');
  return { sent, failedSteps, faults };
}

/** A signal whose sender was told that it was not accepted must not be anywhere. */
function refusedButThere(dataDir: string, sent: readonly SentSignal[]): string[] {
  const db = new DatabaseSync(join(dataDir, 'signalbox.db'), { readOnly: true });
  const find = db.prepare('SELECT state FROM trades WHERE idempotency_key = ?');
  const faults = sent
    .filter(({ answer }) => answer?.body.code === 'STORAGE_FAILED')
    .map(({ idempotencyKey, answer }) => ({ row: find.get(idempotencyKey), answer }))
    .filter(({ row }) => row !== undefined)
    .map(({ row, answer }) => `answered "${answer?.body.error}", and it is there as ${row?.state}`);
  db.close();
  return faults;
}

/** Every round a fault at a random step of a signal's life. */
export function randomRounds(count: number): FaultRound[] {
  const oneOf = <T>(values: readonly [T, ...T[]]): T => values[Math.floor(Math.random() * values.length)] as T;
  return Array.from({ length: count }, () => {
    const kind = oneOf<DiskStep>(['write', 'sync']);
    return {
      mode: oneOf(['direct', 'async']),
      kinds: [kind],
      step: 1 + Math.floor(Math.random() * (kind === 'sync' ? 5 : 80)),
      error: oneOf(['EIO', 'ENOSPC']),
      forGood: Math.random() < 0.7,
    };
  });
}

// One real process after another on one folder whose disk fails at a chosen step; at the end, what was answered is compared
// with what the next start has made of it.
//
//   const instance = await openFaultyInstance('direct');
//   const isReached = await instance.round('everyday', { kinds: ['sync'], step: 3, error: 'EIO', forGood: true });
//   const faults = await instance.end();
//
// A fault that comes once leaves the process running, and the next round goes on with it. One that lasts ends with
// kill -9 while the disk still fails, and the next round begins with a start on a sound disk.

import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { freshDataDir, type RunningProcess, startGatewayProcess } from '../process.ts';
import { post, type SentSignal } from '../senders.ts';
import { compareAnswers, stopFaults } from './compare-answers.ts';
import { type DiskFault, type DiskFaults, prepareDiskFaults } from './index.ts';
import * as signals from './round-signals.ts';

/**
 * everyday: five signals at the same instant, and one of them again.
 * filled-later: a limit order that rests; the disk fails while the market fills it.
 * checkpoint: so many signals that the database's log is brought into the database.
 * stop: SIGTERM after some signals; the last one to close a database brings its log into it, whole, and removes the log.
 */
export type Life = 'everyday' | 'filled-later' | 'checkpoint' | 'stop';
export type Mode = 'direct' | 'async' | 'failover';

export interface FaultRound extends DiskFault {
  /** How long an answer is waited for once the disk fails for good; in direct mode the last ones come after 2.5 s. */
  readonly patienceMs?: number;
}

const ENV = {
  ...signals.ENV,
  WEBHOOK_RATE_PER_MINUTE: '0',
  PAPER_BALANCE: '1000000000',
  LOG_LEVEL: 'silent',
  // A restart on a busy machine must not be late: what was accepted has to be executed, not expired.
  SIGNAL_MAX_AGE_S: '600',
};
const PATIENCE_MS = 60;
/** A checkpoint comes after a thousand pages, and a signal that is alone writes some thirty. */
const LOAD_SIGNALS = 100;
const LOOK_EVERY_MS = 10;
/** The market moves once a second. */
const MARKET_LOOK_MS = 50;

export async function openFaultyInstance(mode: Mode): Promise<FaultyInstance> {
  const dataDir = freshDataDir();
  return new FaultyInstance(mode, dataDir, await prepareDiskFaults(dataDir));
}

export class FaultyInstance {
  readonly sent: SentSignal[] = [];
  starts = 0;
  readonly #mode: Mode;
  readonly #dataDir: string;
  readonly #disk: DiskFaults;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #faults: string[] = [];
  #process: RunningProcess | undefined;
  #rounds = 0;

  constructor(mode: Mode, dataDir: string, disk: DiskFaults) {
    this.#mode = mode;
    this.#dataDir = dataDir;
    this.#disk = disk;
  }

  /** True when the disk really failed: a life that has fewer steps is over before that. */
  async round(life: Life, fault: FaultRound): Promise<boolean> {
    this.#rounds++;
    await this.#started();
    const live = await this.#prepare(life);
    this.#disk.fail(fault);
    const lived = live();
    if (fault.forGood) await this.#untilHopeless(lived, fault.patienceMs ?? PATIENCE_MS);
    else await lived;
    await this.#until(async () => this.#disk.faults() > 0 || (await this.#isSettled()));
    const isReached = this.#disk.faults() > 0;
    if (this.#process && this.#isOver()) this.#diedInRound(fault);
    if (isReached && fault.forGood) await this.#kill();
    // Connections that were cut off end here.
    await lived;
    this.#disk.heal();
    return isReached;
  }

  /** Two starts on a sound disk: what the first has found is brought to its end, the second finds nothing left to do. */
  async end(): Promise<readonly string[]> {
    await this.#kill();
    await this.#started();
    await Promise.all(signals.closingSignals().map((signal) => this.#send(signal)));
    const last = await this.#send(await signals.entryWithStops(signals.STOP_MARKETS[0]));
    if ((last?.status ?? 500) >= 300) this.#faults.push('the last start, on a sound disk, does not trade');
    await this.#until(() => this.#isSettled());
    await this.#until(() => this.#isFilled());
    const code = await this.#process?.stop();
    if (code !== 0) this.#faults.push(`SIGTERM ended with code ${code}`);
    this.#agent.destroy();
    this.#disk.close();
    return [...this.#faults, ...compareAnswers(this.#dataDir, this.sent)];
  }

  async #started(): Promise<void> {
    const isNew = this.#process === undefined;
    this.#process ??= await this.#start();
    await this.#until(() => this.#isSettled());
    // Now, before the next entry brings stops of its own.
    if (isNew) this.#faults.push(...stopFaults(this.#dataDir).map((fault) => `after round ${this.#rounds}: ${fault}`));
  }

  #start(): Promise<RunningProcess> {
    this.starts++;
    return startGatewayProcess({ dataDir: this.#dataDir, env: { ...ENV, ...this.#disk.env, QUEUE_MODE: this.#mode } });
  }

  /** With any exit code: a disk that fails may be a reason to complain. */
  async #stop(): Promise<void> {
    await this.#process?.stop();
    this.#process = undefined;
  }

  async #kill(): Promise<void> {
    await this.#process?.kill();
    this.#process = undefined;
  }

  /** All is answered; or the disk has failed, and whoever can be answered without it has had the time for it. */
  async #untilHopeless(lived: Promise<unknown>, patienceMs: number): Promise<void> {
    let isLived = false;
    const over = lived.then(() => {
      isLived = true;
    });
    await this.#until(() => isLived || this.#disk.faults() > 0);
    await Promise.race([over, sleep(patienceMs)]);
  }

  #diedInRound(fault: FaultRound): void {
    this.#faults.push(`the process ended by itself in round ${this.#rounds}: ${JSON.stringify(fault)}`);
    this.#process = undefined;
  }

  /** What has to be there before the disk fails; returns what is done while it does. */
  async #prepare(life: Life): Promise<() => Promise<unknown>> {
    if (life === 'checkpoint') return () => this.#untilCheckpoint();
    if (life === 'filled-later') {
      const resting = await this.#rests(await signals.filledLater());
      const isOver = async () => this.#disk.faults() > 0 || (await this.#statusOf(resting)) === 'Filled';
      return () => this.#until(isOver, MARKET_LOOK_MS);
    }
    const group = await signals.everydaySignals(this.#rounds);
    // What is closed in this round must be there.
    await this.#send(await signals.entryWithStops(signals.STOP_MARKETS[this.#rounds % 2 === 0 ? 1 : 0]));
    await this.#until(() => this.#isSettled());
    if (life === 'everyday') return () => this.#sendGroup(group);
    await this.#sendGroup(group);
    await this.#until(() => this.#isSettled());
    return () => this.#stop();
  }

  async #sendGroup(group: readonly SentSignal[]): Promise<void> {
    const [first] = group;
    await Promise.all(group.map((signal) => this.#send(signal)));
    // Not where its key was given back.
    if (first && first.answer?.body.code !== 'VENUE_UNREACHABLE') await this.#send({ ...first, answer: undefined });
  }

  async #untilCheckpoint(): Promise<void> {
    for (let sent = 0; sent < LOAD_SIGNALS && this.#disk.steps() === 0; sent++) {
      await this.#send(signals.loadSignal());
      await this.#until(() => this.#isSettled());
    }
  }

  async #rests(signal: SentSignal): Promise<SentSignal> {
    await this.#send(signal);
    await this.#until(async () => (await this.#statusOf(signal)) !== 'Enqueued');
    return signal;
  }

  async #send(signal: SentSignal): Promise<SentSignal['answer']> {
    this.sent.push(signal);
    signal.answer = await post(this.#url(), this.#agent, signal.body);
    return signal.answer;
  }

  #url(): string {
    return this.#process?.url ?? 'http://127.0.0.1:1';
  }

  async #get(path: string): Promise<unknown> {
    const response = await fetch(`${this.#url()}${path}`).catch(() => undefined);
    return ((await response?.json().catch(() => undefined)) as { result?: unknown } | undefined)?.result;
  }

  async #statusOf({ answer }: SentSignal): Promise<string | undefined> {
    const trade = (await this.#get(`/trades/${answer?.body.requestId}`)) as { status?: string } | undefined;
    return trade?.status;
  }

  /** Nothing is queued or under way. */
  async #isSettled(): Promise<boolean> {
    const queued = await this.#get('/trades?status=Enqueued&limit=1');
    return this.#isOver() || (Array.isArray(queued) && queued.length === 0);
  }

  async #isFilled(): Promise<boolean> {
    const resting = await this.#get('/trades?status=Submitted&limit=1');
    return this.#isOver() || (Array.isArray(resting) && resting.length === 0);
  }

  #isOver(): boolean {
    return this.#process === undefined || this.#process.child.exitCode !== null;
  }

  async #until(holds: () => boolean | Promise<boolean>, everyMs = LOOK_EVERY_MS): Promise<void> {
    for (let tries = 0; !(await holds()); tries++) {
      if (this.#isOver()) return;
      if (tries > 60_000 / everyMs) throw new Error('waited for more than a minute');
      await sleep(everyMs);
    }
  }
}

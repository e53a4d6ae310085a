// One process over SQLite: the form that everybody begins with. It can be killed, stopped, frozen and cut from its power, its disk can
// be full or slow, and its clock can be set.

import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DiskFaults, prepareDiskFaults } from '../disk-faults/index.ts';
import { type MovedClock, prepareMovedClock } from '../moved-clock/index.ts';
import { type Finding, finding } from '../nothing-lost.ts';
import { type PowerCuts, preparePowerCuts } from '../power-cuts/index.ts';
import { freshDataDir, type RunningProcess, spawnSignalbox, startGatewayProcess } from '../process.ts';
import type { Random } from '../random.ts';
import type { TimedSignal } from '../senders.ts';
import { ClockHistory, jump } from './clock-history.ts';
import { compareJournal, countTrades } from './compare-journal.ts';
import type { Deployment, Fault, FormOptions } from './form.ts';
import { BALANCE, formSettings } from './form-settings.ts';
import { allDone } from './open-trades.ts';
import { put } from './put.ts';

export async function openSqliteForm(options: FormOptions): Promise<SqliteForm> {
  const dataDir = freshDataDir();
  const disk = await prepareDiskFaults(dataDir);
  const power = await preparePowerCuts(dataDir);
  const clock = await prepareMovedClock(`${dataDir}.clock`);
  return new SqliteForm(options, dataDir, { disk, power, clock });
}

interface Machine {
  readonly disk: DiskFaults;
  readonly power: PowerCuts;
  readonly clock: MovedClock;
}

export class SqliteForm implements Deployment {
  readonly dataDir: string;
  readonly power: PowerCuts;
  readonly clocks: ClockHistory;
  readonly #options: FormOptions;
  readonly #disk: DiskFaults;
  readonly #clock: MovedClock;
  readonly #env: Readonly<Record<string, string>>;
  #findings: Finding[] = [];
  #process: RunningProcess | undefined;

  constructor(options: FormOptions, dataDir: string, { disk, power, clock }: Machine) {
    this.#options = options;
    this.dataDir = dataDir;
    this.#disk = disk;
    this.power = power;
    this.#clock = clock;
    this.clocks = new ClockHistory([clock]);
    this.#env = {
      ...disk.env,
      ...power.env,
      ...clock.env,
      // What the disk refuses has not happened, so the record of power cuts comes after it.
      LD_PRELOAD: [disk, power, clock].map(({ env }) => env.LD_PRELOAD).join(':'),
      ...formSettings(options),
    };
  }

  readonly faults: readonly Fault[] = [
    { name: 'kill -9', weight: 4, isOutage: true, strike: (random) => this.#killed(random) },
    { name: 'power cut', weight: 4, isOutage: true, strike: (random) => this.#cutOff(random) },
    { name: 'power cut in a start', weight: 1, isOutage: true, strike: (random) => this.#cutOffStart(random) },
    { name: 'ordinary restart', weight: 1, isOutage: true, strike: (random) => this.#restarted(random) },
    { name: 'frozen process', weight: 2, strike: (random) => this.#frozen(random) },
    { name: 'full disk', weight: 2, strike: (random) => this.#filled(random) },
    { name: 'full disk, then kill -9', weight: 1, isOutage: true, strike: (random) => this.#filledAndKilled(random) },
    { name: 'slow disk', weight: 2, strike: (random) => this.#slowed(random) },
    { name: 'clock jump', weight: 2, strike: (random) => this.#jumped(random) },
  ];

  async start(): Promise<void> {
    this.#process = await startGatewayProcess({ dataDir: this.dataDir, env: this.#env });
    this.#options.onStart([this.#process.url]);
  }

  heal(): void {
    this.#disk.heal();
    this.clocks.move(this.#clock, 0);
  }

  set(path: string, value: object): Promise<boolean> {
    return put(`${this.#process?.url}${path}`, value);
  }

  takeFindings(): Finding[] {
    const found = this.#findings;
    this.#findings = [];
    return found;
  }

  comeToRest(): Promise<void> {
    return allDone((query) => fetch(`${this.#process?.url}/trades?${query}`).catch(() => undefined));
  }

  async end(sent: readonly TimedSignal[]): Promise<Finding[]> {
    await this.#stop();
    return [
      ...this.takeFindings(),
      ...compareJournal(this.dataDir, sent, { live: this.#options.live, balance: BALANCE }),
    ];
  }

  count(): { readonly trades: number; readonly filled: number } {
    return countTrades(this.dataDir);
  }

  async close(): Promise<void> {
    await this.#process?.kill();
    this.#disk.close();
    this.power.close();
    this.#clock.close();
    for (const suffix of ['', '.disk-faults', '.clock'])
      rmSync(`${this.dataDir}${suffix}`, { recursive: true, force: true });
  }

  async #killed(random: Random): Promise<string> {
    await this.#kill(random);
    await this.start();
    return 'kill -9';
  }

  async #cutOff(random: Random): Promise<string> {
    const remains = random.of(['none', 'none', 'some', 'some', 'some', 'all'] as const);
    await this.#kill(random);
    this.power.cut(remains, random);
    await this.start();
    return `power cut: ${remains} of what was not synced is left`;
  }

  /** The next process finds what the first was doing: taking up what was left, and opening its databases. */
  async #cutOffStart(random: Random): Promise<string> {
    const ms = random.between(100, 1500);
    await this.#kill(random);
    const child = spawnSignalbox(['start'], { DATA_DIR: this.dataDir, SERVICES: 'gateway', ...this.#env });
    const gone = once(child, 'exit');
    await sleep(ms);
    child.kill('SIGKILL');
    await gone;
    this.power.cut(random.of(['none', 'some']), random);
    await this.start();
    return `kill -9, and a power cut ${ms} ms after the next start`;
  }

  async #restarted(random: Random): Promise<string> {
    await this.#stop();
    const unrecorded = this.power.unrecorded(random);
    // The proof would be worth nothing: what nobody has recorded no cut can take away.
    if (unrecorded.length > 0) throw new Error(`changed past the record of power cuts: ${unrecorded.join()}`);
    await this.start();
    return 'SIGTERM';
  }

  async #frozen(random: Random): Promise<string> {
    const ms = random.between(50, 3000);
    this.#process?.child.kill('SIGSTOP');
    await sleep(ms);
    this.#process?.child.kill('SIGCONT');
    return `frozen for ${ms} ms`;
  }

  async #filled(random: Random): Promise<string> {
    const ms = this.#fillDisk(random);
    await sleep(ms);
    this.#disk.heal();
    return `no room on the disk for ${ms} ms`;
  }

  async #filledAndKilled(random: Random): Promise<string> {
    const ms = this.#fillDisk(random);
    await sleep(ms);
    await this.#kill(random);
    this.#disk.heal();
    await this.start();
    return `no room on the disk for ${ms} ms, then kill -9`;
  }

  #fillDisk(random: Random): number {
    this.#disk.fail({ step: random.between(1, 40), kinds: ['write'], error: 'ENOSPC', forGood: true });
    return random.between(20, 1000);
  }

  async #slowed(random: Random): Promise<string> {
    const ms = random.of([0, 5, 15, 30]);
    this.#disk.delaySyncs(ms);
    return `every sync takes ${ms} ms longer`;
  }

  async #jumped(random: Random): Promise<string> {
    return jump(this.clocks, this.#clock, random);
  }

  /** At any moment of what is under way. */
  async #kill(random: Random): Promise<void> {
    await sleep(random.between(0, 8));
    this.#noteOwnEnd();
    await this.#process?.kill();
    this.power.settle();
  }

  async #stop(): Promise<void> {
    this.#noteOwnEnd();
    const code = await this.#process?.stop();
    if (code !== 0) this.#findings.push(finding('other', `SIGTERM ended with code ${code}`));
    this.power.settle();
  }

  #noteOwnEnd(): void {
    const { exitCode, signalCode } = this.#process?.child ?? {};
    if (exitCode === null && signalCode === null) return;
    const output = this.#process?.output().slice(-2000);
    this.#findings.push(finding('other', `the process ended by itself with ${exitCode ?? signalCode}: ${output}`));
  }
}

// A Signalbox under a service manager: whenever it ends it is started again, and how it ended is judged.

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Finding, finding } from '../nothing-lost.ts';
import { freshDataDir, spawnSignalbox } from '../process.ts';
import { INSPECTABLE, whatProcessDoes } from './what-it-does.ts';

/** Both kinds say it when their port is open. */
const GREETING = /(?:stands by at|is listening on) (http:\/\/[\d.]+:\d+)/;
/** What is kept of its words. */
const KEPT_CHARS = 4000;
/** As a service manager pauses between two starts. */
const PAUSE_MS = 200;
/** By itself it may only end where it must: when it has lost the lease, or cannot start because the database is away. */
const LOST_LEASE =
  /the desk belongs to another process now|the lease of the desk has run out|another process has taken over/;
const DATABASE_AWAY = /PostgreSQL at \S+ /;

export interface SupervisedOptions {
  readonly env: Readonly<Record<string, string>>;
  /** Its port is open; each start has another. */
  readonly onStart: () => void;
}

export class SupervisedProcess {
  /** Where it is, or was before it ended. */
  url: string | undefined;
  readonly #options: SupervisedOptions;
  readonly #dataDir = freshDataDir();
  #child: ChildProcess | undefined;
  #output = '';
  #wordsBefore = '';
  #lives = 0;
  /** It has owned the desk. */
  #hasServed = false;
  #askedTo: 'die' | 'stop' | undefined;
  #restartAfterMs = PAUSE_MS;
  #isOver = false;
  #life: Promise<void> | undefined;
  #findings: Finding[] = [];

  constructor(options: SupervisedOptions) {
    this.#options = options;
  }

  start(): void {
    this.#life = this.#live();
  }

  takeFindings(): Finding[] {
    return this.#findings.splice(0);
  }

  /** For whoever wonders why nobody trades. Its last words are those of this life, or of the one before. */
  async whatItDoes(): Promise<string> {
    const child = this.#child;
    const doing = child === undefined ? 'has ended' : await whatProcessDoes(child, () => this.#output);
    return `at ${this.url}, in its life ${this.#lives}: ${doing}\n${this.#output || this.#wordsBefore}`;
  }

  /** kill -9; it comes back after so long. */
  kill(awayMs: number): Promise<void> {
    return this.#ask('die', awayMs);
  }

  /** SIGTERM; it comes back. */
  stop(): Promise<void> {
    return this.#ask('stop', PAUSE_MS);
  }

  async freeze(ms: number): Promise<void> {
    const child = this.#child;
    child?.kill('SIGSTOP');
    await sleep(ms);
    child?.kill('SIGCONT');
  }

  /** It does not come back. */
  async end(how: 'die' | 'stop'): Promise<void> {
    this.#isOver = true;
    await this.#ask(how, 0);
    await this.#life;
  }

  async #ask(what: 'die' | 'stop', awayMs: number): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#askedTo = what;
    this.#restartAfterMs = awayMs;
    const gone = once(child, 'exit');
    child.kill(what === 'die' ? 'SIGKILL' : 'SIGTERM');
    await gone;
  }

  async #live(): Promise<void> {
    while (!this.#isOver) {
      this.#lives += 1;
      this.#wordsBefore = this.#output;
      this.#output = '';
      this.#hasServed = false;
      this.#askedTo = undefined;
      this.#restartAfterMs = PAUSE_MS;
      const child = spawnSignalbox(['start'], {
        ...{ ...INSPECTABLE, ...this.#options.env, SERVICES: 'gateway', DATA_DIR: this.#dataDir },
      });
      this.#child = child;
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => this.#heard(chunk));
      await once(child, 'close');
      this.#child = undefined;
      this.#judge(child);
      if (!this.#isOver) await sleep(this.#restartAfterMs);
    }
  }

  #heard(chunk: Buffer): void {
    const before = this.url;
    this.#hasServed ||= chunk.includes('is listening on');
    this.#output = (this.#output + chunk.toString()).slice(-KEPT_CHARS);
    this.url = GREETING.exec(this.#output)?.[1] ?? this.url;
    if (this.url !== before) this.#options.onStart();
  }

  #judge({ exitCode, signalCode }: ChildProcess): void {
    if (this.#askedTo === 'die' && signalCode === 'SIGKILL') return;
    if (this.#askedTo === 'stop' && exitCode === 0) return;
    // It had just been started again, and Node had not come to the program yet.
    if (this.#askedTo === 'stop' && signalCode === 'SIGTERM' && this.#output === '') return;
    if (exitCode === 1 && LOST_LEASE.test(this.#output)) return;
    if (exitCode === 1 && !this.#hasServed && DATABASE_AWAY.test(this.#output)) return;
    const asked = this.#askedTo === undefined ? 'by itself' : `when it was told to ${this.#askedTo}`;
    this.#findings.push(finding('other', `a process ended ${asked} with ${exitCode ?? signalCode}: ${this.#output}`));
  }
}

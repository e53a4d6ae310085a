// A process beside ours that is started, watched and started again, so that what runs in it can fail without us.
//
//   starting ──ready()──► up ──ends, or does not answer──► down ──after a pause──► starting
//                          └──stop()──► ends for good

import { type ChildProcess, fork } from 'node:child_process';
import { getPriority, setPriority } from 'node:os';
import { backoffMs } from '../timing/backoff.ts';
import { connectProcess, type Procedures, type Remote } from './process-channel.ts';

/** What every watched process offers. */
type Watched = { ping(): void; stop(): void };

export interface WatchedProcessOptions {
  readonly file: URL;
  /** Ours where it is left out. */
  readonly env?: NodeJS.ProcessEnv;
  /** What the process may call here. */
  readonly calls: Procedures;
  /** It is gone, and not because it was told to; the words say how it ended. */
  readonly onEnd: (how: string) => void;
  readonly pingIntervalMs?: number;
  /** Without an answer for so long its event loop stands still, and it is killed. */
  readonly silenceMs?: number;
}

/** Below trading when both want the processor: on Linux a third of what trading gets then. */
const NICENESS = 5;
const LOWEST = 19;
const PING_INTERVAL_MS = 5000;
const SILENCE_MS = 20_000;
/** Before it is started again; doubled each time it has not lived long. */
const RESTART = { firstMs: 100, longestMs: 5000 };
const LIVED_LONG_MS = 10_000;

export class WatchedProcess<Theirs extends Procedures & Watched> {
  readonly #options: WatchedProcessOptions & Required<Pick<WatchedProcessOptions, 'pingIntervalMs' | 'silenceMs'>>;
  #child: ChildProcess | undefined;
  #remote: Remote<Theirs> | undefined;
  #restart: NodeJS.Timeout | undefined;
  /** How often in a row it has ended before it had lived long. */
  #shortLives = 0;
  #isStopping = false;

  constructor(options: WatchedProcessOptions) {
    this.#options = { pingIntervalMs: PING_INTERVAL_MS, silenceMs: SILENCE_MS, ...options };
    this.#start();
  }

  /** Undefined between its end and its next start. It may not be ready yet. */
  get remote(): Remote<Theirs> | undefined {
    return this.#remote;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  #start(): void {
    const startedMs = performance.now();
    const { file, env } = this.#options;
    const child = fork(file, {
      ...(env && { env }),
      execArgv: ['--disable-warning=ExperimentalWarning'],
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#child = child;
    stepBack(child);
    const remote = connectProcess<Theirs>(child, this.#options.calls);
    this.#remote = remote;
    const stopWatching = this.#watch(child, remote);
    let isOver = false;
    const end = (how: string): void => {
      if (isOver) return;
      isOver = true;
      stopWatching();
      this.#remote = undefined;
      if (this.#isStopping) return;
      this.#shortLives = performance.now() - startedMs > LIVED_LONG_MS ? 1 : this.#shortLives + 1;
      this.#restart = setTimeout(() => this.#start(), backoffMs(RESTART, this.#shortLives));
      this.#options.onEnd(how);
    };
    child.once('error', (error) => end(error.message));
    child.once('exit', (code, signal) =>
      end(signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`),
    );
  }

  #watch(child: ChildProcess, remote: Remote<Watched>): () => void {
    const { pingIntervalMs, silenceMs } = this.#options;
    let heardMs = performance.now();
    const timer = setInterval(() => {
      if (performance.now() - heardMs > silenceMs) return void child.kill('SIGKILL');
      remote.ping().then(
        () => {
          heardMs = performance.now();
        },
        () => {},
      );
    }, pingIntervalMs);
    return () => clearInterval(timer);
  }

  /** Ends it at once; like after any other end, the next one is started. */
  replace(): void {
    this.#child?.kill('SIGKILL');
  }

  /** Resolves when it is gone; it is killed when that takes longer than this. */
  async stop(limitMs: number): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#restart);
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    const cutOff = setTimeout(() => child.kill('SIGKILL'), limitMs);
    const remote: Remote<Watched> | undefined = this.#remote;
    remote?.stop().catch(() => {});
    await gone;
    clearTimeout(cutOff);
  }
}

/** At once, so that every thread it makes inherits it. */
function stepBack({ pid }: ChildProcess): void {
  // One that could not be started has no number.
  if (pid === undefined) return;
  try {
    setPriority(pid, Math.min(LOWEST, getPriority() + NICENESS));
  } catch {
    // It has ended already, or the system allows nobody to change priorities.
  }
}

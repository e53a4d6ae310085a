// The gateway's side of the query process: starts it, sends a request, waits for the report, and ends it at the limit.

import { type ChildProcess, fork } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { StorageError } from '../../../../errors/storage-error.ts';
import type { QueryEngine, QueryRequest, Report } from './messages.ts';

/** A node process needs a tenth of a second on a good day; at its low priority on a machine with too much to do, half a minute. */
const START_LIMIT_MS = 60_000;
/** The young generation needs little, and the statements' own heap is limited in query-process.ts. */
const NODE_OPTIONS = ['--disable-warning=ExperimentalWarning', '--max-old-space-size=256'];

export type Reply = Report | { readonly type: 'timeout' } | { readonly type: 'gone' };

export interface QueryChild {
  /** One at a time. At the limit the process gets its end, and with it whatever it was doing. */
  ask(request: QueryRequest, limitMs: number): Promise<Reply>;
  readonly isAlive: boolean;
  end(): Promise<void>;
}

export async function startQueryChild(engine: QueryEngine): Promise<QueryChild> {
  const child = new Child();
  await child.start(engine);
  return child;
}

class Child implements QueryChild {
  readonly #process: ChildProcess;
  readonly #gone: Promise<void>;
  #isAlive = true;
  #deliver: (reply: Reply) => void = NOBODY_WAITS;
  #pieces: Uint8Array[] = [];

  constructor() {
    const child = fork(fileURLToPath(new URL('./query-process.ts', import.meta.url)), [], {
      execArgv: NODE_OPTIONS,
      // Tokens and keys live in the environment; a process that runs other people's SQL needs none of them.
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#process = child;
    yieldToTrading(child.pid);
    child.unref();
    child.channel?.unref();
    this.#gone = new Promise<void>((resolve) => {
      // What it said last may still be on its way.
      child.on('exit', () => (child.connected ? child.once('disconnect', resolve) : resolve()));
      child.on('error', () => resolve());
    });
    child.on('message', (message) => this.#receive(message as Report));
    void this.#gone.then(() => {
      this.#isAlive = false;
      this.#deliver({ type: 'gone' });
    });
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  async start(engine: QueryEngine): Promise<void> {
    // Not among the words of its command line, which everybody on the machine may read.
    this.#process.send(engine, () => {});
    const started = await this.#reply(START_LIMIT_MS);
    if (started.type === 'ready') return;
    await this.end();
    throw new StorageError('the query process did not start; look for its error in the log, then try again');
  }

  async ask(request: QueryRequest, limitMs: number): Promise<Reply> {
    if (!this.#isAlive) return { type: 'gone' };
    this.#pieces = [];
    // A request that does not arrive is answered by the end of the process.
    this.#process.send(request, () => {});
    const received = await this.#reply(limitMs);
    if (received.type === 'timeout' || received.type === 'last-word') {
      const ended = this.end();
      // A write is over when its lock is, but nobody has to wait for a query to be gone.
      if (request.type !== 'statement') await ended;
    }
    return received;
  }

  end(): Promise<void> {
    this.#isAlive = false;
    // Whoever waits for the end must not find that the gateway's process had nothing left to do and ended first.
    this.#process.ref();
    this.#process.channel?.ref();
    this.#process.kill('SIGKILL');
    return this.#gone;
  }

  #receive(report: Report): void {
    if (report.type === 'piece') this.#pieces.push(report.json);
    else this.#deliver(withResults(report, this.#pieces));
  }

  #reply(limitMs: number): Promise<Reply> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#deliver({ type: 'timeout' }), limitMs);
      this.#deliver = (received) => {
        this.#deliver = NOBODY_WAITS;
        clearTimeout(timer);
        resolve(received);
      };
    });
  }
}

/**
 * At once, so that even its start yields, and threads inherit it. Where it is not possible, queries are merely ruder. Not
 * the lowest priority: a write that never gets the processor would hold the journal up.
 */
function yieldToTrading(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It may have ended already.
  }
}

const NOBODY_WAITS = (): void => {};

function withResults(report: Report, pieces: readonly Uint8Array[]): Report {
  if (report.type !== 'outcome' || report.outcome.kind !== 'done') return report;
  return { type: 'outcome', outcome: { ...report.outcome, resultsJson: pieces } };
}

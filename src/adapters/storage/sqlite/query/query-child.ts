// The gateway's side of the query process: starts it, sends an order, waits for the report, and ends it at the limit.

import { fork } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { StorageError } from '../../../../errors/storage-error.ts';
import type { Order, Report } from './messages.ts';

/** A node process needs a tenth of a second on a good day; on a bad one the machine has other troubles. */
const START_LIMIT_MS = 15_000;
/** The young generation needs little, and the statements' own heap is limited in query-process.ts. */
const NODE_OPTIONS = ['--disable-warning=ExperimentalWarning', '--max-old-space-size=256'];

export type Reply = Report | { readonly type: 'timeout' } | { readonly type: 'gone' };

export interface QueryChild {
  /** One at a time. At the limit the process gets its end, and with it whatever it was doing. */
  ask(order: Order, limitMs: number): Promise<Reply>;
  readonly isAlive: boolean;
  end(): Promise<void>;
}

export async function startQueryChild(path: string): Promise<QueryChild> {
  const child = fork(fileURLToPath(new URL('./query-process.ts', import.meta.url)), [path], {
    execArgv: NODE_OPTIONS,
    // Tokens and keys live in the environment; a process that runs other people's SQL needs none of them.
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  yieldToTrading(child.pid);
  child.unref();
  child.channel?.unref();
  const gone = new Promise<void>((resolve) => {
    // What it said last may still be on its way.
    child.on('exit', () => (child.connected ? child.once('disconnect', resolve) : resolve()));
    child.on('error', () => resolve());
  });
  let isAlive = true;
  let deliver: (reply: Reply) => void = NOBODY_WAITS;
  let pieces: Uint8Array[] = [];
  child.on('message', (message) => {
    const report = message as Report;
    if (report.type === 'piece') pieces.push(report.json);
    else deliver(withResults(report, pieces));
  });
  void gone.then(() => {
    isAlive = false;
    deliver({ type: 'gone' });
  });

  const end = (): Promise<void> => {
    isAlive = false;
    // Whoever waits for the end must not find that the gateway's process had nothing left to do and ended first.
    child.ref();
    child.channel?.ref();
    child.kill('SIGKILL');
    return gone;
  };
  const reply = (limitMs: number): Promise<Reply> =>
    new Promise((resolve) => {
      const timer = setTimeout(() => deliver({ type: 'timeout' }), limitMs);
      deliver = (received) => {
        deliver = NOBODY_WAITS;
        clearTimeout(timer);
        resolve(received);
      };
    });

  const started = await reply(START_LIMIT_MS);
  if (started.type !== 'ready') {
    await end();
    throw new StorageError('the query process did not start; look for its error in the log, then try again');
  }
  return {
    async ask(order, limitMs) {
      if (!isAlive) return { type: 'gone' };
      pieces = [];
      // An order that does not arrive is answered by the end of the process.
      child.send(order, () => {});
      const received = await reply(limitMs);
      if (received.type === 'timeout' || received.type === 'last-word') {
        const ended = end();
        // A write is over when its lock is, but nobody has to wait for a query to be gone.
        if (order.type !== 'statement') await ended;
      }
      return received;
    },
    get isAlive() {
      return isAlive;
    },
    end,
  };
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

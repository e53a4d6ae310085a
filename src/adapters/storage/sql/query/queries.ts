// The port behind POST /query over either engine: one statement at a time, each within its limits, the others wait for their turn.

import { StorageError } from '../../../../errors/storage-error.ts';
import { Semaphore, type TurnedAway } from '../../../../timing/semaphore.ts';
import type { DataQueries, QueryDone, QueryOutcome, QueryValue } from '../../../../trading/books/data-query.ts';
import { CHANGE_LESS, NARROW_IT, type QueryEngine, type QueryTimes, type Ran } from './messages.ts';
import { READABLE, WRITABLE } from './policy.ts';
import { type QueryChild, type Reply, startQueryChild } from './query-child.ts';

export interface QueryLimits extends QueryTimes {
  readonly maxRows: number;
  readonly maxBytes: number;
  /** Statements that wait for their turn, and how long they do. */
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
  /** A process without work is ended after this long, and its memory with it. */
  readonly idleMs: number;
}

export const DEFAULT_LIMITS: QueryLimits = {
  readMs: 5000,
  writeMs: 1000,
  maxRows: 10_000,
  maxBytes: 16 * 1024 * 1024,
  maxWaiting: 16,
  maxWaitMs: 10_000,
  idleMs: 60_000,
};

/** A commit that has begun is waited for much longer: ended half-way nobody would know its outcome. */
const COMMIT_LIMIT_MS = 30_000;

export interface GuardedQueriesOptions {
  readonly engine: QueryEngine;
  /** Runs a write when it may run. */
  readonly exclusively: <T>(work: () => Promise<T>) => Promise<T>;
  readonly limits: Partial<QueryLimits>;
}

/** What a statement may name, on every engine. */
export const QUERY_TABLES: DataQueries['tables'] = Object.entries(READABLE).map(([name, columns]) => ({
  name,
  columns,
  isWritable: name === WRITABLE,
}));

export function createGuardedQueries(options: GuardedQueriesOptions): DataQueries {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const turns = new Semaphore({ atOnce: 1, maxWaiting: limits.maxWaiting, maxWaitMs: limits.maxWaitMs });
  let child: QueryChild | undefined;
  let idle: NodeJS.Timeout | undefined;
  let closed = false;

  const liveChild = async (): Promise<QueryChild> => {
    if (child?.isAlive) return child;
    child = await startQueryChild(options.engine);
    if (closed) await child.end();
    return child;
  };
  const rest = (): void => {
    idle = setTimeout(() => void child?.end(), limits.idleMs).unref();
  };

  const write = async (child: QueryChild): Promise<QueryOutcome> => {
    const ran = await child.ask({ type: 'go' }, limits.writeMs);
    if (ran.type !== 'ran') return read(ran, limits.writeMs, CHANGE_LESS);
    const committed = await child.ask({ type: 'commit' }, COMMIT_LIMIT_MS);
    if (committed.type === 'outcome') return outcomeOf(committed.outcome);
    throw new StorageError('it is not known whether the change was committed; look before you send it again');
  };
  const read = (reply: Reply, limitMs: number, remedy: string): QueryOutcome => {
    if (reply.type === 'outcome' || reply.type === 'last-word') return outcomeOf(reply.outcome);
    if (reply.type === 'timeout') return { kind: 'timeout', reason: `stopped after ${limitMs} ms; ${remedy}` };
    throw new StorageError(closed ? 'storage is closed' : 'the query process ended by itself; try again');
  };
  const runNow = async (query: string, params: readonly QueryValue[]): Promise<QueryOutcome> => {
    const child = await liveChild();
    const { maxRows, maxBytes, readMs, writeMs } = limits;
    const order = { type: 'statement', query, params, limits: { maxRows, maxBytes, readMs, writeMs } } as const;
    const reply = await child.ask(order, limits.readMs);
    if (reply.type === 'write-wanted') return options.exclusively(() => write(child));
    return read(reply, limits.readMs, NARROW_IT);
  };

  return {
    tables: QUERY_TABLES,
    async run(query, params) {
      if (closed) throw new StorageError('storage is closed');
      const leave = await turns.enter();
      if (typeof leave === 'string') return { kind: 'busy', reason: busyReason(leave, limits) };
      clearTimeout(idle);
      try {
        if (closed) throw new StorageError('storage is closed');
        return await runNow(query, params);
      } finally {
        rest();
        leave();
      }
    },
    async close() {
      closed = true;
      clearTimeout(idle);
      await child?.end();
    },
  };
}

const busyReason = (why: TurnedAway, { maxWaiting, maxWaitMs }: QueryLimits): string =>
  why === 'full'
    ? `${maxWaiting} queries wait already; try again soon`
    : `waited ${maxWaitMs} ms for other queries; try again soon`;

function outcomeOf(ran: Ran): QueryOutcome {
  if (ran.kind === 'failed') throw new StorageError(ran.reason);
  return ran satisfies QueryOutcome | QueryDone;
}

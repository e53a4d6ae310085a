// Whether any trade still waits for its outcome, asked over HTTP of a process that trades.

import { setTimeout as sleep } from 'node:timers/promises';

/** Longer than venues can be asked in vain about an order that may still appear. */
const REST_WITHIN_MS = 240_000;
const OPEN_STATUSES = ['Enqueued', 'Submitted', 'PartiallyFilled', 'Unknown'];
const PAUSE_MS = 100;

/** The answer of `GET /trades` with this query; undefined where none came. */
export type ListTrades = (query: string) => Promise<Response | undefined>;

/** One that is still open after a long while is found by the comparison. */
export async function allDone(list: ListTrades): Promise<void> {
  const deadlineMs = performance.now() + REST_WITHIN_MS;
  for (const status of OPEN_STATUSES)
    while (!(await hasNone(list, status)) && performance.now() < deadlineMs) await sleep(PAUSE_MS);
}

async function hasNone(list: ListTrades, status: string): Promise<boolean> {
  const response = await list(`status=${status}&limit=1`);
  const { result } = ((await response?.json()) ?? {}) as { result?: unknown[] };
  return result?.length === 0;
}

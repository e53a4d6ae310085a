// The test's side of threads that hold their requests: which have begun, in order, and the word that ends one.

import { BroadcastChannel } from 'node:worker_threads';
import { expect } from 'vitest';

export const HELD_RUNS = 'held-runs';

export interface HeldRun {
  readonly begin?: string;
  readonly end?: string;
}

export function openHeldRuns() {
  const channel = new BroadcastChannel(HELD_RUNS);
  const begun: string[] = [];
  channel.onmessage = (event) => {
    const { begin } = (event as { data: HeldRun }).data;
    if (begin !== undefined) begun.push(begin);
  };
  return {
    /** In the order in which they got their threads. */
    begun,
    end: (name: string) => channel.postMessage({ end: name } satisfies HeldRun),
    /** Waits until so many have begun. */
    async until(count: number): Promise<readonly string[]> {
      await expect.poll(() => begun.length).toBe(count);
      return begun;
    },
    close: () => channel.close(),
  };
}

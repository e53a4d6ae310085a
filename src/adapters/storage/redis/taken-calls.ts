// What a store over a shared connection has taken: it can be waited for, and after closing nothing more is taken.

import { StorageError } from '../../../errors/storage-error.ts';

export interface TakenCalls {
  take<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when everything taken has ended, well or not. */
  close(): Promise<void>;
}

export function createTakenCalls(what: string): TakenCalls {
  const taken = new Set<Promise<unknown>>();
  let closed = false;
  return {
    async take(work) {
      if (closed) throw new StorageError(`${what} are closed; start Signalbox again`);
      const call = work();
      taken.add(call);
      try {
        return await call;
      } finally {
        taken.delete(call);
      }
    },
    async close() {
      closed = true;
      await Promise.allSettled(taken);
    },
  };
}

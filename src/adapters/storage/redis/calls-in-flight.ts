// The calls of one store over a connection that it shares: closing waits for those in flight and lets no more begin.

import { StorageError } from '../../../errors/storage-error.ts';

export interface CallsInFlight {
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when every call has ended, well or not. */
  close(): Promise<void>;
}

export function createCallsInFlight(what: string): CallsInFlight {
  const calls = new Set<Promise<unknown>>();
  let closed = false;
  return {
    async run(work) {
      if (closed) throw new StorageError(`${what} are closed; start Signalbox again`);
      const call = work();
      calls.add(call);
      try {
        return await call;
      } finally {
        calls.delete(call);
      }
    },
    async close() {
      closed = true;
      await Promise.allSettled(calls);
    },
  };
}

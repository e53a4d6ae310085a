// What stores of the trading database ask of whoever writes it: one writer, whose writes share transactions.

import type { MutationArgs, MutationName, MutationResult } from './mutations.ts';

export interface Writer {
  /** Committed and on disk when it resolves. Calls are carried out in their order. */
  run<N extends MutationName>(name: N, args: MutationArgs<N>): Promise<MutationResult<N>>;
  /** Runs the work while the writer does nothing; writes wait until it is done. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /** Called after every commit, until the returned function is called. Must not throw and must not take time. */
  watch(listener: () => void): () => void;
  /** Commits so far, for the benchmark: how many signals share one. */
  commits(): number;
  close(): Promise<void>;
}

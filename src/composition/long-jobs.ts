// Chooses where the backtests of searches run, and who can look at a search: this process, or all that share a Redis.

import type { Log } from '../http/log.ts';
import type { BacktestRunner } from '../library/backtest-runner.ts';
import type { SearchStore } from '../library/search/shared-searches.ts';
import type { ScriptConfig } from './script-config.ts';
import type { Teardown } from './teardown.ts';

interface LongJobParts {
  readonly config: Pick<ScriptConfig, 'analysis' | 'redisUrl'>;
  readonly runner: BacktestRunner;
  readonly log: Log;
  readonly teardown: Teardown;
}

export interface LongJobs {
  /** What searches run on. */
  readonly backtests: BacktestRunner;
  /** Where other processes see them; undefined where none does. */
  readonly searchStore: SearchStore | undefined;
}

/** With LONG_JOBS=redis this process takes jobs from the queue too: a search ends also where no other process does. */
export async function openLongJobs({ config, runner, log, teardown }: LongJobParts): Promise<LongJobs> {
  const { longJobs } = config.analysis;
  if (longJobs === 'here') return { backtests: runner, searchStore: undefined };
  const { openSearches } = await import('../adapters/storage/redis/searches.ts');
  const { spreadBacktests } = await import('../adapters/storage/redis/backtests/spread-backtests.ts');
  const url = config.redisUrl ?? '';
  const onFault = queueFault(log, 'searches run on the threads of this process meanwhile');
  const taker = await openTaker({
    url,
    runner,
    threads: Math.max(1, runner.threads - 1),
    callerOf: (asked) => asked,
    onFault,
  });
  teardown.add(() => taker.close());
  const spread = await spreadBacktests({ url, local: runner, onFault });
  teardown.add(() => spread.close());
  const searchStore = await openSearches({ url });
  teardown.add(() => searchStore.close());
  return { backtests: spread, searchStore };
}

/** Loaded only where it is used. */
export const openTaker: typeof import('../adapters/storage/redis/backtests/take-backtests.ts').takeBacktests = async (
  options,
) => (await import('../adapters/storage/redis/backtests/take-backtests.ts')).takeBacktests(options);

/** Told once for each kind of trouble in a row: the connection is tried again and again. */
export function queueFault(log: Log, consequence: string): (error: Error) => void {
  let told = '';
  return (error) => {
    if (error.message === told) return;
    told = error.message;
    log.warn({ err: error }, `the queue of long jobs in Redis has trouble; ${consequence}`);
  };
}

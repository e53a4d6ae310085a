// Chooses where the backtests of searches run: on the threads of this process, or on those of all that share a Redis.

import { availableParallelism } from 'node:os';
import { createLog, type Log } from '../http/log.ts';
import type { BacktestRunner } from '../library/backtest-runner.ts';
import { readConfig } from './read-config.ts';
import type { ScriptConfig } from './script-config.ts';
import { openScriptPool } from './script-pool.ts';
import { watchStopSignals } from './stop-signals.ts';
import type { Teardown } from './teardown.ts';

const CLOSE_WAIT_MS = 1000;

interface BacktestParts {
  readonly config: Pick<ScriptConfig, 'analysis' | 'redisUrl'>;
  readonly runner: BacktestRunner;
  readonly log: Log;
  readonly teardown: Teardown;
}

/** With LONG_JOBS=redis this process takes jobs from the queue too: a search ends also where no other process does. */
export async function openBacktests({ config, runner, log, teardown }: BacktestParts): Promise<BacktestRunner> {
  const { longJobs } = config.analysis;
  if (longJobs === 'here') return runner;
  const { spreadBacktests } = await import('../adapters/storage/redis/backtests/spread-backtests.ts');
  const url = config.redisUrl ?? '';
  const onFault = queueFault(log);
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
  return spread;
}

const openTaker: typeof import('../adapters/storage/redis/backtests/take-backtests.ts').takeBacktests = async (
  options,
) => (await import('../adapters/storage/redis/backtests/take-backtests.ts')).takeBacktests(options);

/** `signalbox worker`: takes backtests of searches from the Redis of other processes, until it is told to stop. */
export async function work(): Promise<number> {
  const stop = watchStopSignals();
  const config = readConfig();
  const log = createLog({ level: config.logLevel, name: 'signalbox' });
  const { redisUrl } = config;
  if (redisUrl === undefined)
    throw new Error(
      'REDIS_URL is not set; a worker takes its jobs from the Redis of the instance that has LONG_JOBS=redis.',
    );
  const threads = availableParallelism();
  const runner = openScriptPool({ size: threads, editorThreads: 0, timeoutMs: config.analysis.limits.runTimeoutMs });
  const taker = await openTaker({
    url: redisUrl,
    runner,
    threads,
    callerOf: () => undefined,
    onFault: queueFault(log),
  });
  log.info({ threads }, 'taking backtests of parameter searches');
  const signal = await stop.whenReceived;
  log.info({ signal }, 'stopping: finishing what was begun');
  await taker.close();
  await runner.close(CLOSE_WAIT_MS);
  log.info({ jobs: taker.done() }, 'stopped');
  await log.close();
  return 0;
}

/** Told once for each kind of trouble in a row: the connection is tried again and again. */
function queueFault(log: Log): (error: Error) => void {
  let told = '';
  return (error) => {
    if (error.message === told) return;
    told = error.message;
    log.warn(
      { err: error },
      'the queue of long jobs in Redis has trouble; searches run on the threads of this process meanwhile',
    );
  };
}

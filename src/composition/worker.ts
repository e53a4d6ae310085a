// The process of `signalbox worker`: threads for backtests, and nothing else of Signalbox.

import { availableParallelism } from 'node:os';
import { createLog } from '../http/log.ts';
import { openTaker, queueFault } from './long-jobs.ts';
import { readConfig } from './read-config.ts';
import { openScriptPool } from './script-pool.ts';
import { watchStopSignals } from './stop-signals.ts';

const CLOSE_WAIT_MS = 1000;
/** Whatever still holds the process when everything is closed gets so long. */
const LAST_EXIT_MS = 1000;

/** Takes backtests of searches from the Redis of other processes, until it is told to stop. */
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
    onFault: queueFault(log, 'this worker takes nothing until it is back'),
  });
  log.info({ threads }, 'taking backtests of parameter searches');
  const signal = await stop.whenReceived;
  log.info({ signal }, 'stopping: finishing what was begun');
  await taker.close();
  await runner.close(CLOSE_WAIT_MS);
  log.info({ jobs: taker.done() }, 'stopped');
  await log.close();
  // Unreferenced, and for a connection that still waits for its Redis: the exit code is set by then.
  setTimeout(() => process.exit(), LAST_EXIT_MS).unref();
  return 0;
}

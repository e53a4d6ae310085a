// The thread in which deployed scripts run live. It keeps their runs open; when it ends, each is opened again from its history.

import type { LiveDone, LiveRequest, LiveRunner } from '../../library/live-runner.ts';
import type { Refused, ScriptRunner, Stopped } from '../../library/script-runner.ts';
import type { BarColumns } from '../../pine/light.ts';
import { oneOf, REFUSED } from './engine-calls.ts';
import type { NotOpen } from './messages.ts';
import { poolDefaults } from './script-pool.ts';
import { ThreadPool, type ThreadPoolOptions } from './thread-pool.ts';

/** Open runs, and room for the one that is opened over the longest history. */
const MEMORY_MB = 512;

export type LivePool = LiveRunner & Pick<ScriptRunner, 'run' | 'close'>;

/** One thread alone: a run that is open in one of several would have to be looked for. */
export function createLivePool(options: Partial<ThreadPoolOptions> = {}): LivePool {
  const pool = new ThreadPool({ ...poolDefaults(), memoryMb: MEMORY_MB, ...options, size: 1 });

  async function step(request: LiveRequest, history?: BarColumns): Promise<LiveDone | Refused | Stopped | NotOpen> {
    const job = { kind: 'live', ...request, history } as const;
    return oneOf(await pool.ask(job, {}), 'live', 'not-open', ...REFUSED);
  }

  return {
    async run({ timeoutMs, signal, ...request }) {
      return oneOf(await pool.ask({ kind: 'run', ...request }, { timeoutMs, signal }), 'result', ...REFUSED);
    },
    async advance(request, history) {
      const first = await step(request);
      const outcome = first.kind === 'not-open' ? await step(request, history()) : first;
      if (outcome.kind === 'not-open') throw new Error('a run was sent with its history and is not open');
      return outcome;
    },
    close: (waitMs) => pool.close(waitMs),
  };
}

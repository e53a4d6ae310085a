// The two threads in which deployed scripts run live, quick ones and all others. Each keeps its runs open; when it ends, or a
// script goes over to the other, they are opened again from their history.

import type { LiveDone, LiveRequest, LiveRunner } from '../../library/live-runner.ts';
import type { Refused, ScriptRunner, Stopped } from '../../library/script-runner.ts';
import type { BarColumns } from '../../pine/light.ts';
import { oneOf, REFUSED } from './engine-calls.ts';
import type { NotOpen } from './messages.ts';
import { poolDefaults } from './script-pool.ts';
import { ThreadPool, type ThreadPoolOptions } from './thread-pool.ts';

/** Open runs, and room for the one that is opened over the longest history. */
const MEMORY_MB = 512;
/** On the thread of the quick ones nobody waits longer for another script. */
const QUICK_LIMIT_MS = 1000;

export type LivePool = LiveRunner & Pick<ScriptRunner, 'close'>;

/** One thread of each kind: a run that is open in one of several would have to be looked for. */
export function createLivePool(options: Partial<ThreadPoolOptions> = {}): LivePool {
  const settings = { ...poolDefaults(), memoryMb: MEMORY_MB, ...options, size: 1 };
  const quick = new ThreadPool({ ...settings, timeoutMs: Math.min(settings.timeoutMs, QUICK_LIMIT_MS) });
  const others = new ThreadPool(settings);

  async function step(request: LiveRequest, history?: BarColumns): Promise<LiveDone | Refused | Stopped | NotOpen> {
    const job = { kind: 'live', ...request, history } as const;
    return oneOf(await (request.isQuick ? quick : others).ask(job, {}), 'live', 'not-open', ...REFUSED);
  }

  return {
    async advance(request, history) {
      const first = await step(request);
      const outcome = first.kind === 'not-open' ? await step(request, history()) : first;
      if (outcome.kind === 'not-open') throw new Error('a run was sent with its history and is not open');
      return outcome;
    },
    async close(waitMs) {
      await Promise.all([quick.close(waitMs), others.close(waitMs)]);
    },
  };
}

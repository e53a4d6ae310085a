// The real engine as the runner of a test, in its own thread: what a live thread does, without the thread.

import { LiveRuns } from '../../../adapters/scripts/live-runs.ts';
import { createJobRunner } from '../../../adapters/scripts/run-job.ts';
import type { DeploymentRunner } from '../ports.ts';

export function createEngineRunner(): DeploymentRunner & { readonly replays: number } {
  // The heap of a test run is that of all its files.
  const answer = createJobRunner('service', undefined, new LiveRuns(Number.POSITIVE_INFINITY));
  let replays = 0;
  return {
    get replays() {
      return replays;
    },
    run: async (request) => answer({ kind: 'run', ...request }) as Awaited<ReturnType<DeploymentRunner['run']>>,
    async advance(request, history) {
      const first = answer({ kind: 'live', ...request });
      if (first.kind === 'not-open') replays += 1;
      const outcome = first.kind === 'not-open' ? answer({ kind: 'live', ...request, history: history() }) : first;
      return outcome as Awaited<ReturnType<DeploymentRunner['advance']>>;
    },
  };
}

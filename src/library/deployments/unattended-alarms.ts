// Alarms of deployments that nobody runs while their strategy holds a position: it failed, its key has
// ended, or its bars are of another venue.
//
//   quiet ──failed or paused, and something is held──► raised ──closed, resumed or removed──► quiet
//
// They hang on the records and the books alone, so that they are raised again after a start, and end by themselves.

import { isOfForeignBars } from './bar-sources.ts';
import type { Deployment } from './deployment.ts';
import { heldIn } from './held-position.ts';
import { NO_OWNER } from './owner-watch.ts';
import type { DeploymentAlarms, StrategyBooks } from './ports.ts';

export interface UnattendedAlarms {
  /** At all that there are. */
  look(deployments: readonly Deployment[]): Promise<void>;
}

const alarmOf = ({ state, id }: Deployment): string => `${state} deployment ${id}`;

/** Whoever pauses one himself is told there and then. */
const isUnattended = ({ state, lastError }: Deployment): boolean =>
  state === 'failed' || (state === 'paused' && (lastError === NO_OWNER || isOfForeignBars(lastError)));

export function createUnattendedAlarms(books: StrategyBooks, alarms: DeploymentAlarms | undefined): UnattendedAlarms {
  const raised = new Set<string>();
  return {
    async look(deployments) {
      const holding = new Set<string>();
      for (const deployment of deployments.filter(isUnattended)) {
        const { note } = await heldIn(books, deployment);
        if (note === null) continue;
        const alarm = alarmOf(deployment);
        holding.add(alarm);
        raised.add(alarm);
        alarms?.raise(alarm, words(deployment, note));
      }
      for (const alarm of raised) {
        if (holding.has(alarm)) continue;
        raised.delete(alarm);
        alarms?.over(alarm);
      }
    },
  };
}

function words({ name, state, lastError }: Deployment, note: string): string {
  return state === 'failed'
    ? `The deployment "${name}" has failed (${lastError ?? 'its script ended with errors'}), and nobody runs its exits. ${note} Or mend the script and resume the deployment.`
    : `The deployment "${name}" is paused while it holds a position, and nobody runs its exits. ${lastError} ${note}`;
}

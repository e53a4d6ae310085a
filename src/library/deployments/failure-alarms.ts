// Alarms of deployments that have failed while their strategy holds a position: nobody runs its exits.
//
//   quiet ──failed, and something is held──► raised ──closed, resumed, paused or removed──► quiet
//
// They hang on the records and the books alone, so that they are raised again after a start, and end by themselves.

import type { Deployment } from './deployment.ts';
import { heldIn } from './held-position.ts';
import type { DeploymentAlarms, StrategyBooks } from './ports.ts';

export interface FailureAlarms {
  /** At all that are failed now. */
  look(failed: readonly Deployment[]): Promise<void>;
}

const alarmOf = (id: string): string => `failed deployment ${id}`;

export function createFailureAlarms(books: StrategyBooks, alarms: DeploymentAlarms | undefined): FailureAlarms {
  const raised = new Set<string>();
  return {
    async look(failed) {
      const holding = new Set<string>();
      for (const deployment of failed) {
        const { note } = await heldIn(books, deployment);
        if (note === null) continue;
        holding.add(deployment.id);
        raised.add(deployment.id);
        alarms?.raise(alarmOf(deployment.id), words(deployment, note));
      }
      for (const id of raised) {
        if (holding.has(id)) continue;
        raised.delete(id);
        alarms?.over(alarmOf(id));
      }
    },
  };
}

const words = ({ name, lastError }: Deployment, note: string): string =>
  `The deployment "${name}" has failed (${lastError ?? 'its script ended with errors'}), and nobody runs its exits. ${note} Or mend the script and resume the deployment.`;

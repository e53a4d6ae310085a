// The names of the alerts that a closed bar has, so that what only a tick of it had is known to be gone.

import { type Deployment, opinionTargetOf } from '../deployment.ts';
import type { Fill } from '../told-position.ts';
import { alertIdOf, alertNameOf } from './alert-id.ts';

/** Undefined where no second opinion was asked for; the alerts of an indicator are those of the close in any case. */
export function closedAlertIds(
  deployment: Deployment,
  barTimeMs: number,
  fills: readonly Fill[],
): readonly string[] | undefined {
  const target = opinionTargetOf(deployment.targets);
  if (target === undefined || deployment.scriptType !== 'strategy') return undefined;
  const name = alertNameOf(target, deployment);
  return fills.flatMap(({ id, direction, after }) => {
    const action = direction > 0 ? 'buy' : 'sell';
    return alertIdOf({ id, action, after }, barTimeMs, name) ?? [];
  });
}

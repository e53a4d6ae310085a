// Since when a deployed strategy has held its position: since the told fill that opened it or turned it to this side.

import type { Deployment, DeploymentEvent } from './deployment.ts';

/** Null where it holds nothing, and where the fill that opened it was never told, or is not kept any more. */
export function positionSinceMs(
  { position }: Pick<Deployment, 'position'>,
  fills: readonly DeploymentEvent[],
): number | null {
  if (position === null || position === 0) return null;
  const side = Math.sign(position);
  for (const { order, createdAtMs } of fills.toReversed()) {
    if (order === null || Math.sign(order.after) !== side) return null;
    if (Math.sign(order.before) !== side) return createdAtMs;
  }
  return null;
}

// Whether the name of a second opinion is another one's already: under one key the alerts of both would have the same ids, of
// which the gateway trades one, and each of the two would take the other's alerts for its own.

import { type Deployment, opinionTargetOf, type Target } from '../deployment.ts';
import { alertNameOf } from './alert-id.ts';

/** In words with the remedy; undefined where the name is free. Names belong to their webhook key, and paused ones keep theirs. */
export function takenNameFault(
  userId: string,
  targets: readonly Target[],
  all: readonly Pick<Deployment, 'id' | 'userId' | 'name' | 'targets'>[],
): string | undefined {
  const wanted = opinionTargetOf(targets);
  if (wanted?.alertName === undefined) return undefined;
  const owner = all.find((deployment) => {
    const target = opinionTargetOf(deployment.targets);
    return target?.keyId === wanted.keyId && alertNameOf(target, deployment) === wanted.alertName;
  });
  if (owner === undefined) return undefined;
  const whose =
    owner.userId === userId ? `the deployment "${owner.name}" (${owner.id})` : 'a deployment of another library';
  return `alertName: "${wanted.alertName}" is the name of another second opinion under this webhook key, that of ${whose}; choose another name, or remove that one first`;
}

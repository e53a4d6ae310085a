// The store of deployments, listened to: whoever follows the desk is told when one is made, paused, resumed, given up or removed.

import type { Deployment } from '../library/deployments/deployment.ts';
import type { DeploymentStore } from '../library/deployments/deployment-store.ts';

export interface DeploymentChange {
  readonly id: string;
  readonly name: string;
  readonly symbol: string;
  readonly interval: string;
  readonly state: Deployment['state'] | 'removed';
  readonly reason?: string;
}

/** Told after it is on disk; never waited for. */
export function toldDeployments(store: DeploymentStore, tell: (change: DeploymentChange) => void): DeploymentStore {
  const told = (
    { id, name, symbol, interval, ...deployment }: Deployment,
    state: DeploymentChange['state'] = deployment.state,
    reason: string | null = deployment.lastError,
  ): void => tell({ id, name, symbol, interval, state, ...(reason !== null && state !== 'running' && { reason }) });
  return {
    ...store,
    async create(deployment, source, log, libraries, replacedId) {
      const replaced = replacedId === undefined ? undefined : await store.read(deployment.userId, replacedId);
      const created = await store.create(deployment, source, log, libraries, replacedId);
      if (created.kind !== 'created') return created;
      if (replaced) told(replaced, 'removed', null);
      told(deployment);
      return created;
    },
    async pause(userId, id, log, reason) {
      const deployment = await store.pause(userId, id, log, reason);
      if (deployment) told(deployment, 'paused', reason ?? null);
      return deployment;
    },
    async resume(...args) {
      const deployment = await store.resume(...args);
      if (deployment) told(deployment);
      return deployment;
    },
    async commitBar(id, outcome) {
      const isStored = await store.commitBar(id, outcome);
      if (!isStored || outcome.state === 'running') return isStored;
      const found = await store.current(id);
      if (found) told(found.deployment);
      return isStored;
    },
    async remove(userId, id) {
      const deployment = await store.read(userId, id);
      const isGone = await store.remove(userId, id);
      if (deployment && isGone) told(deployment, 'removed', null);
      return isGone;
    },
  };
}

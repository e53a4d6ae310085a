// Pauses the deployments of a library that no key opens any more, within a second, whoever revoked the key and wherever.
//
// A key may be revoked by another process or by hand in Redis, and it expires without anybody doing anything: so the store
// is asked, again and again, and nobody has to tell us.

import { errorText } from '../../errors/error-text.ts';
import type { Deployment, LogEntry } from './deployment.ts';
import type { DeploymentStore } from './deployment-store.ts';
import { signaledBy } from './held-position.ts';
import { sizeWords } from './order-signal.ts';
import type { DeploymentLog, Owners, Timers } from './ports.ts';

export interface OwnerWatchParts {
  readonly store: Pick<DeploymentStore, 'running' | 'pause'>;
  readonly owners: Owners;
  readonly timers: Timers;
  readonly log: DeploymentLog;
  readonly onPaused: (id: string) => void;
}

export interface OwnerWatch {
  /** Resolves after the first look, before which nothing should run. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const LOOK_EVERY_MS = 1000;

export const NO_OWNER =
  'Its key is revoked or has expired. Give the library a new key (signalbox keys renew --scripts --user <user id>), then resume it.';

export function createOwnerWatch({ store, owners, timers, log, onPaused }: OwnerWatchParts): OwnerWatch {
  let isStopped = false;
  let cancel: (() => void) | undefined;
  let looking: Promise<void> = Promise.resolve();

  async function pause(deployment: Deployment): Promise<void> {
    const { userId, id } = deployment;
    const holds = signaledBy(deployment);
    // The books are not asked: nothing holds up the end of a key.
    const held = holds === 0 ? '' : ` It is paused while it holds ${sizeWords(holds)}; close it by hand or resume it.`;
    const entry: LogEntry = { atMs: timers.nowMs(), kind: 'paused', message: `Paused. ${NO_OWNER}${held}` };
    if ((await store.pause(userId, id, entry, NO_OWNER)) === undefined) return;
    onPaused(id);
    log.warn({ deployment: id, user: userId, holds }, 'a deployment is paused: its key is revoked or has expired');
  }

  async function look(): Promise<void> {
    try {
      const running = Map.groupBy(await store.running(), ({ userId }) => userId);
      for (const [userId, deployments] of running) {
        if (isStopped || (await owners.isOwned(userId))) continue;
        for (const deployment of deployments) await pause(deployment);
      }
    } catch (error) {
      // Nothing is sent meanwhile either: every delivery asks for itself.
      log.warn({ reason: errorText(error) }, 'the owners of deployments cannot be looked up; trying again');
    }
  }

  function again(): void {
    if (isStopped) return;
    cancel = timers.after(LOOK_EVERY_MS, () => {
      looking = look().then(again);
    });
  }

  return {
    async start() {
      looking = look();
      await looking;
      again();
    },
    async stop() {
      isStopped = true;
      cancel?.();
      await looking;
    },
  };
}

// What the operator may do with everybody's deployments: look, pause, resume, remove; also while nothing runs.

import type { Deployment, LogEntry } from './deployment.ts';
import type { DeploymentStore } from './deployment-store.ts';
import type { Deployments, StillHolds } from './deployments.ts';
import { type Held, heldBy, removalWords } from './held-position.ts';
import { type FoundOpinions, findOpinions } from './opinions/found-opinions.ts';
import type { OpinionStore } from './opinions/opinion-store.ts';
import type { StrategyBooks } from './ports.ts';
import { positionSinceMs } from './position-since.ts';
import { toldPositionOf } from './told-position.ts';
import { type KeyAccounts, type TradedAccount, tradedAccounts } from './traded-accounts.ts';
import type { Declined } from './trial-run.ts';

/** Of one whose exits nobody runs any more. */
export interface HeldDeployment {
  readonly deployment: Deployment;
  readonly held: Held;
}

export interface DeploymentOperator {
  /** Newest first. */
  list(): Promise<readonly Deployment[]>;
  /** Since when it has held its position; null where it holds none, or nobody knows. */
  positionSinceMs(deployment: Deployment): Promise<number | null>;
  /** Every account that its orders go to, or would go to once it is let; null where nobody can tell them all. */
  tradedAccounts(deployment: Deployment): Promise<readonly TradedAccount[] | null>;
  /** Undefined where there is none of this id, as in all of these. */
  read(id: string): Promise<Deployment | undefined>;
  /** Newest first. */
  logs(id: string, limit: number): Promise<readonly LogEntry[] | undefined>;
  pause(id: string): Promise<HeldDeployment | undefined>;
  resume(id: string): Promise<Deployment | Declined | undefined>;
  /** One that holds something only where the position is to be kept. */
  remove(id: string, isKept?: boolean): Promise<HeldDeployment | StillHolds | undefined>;
  /** What became of the alerts that TradingView should send beside it, newest first. */
  opinions(id: string, limit: number): Promise<FoundOpinions | undefined>;
}

export interface OperatorParts {
  readonly store: DeploymentStore;
  /** Left out where nothing runs: then only the records change, and the next start goes by them. */
  readonly live?: Deployments | undefined;
  readonly opinions: OpinionStore;
  /** Left out where no gateway is open: then what was told stands for what is held. */
  readonly books?: StrategyBooks | undefined;
  /** The same: then nobody can tell whose money one moves. */
  readonly keys?: KeyAccounts | undefined;
  readonly nowMs: () => number;
}

export const PAUSED_BY_OPERATOR = 'Paused by the operator.';

export function createDeploymentOperator(parts: OperatorParts): DeploymentOperator {
  const { store, live, opinions, books, keys, nowMs } = parts;
  const entry = (kind: LogEntry['kind'], message: string): LogEntry => ({ atMs: nowMs(), kind, message });
  const find = async (id: string): Promise<Deployment | undefined> => (await store.current(id))?.deployment;

  return {
    list: () => store.all(),
    positionSinceMs: async (deployment) => positionSinceMs(deployment, await store.orderEvents(deployment.id)),
    tradedAccounts: (deployment) => tradedAccounts(deployment, keys),
    read: find,
    async logs(id, limit) {
      const deployment = await find(id);
      return deployment && store.logs(deployment.userId, id, limit);
    },
    async pause(id) {
      const found = await find(id);
      if (found === undefined) return undefined;
      const line = entry('paused', PAUSED_BY_OPERATOR);
      const isPaused = found.state === 'paused';
      const deployment = isPaused ? found : await store.pause(found.userId, id, line, PAUSED_BY_OPERATOR);
      live?.detach(id);
      return deployment && { deployment, held: await heldBy(books, deployment) };
    },
    async resume(id) {
      const found = await find(id);
      if (found === undefined || found.state === 'running') return found;
      if (live === undefined) {
        // The bar that is forming is the first to act; its owner is looked up at the start.
        const formingMs = Math.floor(nowMs() / found.timeframeMs) * found.timeframeMs;
        // What a strategy left meanwhile is made up after the start.
        const lastBarTimeMs = toldPositionOf(found) === null ? formingMs - found.timeframeMs : found.lastBarTimeMs;
        return store.resume(found.userId, id, lastBarTimeMs, entry('resumed', 'Resumed by the operator.'));
      }
      const outcome = await live.resume(found.userId, id);
      if (outcome.kind === 'missing') return undefined;
      return outcome.kind === 'found' ? outcome.deployment : outcome;
    },
    async remove(id, isKept = false) {
      const deployment = await find(id);
      if (deployment === undefined) return undefined;
      const held = await heldBy(books, deployment);
      if (held.note !== null && !isKept) return { kind: 'holds', reason: removalWords(held.note) };
      if (!(await store.remove(deployment.userId, id))) return undefined;
      live?.detach(id);
      return { deployment, held };
    },
    async opinions(id, limit) {
      const deployment = await find(id);
      return deployment && findOpinions(opinions, deployment, limit);
    },
  };
}

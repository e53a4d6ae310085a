// The port of stored second opinions.

import type { LogEntry } from '../deployment.ts';
import type { Opinion, OpinionCounts } from './opinion.ts';

/** What is written besides a changed opinion, in the same step. */
export interface Said {
  /** One more of this. */
  readonly counted?: keyof OpinionCounts | undefined;
  readonly log?: LogEntry | undefined;
}

/** Since when a deployment could look: what came before that it cannot judge. */
export interface Sight {
  /** Deployed or resumed then. */
  readonly sinceMs: number;
  /** The newest bar that was missed or ended with an error; undefined where there is none. */
  readonly blindBarMs: number | undefined;
}

/** What a call says is durable when its promise resolves. */
export interface OpinionStore {
  find(deploymentId: string, alertId: string): Promise<Opinion | undefined>;
  /** Of one deployment: those that something is still to be said of, oldest first. */
  open(deploymentId: string): Promise<readonly Opinion[]>;
  /** Whether this request is the arrival of one of them. */
  hasArrival(deploymentId: string, requestId: string): Promise<boolean>;
  /** Stores it in place of what was known under its name. Nothing where the deployment is gone. */
  put(opinion: Opinion, said?: Said): Promise<void>;
  remove(deploymentId: string, alertId: string): Promise<void>;
  sight(deploymentId: string): Promise<Sight>;
  /** Newest first. */
  list(deploymentId: string, limit: number): Promise<readonly Opinion[]>;
  counts(deploymentId: string): Promise<OpinionCounts>;
}

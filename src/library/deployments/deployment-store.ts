// The port of stored deployments: their records, events, deliveries that are still to be made, and logs.

import type { ReadLibrary } from '../imported-sources.ts';
import type { Deployment, DeploymentEvent, DeploymentState, LogEntry, Target } from './deployment.ts';

/** What one run of one bar leaves behind. */
export interface BarOutcome {
  readonly barTimeMs: number;
  readonly atMs: number;
  /** False for a bar that was missed: nothing ran. */
  readonly hasRun: boolean;
  readonly anchorMs: number;
  /** Null clears it, and the count of failures with it; undefined leaves both as they are. */
  readonly error: string | null | undefined;
  /** Where it goes when this was one error too many. */
  readonly state: DeploymentState;
  readonly events: readonly DeploymentEvent[];
  readonly logs: readonly LogEntry[];
  /** Undefined leaves what is known. */
  readonly position?: number | null | undefined;
  /** Undefined leaves what is known. */
  readonly toldPosition?: number | undefined;
  /** The names of the closed bar's alerts: opinions of it under other names are gone. Undefined where nobody asked for any. */
  readonly keptAlertIds?: readonly string[] | undefined;
}

/** A deployment with everything it runs: its script and the libraries it imports, as they were when it was made. */
export interface CurrentDeployment {
  readonly deployment: Deployment;
  readonly source: string;
  readonly libraries: readonly ReadLibrary[];
}

/** What a look at a forming bar leaves behind. */
export type TickOutcome = Pick<BarOutcome, 'barTimeMs' | 'atMs' | 'events' | 'logs' | 'position' | 'toldPosition'>;

/** One event on its way to one target. */
export interface Delivery {
  readonly id: number;
  readonly deployment: Deployment;
  readonly event: DeploymentEvent;
  readonly target: Target;
  /** Tries so far. */
  readonly attempts: number;
}

export type Created =
  | { readonly kind: 'created' }
  | { readonly kind: 'too-many'; readonly of: 'user' | 'all' }
  /** The one whose place it should take is not there any more. */
  | { readonly kind: 'gone' }
  /** It was made under this id a moment ago. */
  | { readonly kind: 'known' };

/**
 * What a call says is durable when its promise resolves, and each write is one step. No call for a user reaches another
 * user's rows.
 */
export interface DeploymentStore {
  /**
   * With the source of the pinned revision and those of the libraries it imports, which may all be forgotten elsewhere. One
   * that it takes the place of is removed in the same step, and leaves it its log.
   */
  create(
    deployment: Deployment,
    source: string,
    log: LogEntry,
    libraries?: readonly ReadLibrary[],
    replacedId?: string,
  ): Promise<Created>;
  /** Newest first. */
  list(userId: string): Promise<readonly Deployment[]>;
  read(userId: string, id: string): Promise<Deployment | undefined>;
  /** Events, deliveries and logs go with it. False where it is not there. */
  remove(userId: string, id: string): Promise<boolean>;
  /** Newest first; undefined where the deployment is not there. */
  logs(userId: string, id: string, limit: number): Promise<readonly LogEntry[] | undefined>;
  /** With a reason where it was not its owner who paused it. */
  pause(userId: string, id: string, log: LogEntry, reason?: string): Promise<Deployment | undefined>;
  /** Bars up to the given one do not act any more, and failures are forgotten. */
  resume(userId: string, id: string, lastBarTimeMs: number, log: LogEntry): Promise<Deployment | undefined>;

  /** Of all users, newest first, for the operator. */
  all(): Promise<readonly Deployment[]>;
  /** Of all users, for the start. */
  running(): Promise<readonly Deployment[]>;
  current(id: string): Promise<CurrentDeployment | undefined>;
  /**
   * The bar is dealt with, its events and their deliveries are stored: all or nothing. False, and nothing stored, when the
   * deployment does not run any more or the bar was dealt with before.
   */
  commitBar(id: string, outcome: BarOutcome): Promise<boolean>;
  /** The same for events of a bar that is not dealt with yet. */
  commitTick(id: string, outcome: TickOutcome): Promise<boolean>;
  /** The ids of the events of one bar that are stored already. */
  eventIds(id: string, barTimeMs: number): Promise<ReadonlySet<string>>;
  /** The fills that were told and are kept, oldest first. */
  orderEvents(id: string): Promise<readonly DeploymentEvent[]>;
  /** Whether the books agree, in words; with a line in the log when that has changed. */
  setDrift(id: string, drift: string | null, log: LogEntry): Promise<void>;
  setBarsFrom(id: string, barsFrom: string): Promise<void>;

  /** Those that are due: what trades first, then owner by owner in turn, oldest first; of one deployment and target only the oldest, so that they arrive in order. */
  due(nowMs: number, limit: number): Promise<readonly Delivery[]>;
  /** When the next one that is not due yet will be; undefined where there is none. */
  nextDueMs(nowMs: number): Promise<number | undefined>;
  /** Delivered or given up: it is gone, and the log says how. */
  settle(delivery: Delivery, log: LogEntry): Promise<void>;
  postpone(delivery: Delivery, nextAttemptAtMs: number, log: LogEntry): Promise<void>;
}

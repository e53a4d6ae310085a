// The bars that a strategy missed: they are run late, so that what it left meanwhile is closed and what it entered is named.
//
// Entries of missed bars do not act. An exit that was missed would leave a position that nobody watches, and the next entry
// would double it; so the part of each fill that closes what was told before acts late, under the id it would have had.

import type { LiveDone } from '../live-runner.ts';
import type { Refused, Stopped } from '../script-runner.ts';
import { barEvents, fillId } from './bar-events.ts';
import type { BarHistory } from './bar-history.ts';
import type { DeploymentEvent, LogEntry } from './deployment.ts';
import type { CurrentDeployment, DeploymentStore } from './deployment-store.ts';
import { liveStep, type StepTools } from './live-step.ts';
import type { MarketBar } from './ports.ts';
import { toldPositionOf } from './told-position.ts';

export interface MissedBarsParts extends StepTools {
  readonly store: Pick<DeploymentStore, 'eventIds'>;
}

export interface Lateness {
  /** When they are made up. */
  readonly atMs: number;
  /** Why they were missed, in words. */
  readonly why: string;
}

/** What the missed bars up to one of them leave behind. */
export interface MadeUp {
  readonly kind: 'made-up';
  readonly barTimeMs: number;
  readonly events: readonly DeploymentEvent[];
  readonly logs: readonly LogEntry[];
  readonly position: number | null;
  readonly toldPosition: number | undefined;
}

/** Other deployments take turns with this one; what is left of a long outage is run in its next turn. */
const MAX_BARS_AT_ONCE = 1000;
const MAX_TURN_MS = 1000;
/** More lines would push out what else the log of a deployment has to say. */
const MAX_MISSED_LINES = 40;

/** Runs the bars after the last one dealt with and before the given time, or the first of them where there are many. */
export async function runMissedBars(
  parts: MissedBarsParts,
  found: CurrentDeployment,
  history: BarHistory,
  beforeMs: number,
  lateness: Lateness,
): Promise<MadeUp | Refused | Stopped> {
  const { anchorMs, lastBarTimeMs } = found.deployment;
  const startedMs = parts.timers.nowMs();
  const events: DeploymentEvent[] = [];
  const logs: LogEntry[] = [];
  let position: number | null = found.deployment.position;
  let told = toldPositionOf(found.deployment);
  let barTimeMs = lastBarTimeMs;
  for (let count = 0; count < MAX_BARS_AT_ONCE; count += 1) {
    if (count > 0 && parts.timers.nowMs() - startedMs > MAX_TURN_MS) break;
    const bar = history.firstAfter(barTimeMs);
    if (bar === undefined || bar.time >= beforeMs) break;
    const outcome = await liveStep(parts, { ...found, history, anchorMs }, bar, true);
    if (outcome.kind !== 'live') return outcome;
    const late = await lateFills(parts, found, bar, outcome, told, lateness);
    events.push(...late.events);
    logs.push(...late.logs);
    told = late.toldPosition ?? told;
    position = outcome.position;
    barTimeMs = bar.time;
  }
  return {
    kind: 'made-up',
    barTimeMs,
    events,
    logs: shortList(logs, lateness.atMs),
    position,
    toldPosition: told ?? undefined,
  };
}

async function lateFills(
  { store }: MissedBarsParts,
  { deployment }: CurrentDeployment,
  { time: barTimeMs, close: price }: MarketBar,
  outcome: LiveDone,
  told: number | null,
  { atMs, why }: Lateness,
): Promise<ReturnType<typeof barEvents>> {
  const { id } = deployment;
  // On ticks of the bar some may have been told in time.
  const known = outcome.fills.length === 0 ? new Set<string>() : await store.eventIds(id, barTimeMs);
  const late = { why, isNew: true };
  const stale = new Map(outcome.fills.map((_, place) => [fillId(id, barTimeMs, place), late]));
  const moment = { barTimeMs, atMs, noticedAtMs: atMs, isClosed: true, price, known, stale, told };
  return barEvents(deployment, { ...outcome, alerts: [] }, moment);
}

function shortList(logs: readonly LogEntry[], atMs: number): LogEntry[] {
  const missed = logs.filter(({ kind }) => kind === 'missed');
  const dropped = new Set(missed.slice(MAX_MISSED_LINES));
  if (dropped.size === 0) return [...logs];
  const message = `${dropped.size} more fills were missed and will not act.`;
  return [...logs.filter((entry) => !dropped.has(entry)), { atMs, kind: 'missed', message }];
}

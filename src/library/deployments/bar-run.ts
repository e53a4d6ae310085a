// One deployment and one closed bar: goes on with its live run by this bar and stores what it raised.
//
// | the bar                                       | becomes                                                          |
// |-----------------------------------------------|------------------------------------------------------------------|
// | was dealt with, or the deployment is not running | nothing                                                       |
// | is not fresh, or waited too long for its run  | a line in the log: missed; of a strategy see missed-bars.ts      |
// | ran                                           | events of its own alerts and fills, but for those told already   |
// | ended with an error of the script             | a line in the log; the tenth in a row stops the deployment       |
// | could not be run just now                     | tried again                                                      |

import { errorText } from '../../errors/error-text.ts';
import { backoffMs } from '../../timing/backoff.ts';
import type { LiveDone } from '../live-runner.ts';
import { barEvents, shortened } from './bar-events.ts';
import type { BarHistory } from './bar-history.ts';
import { AWAY, type BarWatch } from './bar-watch.ts';
import {
  type Deployment,
  type LogEntry,
  MAX_FAILURES_IN_A_ROW,
  MAX_RUN_BARS,
  MAX_STRATEGY_BARS,
  REANCHOR_BARS,
} from './deployment.ts';
import type { BarOutcome, CurrentDeployment, DeploymentStore } from './deployment-store.ts';
import type { Task } from './fair-queue.ts';
import { liveStep, type StepTools } from './live-step.ts';
import type { Closing } from './market-track.ts';
import { runMissedBars } from './missed-bars.ts';
import type { DeploymentLog } from './ports.ts';
import { toldPositionOf } from './told-position.ts';
import { reasonOf, type Unfinished } from './unfinished-run.ts';

export interface BarRunParts extends StepTools {
  readonly store: Pick<DeploymentStore, 'current' | 'commitBar' | 'commitTick' | 'eventIds'>;
  readonly watch: BarWatch;
  /** The names that TradingView's alerts of a closed bar have; undefined where nobody awaits any. */
  readonly alertIdsOf: (
    deployment: Deployment,
    barTimeMs: number,
    fills: LiveDone['fills'],
  ) => readonly string[] | undefined;
  readonly log: DeploymentLog;
  /** Events were stored: they can be delivered. */
  readonly onEvents: () => void;
  /** Its stored state or anchor changed. */
  readonly onChange: (id: string) => void;
}

/** What happened ten minutes ago is no news any more, whatever held it up. */
const MAX_WAIT_MS = 600_000;
const BUSY_PAUSE_MS = 1000;
export const TROUBLE_PAUSE = { firstMs: 1000, longestMs: 30_000 };
/** A fault of ours may be a passing one; a third time it is not. */
const MAX_ENGINE_FAULTS = 3;

type Plan = Omit<BarOutcome, 'barTimeMs' | 'atMs'>;

export function createBarRun(parts: BarRunParts): (id: string, closing: Closing, history: BarHistory) => Task {
  return (id, closing, history) => {
    let engineFaults = 0;
    let troubles = 0;
    return async () => {
      try {
        const step = await dealWith(parts, id, closing, history, engineFaults);
        if (step === 'engine-fault') engineFaults += 1;
        if (step === 'again') return 0;
        return step === 'done' ? undefined : BUSY_PAUSE_MS;
      } catch (error) {
        parts.log.warn({ deployment: id, reason: errorText(error) }, 'a deployment could not run; trying again');
        troubles += 1;
        return backoffMs(TROUBLE_PAUSE, troubles);
      }
    };
  };
}

type Step = 'done' | 'again' | 'busy' | 'engine-fault';

async function dealWith(
  parts: BarRunParts,
  id: string,
  closing: Closing,
  history: BarHistory,
  engineFaults: number,
): Promise<Step> {
  const { store, timers } = parts;
  const found = await store.current(id);
  if (found === undefined) return 'done';
  const { deployment } = found;
  const { barTimeMs } = closing;
  if (deployment.state !== 'running' || barTimeMs <= deployment.lastBarTimeMs) return 'done';
  const waitedMs = timers.nowMs() - closing.noticedAtMs;
  const isMissed = !closing.isFresh || waitedMs > MAX_WAIT_MS;
  const why = closing.isFresh && isMissed ? 'the run had to wait too long' : (closing.missedWhy ?? AWAY);
  const gap = { beforeMs: isMissed ? barTimeMs + deployment.timeframeMs : barTimeMs, why };
  if (toldPositionOf(deployment) !== null && history.count(deployment.lastBarTimeMs + 1, gap.beforeMs) > 0)
    return makeUp(parts, found, closing, history, gap, engineFaults);
  if (isMissed) {
    await commit(parts, deployment, closing, {
      ...untouched(deployment),
      logs: missed(deployment, history, gap.beforeMs, why, timers.nowMs()),
    });
    return 'done';
  }
  await history.reachBack(deployment.anchorMs);
  const anchorMs = anchorFor(deployment, history, barTimeMs);
  const bar = history.at(barTimeMs);
  if (bar === undefined) throw new Error('the market does not show the bar any more');
  const outcome = await liveStep(parts, { ...found, history, anchorMs }, bar, true);
  if (outcome.kind === 'canceled') return 'done';
  if (outcome.kind === 'busy') return 'busy';
  if (outcome.kind === 'failed' && engineFaults < MAX_ENGINE_FAULTS - 1) return 'engine-fault';
  const atMs = timers.nowMs();
  const before = [
    ...missed(deployment, history, barTimeMs, AWAY, atMs),
    ...(anchorMs === deployment.anchorMs ? [] : [reanchored(deployment, anchorMs, atMs)]),
  ];
  const plan =
    outcome.kind === 'live'
      ? await raised(parts, deployment, closing, bar.close, outcome)
      : broken(deployment, closing, outcome, atMs);
  await commit(parts, deployment, closing, { ...plan, anchorMs, logs: [...before, ...plan.logs] });
  return 'done';
}

/** The missed bars of a strategy are dealt with in a step of their own; whatever comes after them waits for the next turn. */
async function makeUp(
  parts: BarRunParts,
  found: CurrentDeployment,
  closing: Closing,
  history: BarHistory,
  { beforeMs, why }: { readonly beforeMs: number; readonly why: string },
  engineFaults: number,
): Promise<Step> {
  const { deployment } = found;
  const atMs = parts.timers.nowMs();
  await history.reachBack(deployment.anchorMs);
  const outcome = await runMissedBars(parts, found, history, beforeMs, { atMs, why });
  if (outcome.kind === 'canceled') return 'done';
  if (outcome.kind === 'busy') return 'busy';
  if (outcome.kind !== 'made-up') {
    if (outcome.kind === 'failed' && engineFaults < MAX_ENGINE_FAULTS - 1) return 'engine-fault';
    const plan = broken(deployment, closing, outcome, atMs);
    const logs = [...missed(deployment, history, beforeMs, why, atMs), ...plan.logs];
    await commit(parts, deployment, closing, { ...plan, logs });
    return 'done';
  }
  const { kind: _, barTimeMs, ...made } = outcome;
  const logs = [...missed(deployment, history, barTimeMs + deployment.timeframeMs, why, atMs), ...made.logs];
  await commit(parts, deployment, { barTimeMs }, { ...untouched(deployment), ...made, logs });
  return barTimeMs < closing.barTimeMs ? 'again' : 'done';
}

async function commit(
  parts: BarRunParts,
  deployment: Deployment,
  closing: Pick<Closing, 'barTimeMs'>,
  plan: Plan,
): Promise<void> {
  const { store, timers, onEvents, onChange, log } = parts;
  const isStored = await store.commitBar(deployment.id, {
    ...plan,
    barTimeMs: closing.barTimeMs,
    atMs: timers.nowMs(),
  });
  if (!isStored) return;
  if (plan.state !== deployment.state)
    log.warn({ deployment: deployment.id, reason: plan.error }, 'a deployment was stopped after errors in a row');
  if (plan.state !== deployment.state || plan.anchorMs !== deployment.anchorMs) onChange(deployment.id);
  if (plan.events.length > 0) onEvents();
}

const untouched = ({ anchorMs, state }: Deployment): Omit<Plan, 'logs'> => ({
  hasRun: false,
  anchorMs,
  error: undefined,
  state,
  events: [],
});

/** A line for the bars after the last one dealt with and before the given time; none where there are none. */
function missed(deployment: Deployment, history: BarHistory, beforeMs: number, why: string, atMs: number): LogEntry[] {
  const { lastBarTimeMs, timeframeMs } = deployment;
  const count = history.count(lastBarTimeMs + 1, beforeMs);
  if (count === 0) return [];
  const message = `${count} ${count === 1 ? 'bar was' : 'bars were'} missed and will not act: ${why}.`;
  return [{ atMs, kind: 'missed', message, barTimeMs: beforeMs - timeframeMs }];
}

const reanchored = ({ position }: Deployment, anchorMs: number, atMs: number): LogEntry => {
  const reached = position === null ? MAX_RUN_BARS : MAX_STRATEGY_BARS;
  const message = `Runs begin at ${new Date(anchorMs).toISOString()} from now on: ${reached} bars were reached.`;
  return { atMs, kind: 're-anchored', message };
};

/** Moved only when the history has grown too long, and then far, so that it seldom happens. */
function anchorFor({ anchorMs, position }: Deployment, history: BarHistory, barTimeMs: number): number {
  const bars = history.count(anchorMs, barTimeMs) + 1;
  const isTooLong = position === null ? bars > MAX_RUN_BARS : bars > MAX_STRATEGY_BARS && position === 0;
  return isTooLong ? history.timeBefore(barTimeMs, REANCHOR_BARS - 1) : anchorMs;
}

async function raised(
  { store, watch, timers, alertIdsOf }: BarRunParts,
  deployment: Deployment,
  { barTimeMs, noticedAtMs }: Closing,
  price: number,
  outcome: LiveDone,
): Promise<Plan> {
  const { id, timeframeMs } = deployment;
  const { bars, runMs, position, alerts, fills } = outcome;
  const known = alerts.length + fills.length === 0 ? new Set<string>() : await store.eventIds(id, barTimeMs);
  const atMs = timers.nowMs();
  const stale = watch.look({ id, timeframeMs, barTimeMs, noticedAtMs, nowMs: atMs, known }, outcome);
  const moment = {
    barTimeMs,
    atMs,
    noticedAtMs,
    price,
    isClosed: true,
    known,
    stale,
    told: toldPositionOf(deployment),
  };
  const { events, logs, toldPosition } = barEvents(deployment, outcome, moment);
  const said = [counted(events.filter(({ order }) => order === null).length, 'alert')];
  if (position !== null) said.push(counted(fills.length, 'fill'));
  const run: LogEntry = { atMs, kind: 'run', message: `Ran over ${bars} bars, ${said.join(', ')}.`, barTimeMs, runMs };
  const keptAlertIds = alertIdsOf(deployment, barTimeMs, fills);
  const plan = { ...untouched(deployment), hasRun: true, error: null, events, position, toldPosition, keptAlertIds };
  return { ...plan, logs: [run, ...logs] };
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

function broken(deployment: Deployment, { barTimeMs }: Closing, outcome: Unfinished, atMs: number): Plan {
  const error = shortened(reasonOf(outcome));
  const failures = deployment.failures + 1;
  const isOver = failures >= MAX_FAILURES_IN_A_ROW;
  const logs: LogEntry[] = [{ atMs, kind: 'error', message: error, barTimeMs }];
  const over = `Stopped after ${failures} errors in a row; mend the script, deploy it again, or resume this one.`;
  if (isOver) logs.push({ atMs, kind: 'failed', message: over });
  return { ...untouched(deployment), hasRun: true, error, state: isOver ? 'failed' : 'running', logs };
}

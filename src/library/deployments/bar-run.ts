// One deployment and one closed bar: runs the pinned script over its history and stores what the newest bar raised.
//
// | the bar                                       | becomes                                                          |
// |-----------------------------------------------|------------------------------------------------------------------|
// | was dealt with, or the deployment is not running | nothing                                                       |
// | is not fresh, or waited too long for its run  | a line in the log: missed                                        |
// | ran                                           | events of its own alerts; alerts of earlier bars are history     |
// | ended with an error of the script             | a line in the log; the tenth in a row stops the deployment       |
// | could not be run just now                     | tried again                                                      |

import { errorText } from '../../errors/error-text.ts';
import { backoffMs } from '../../timing/backoff.ts';
import { firstErrorOf } from '../run-fault.ts';
import type { RunDone, ScriptRunner } from '../script-runner.ts';
import type { BarHistory } from './bar-history.ts';
import {
  type Deployment,
  type DeploymentEvent,
  type LogEntry,
  MAX_EVENTS_PER_BAR,
  MAX_FAILURES_IN_A_ROW,
  MAX_MESSAGE_CHARS,
  MAX_RUN_BARS,
  REANCHOR_BARS,
} from './deployment.ts';
import type { BarOutcome, DeploymentStore } from './deployment-store.ts';
import { eventId } from './event-id.ts';
import type { Task } from './fair-queue.ts';
import type { Closing } from './market-track.ts';
import type { AlertRunner, DeploymentLog, Timers } from './ports.ts';
import type { RequestedBars } from './requested-bars.ts';

export interface BarRunParts {
  readonly store: Pick<DeploymentStore, 'current' | 'commitBar'>;
  readonly runner: AlertRunner;
  readonly requested: Pick<RequestedBars, 'runWith'>;
  readonly timers: Pick<Timers, 'nowMs'>;
  readonly log: DeploymentLog;
  /** Events were stored: they can be delivered. */
  readonly onEvents: () => void;
  /** Its stored state or anchor changed. */
  readonly onChange: (id: string) => void;
}

/** What happened ten minutes ago is no news any more, whatever held it up. */
const MAX_WAIT_MS = 600_000;
const BUSY_PAUSE_MS = 1000;
const TROUBLE_PAUSE = { firstMs: 1000, longestMs: 30_000 };
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
        return step === 'done' ? undefined : BUSY_PAUSE_MS;
      } catch (error) {
        parts.log.warn({ deployment: id, reason: errorText(error) }, 'a deployment could not run; trying again');
        troubles += 1;
        return backoffMs(TROUBLE_PAUSE, troubles);
      }
    };
  };
}

type Step = 'done' | 'busy' | 'engine-fault';

async function dealWith(
  parts: BarRunParts,
  id: string,
  closing: Closing,
  history: BarHistory,
  engineFaults: number,
): Promise<Step> {
  const { store, runner, requested, timers } = parts;
  const found = await store.current(id);
  if (found === undefined) return 'done';
  const { deployment, source } = found;
  const { barTimeMs } = closing;
  if (deployment.state !== 'running' || barTimeMs <= deployment.lastBarTimeMs) return 'done';
  const waitedMs = timers.nowMs() - closing.noticedAtMs;
  if (!closing.isFresh || waitedMs > MAX_WAIT_MS) {
    const reason = closing.isFresh
      ? 'the run had to wait too long'
      : 'they closed while Signalbox or the market was away';
    await commit(parts, deployment, closing, {
      ...untouched(deployment),
      logs: missed(deployment, history, barTimeMs + deployment.timeframeMs, reason, timers.nowMs()),
    });
    return 'done';
  }
  await history.reachBack(deployment.anchorMs);
  const anchorMs = anchorFor(deployment, history, barTimeMs);
  const bars = history.columns(anchorMs, barTimeMs);
  if (bars === undefined) throw new Error('the market does not show the bar any more');
  const { symbol, interval, inputs, createdAtMs: liveSinceMs } = deployment;
  const market = { symbol: { ticker: symbol }, timeframe: interval };
  const request = { source, bars, inputs, ...market, liveSinceMs, alertsSinceMs: barTimeMs };
  const stretch = { fromMs: anchorMs, toMs: barTimeMs + deployment.timeframeMs };
  const outcome = await requested.runWith(id, stretch, (symbolBars) => runner.run({ ...request, symbolBars }));
  if (outcome.kind === 'canceled') return 'done';
  if (outcome.kind === 'busy') return 'busy';
  if (outcome.kind === 'failed' && engineFaults < MAX_ENGINE_FAULTS - 1) return 'engine-fault';
  const atMs = timers.nowMs();
  const before = [
    ...missed(deployment, history, barTimeMs, 'they closed while Signalbox or the market was away', atMs),
    ...(anchorMs === deployment.anchorMs ? [] : [reanchored(anchorMs, atMs)]),
  ];
  const plan =
    outcome.kind === 'result' ? raised(deployment, closing, outcome, atMs) : broken(deployment, closing, outcome, atMs);
  await commit(parts, deployment, closing, { ...plan, anchorMs, logs: [...before, ...plan.logs] });
  return 'done';
}

async function commit(parts: BarRunParts, deployment: Deployment, closing: Closing, plan: Plan): Promise<void> {
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
function missed(
  deployment: Deployment,
  history: BarHistory,
  beforeMs: number,
  reason: string,
  atMs: number,
): LogEntry[] {
  const { lastBarTimeMs, timeframeMs } = deployment;
  const count = history.count(lastBarTimeMs + 1, beforeMs);
  if (count === 0) return [];
  const message = `${count} ${count === 1 ? 'bar was' : 'bars were'} missed and will not act: ${reason}.`;
  return [{ atMs, kind: 'missed', message, barTimeMs: beforeMs - timeframeMs }];
}

const reanchored = (anchorMs: number, atMs: number): LogEntry => ({
  atMs,
  kind: 're-anchored',
  message: `Runs begin at ${new Date(anchorMs).toISOString()} from now on: ${MAX_RUN_BARS} bars were reached.`,
});

/** Moved only when the history has grown too long, and then far, so that it seldom happens. */
function anchorFor({ anchorMs }: Deployment, history: BarHistory, barTimeMs: number): number {
  const bars = history.count(anchorMs, barTimeMs) + 1;
  return bars > MAX_RUN_BARS ? history.timeBefore(barTimeMs, REANCHOR_BARS - 1) : anchorMs;
}

function raised(deployment: Deployment, { barTimeMs }: Closing, { result, runMs }: RunDone, atMs: number): Plan {
  const alerts = result.alerts.filter(({ timeMs }) => timeMs === barTimeMs);
  const events = alerts.slice(0, MAX_EVENTS_PER_BAR).map(
    ({ message, title, source }, ordinal): DeploymentEvent => ({
      id: eventId(deployment.id, barTimeMs, ordinal),
      deploymentId: deployment.id,
      barTimeMs,
      ordinal,
      message: shortened(message),
      title: title ?? null,
      source,
      createdAtMs: atMs,
    }),
  );
  const dropped = alerts.length - events.length;
  const logs: LogEntry[] = events.map(({ id, message }) => ({ atMs, kind: 'alert', message, barTimeMs, eventId: id }));
  const more = `${dropped} more alerts on this bar were not sent: at most ${MAX_EVENTS_PER_BAR} of a bar are.`;
  if (dropped > 0) logs.push({ atMs, kind: 'error', message: more, barTimeMs });
  const said = events.length === 1 ? '1 alert' : `${events.length} alerts`;
  const run: LogEntry = { atMs, kind: 'run', message: `Ran over ${result.count} bars, ${said}.`, barTimeMs, runMs };
  return { ...untouched(deployment), hasRun: true, error: null, events, logs: [run, ...logs] };
}

type Unfinished = Exclude<Awaited<ReturnType<ScriptRunner['run']>>, RunDone>;

function broken(deployment: Deployment, { barTimeMs }: Closing, outcome: Unfinished, atMs: number): Plan {
  const error = shortened(reasonOf(outcome));
  const failures = deployment.failures + 1;
  const isOver = failures >= MAX_FAILURES_IN_A_ROW;
  const logs: LogEntry[] = [{ atMs, kind: 'error', message: error, barTimeMs }];
  const over = `Stopped after ${failures} errors in a row; mend the script, deploy it again, or resume this one.`;
  if (isOver) logs.push({ atMs, kind: 'failed', message: over });
  return { ...untouched(deployment), hasRun: true, error, state: isOver ? 'failed' : 'running', logs };
}

function reasonOf(outcome: Unfinished): string {
  switch (outcome.kind) {
    case 'runtime-error':
      return `line ${outcome.line}: ${outcome.message}`;
    case 'compile-failed':
      return `the script does not compile any more: ${firstErrorOf(outcome.diagnostics)}`;
    default:
      return outcome.reason;
  }
}

const shortened = (text: string): string =>
  (text.length > MAX_MESSAGE_CHARS ? `${text.slice(0, MAX_MESSAGE_CHARS - 1)}…` : text).toWellFormed();

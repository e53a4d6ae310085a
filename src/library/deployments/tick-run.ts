// One deployment and its forming bar: what its fills and its alerts are so far, each told once.
//
// Nothing here marks a bar as dealt with: the close does, and what it finds beyond what was told already is told then. An
// error on a tick is left to the close as well.

import { errorText } from '../../errors/error-text.ts';
import { backoffMs } from '../../timing/backoff.ts';
import { barEvents } from './bar-events.ts';
import type { BarHistory } from './bar-history.ts';
import { type BarRunParts, TROUBLE_PAUSE } from './bar-run.ts';
import { opinionTargetOf } from './deployment.ts';
import type { TickOutcome } from './deployment-store.ts';
import type { Task } from './fair-queue.ts';
import { liveStep } from './live-step.ts';
import type { MarketBar } from './ports.ts';
import { toldPositionOf } from './told-position.ts';

/** A tick that could not be stored so often is left to the close. */
const MAX_TRIES = 5;

type TickRun = (id: string, noticedAtMs: number, newest: () => MarketBar, history: BarHistory) => Task;

/** The bar is read when the task has its turn: of ticks that wait only the newest counts. */
export function createTickRun(parts: BarRunParts): TickRun {
  return (id, noticedAtMs, newest, history) => {
    let told: TickOutcome | undefined;
    let troubles = 0;
    return async () => {
      try {
        // A call that alerts once per bar does so once: what it said must not be lost with a failure to store it.
        told ??= await lookAt(parts, id, noticedAtMs, newest(), history);
        if (told === undefined) return undefined;
        const isStored = await parts.store.commitTick(id, told);
        if (isStored && told.events.length > 0) parts.onEvents();
        return undefined;
      } catch (error) {
        parts.log.warn({ deployment: id, reason: errorText(error) }, 'a tick of a deployment could not be stored');
        troubles += 1;
        return troubles < MAX_TRIES ? backoffMs(TROUBLE_PAUSE, troubles) : undefined;
      }
    };
  };
}

/** What there is to store, if anything. */
async function lookAt(
  parts: BarRunParts,
  id: string,
  noticedAtMs: number,
  bar: MarketBar,
  history: BarHistory,
): Promise<TickOutcome | undefined> {
  const { store, timers, watch } = parts;
  const found = await store.current(id);
  if (found === undefined) return undefined;
  const { deployment } = found;
  const { anchorMs, timeframeMs, lastBarTimeMs } = deployment;
  const barTimeMs = bar.time;
  if (deployment.state !== 'running' || history.toMs !== barTimeMs) return undefined;
  // Of an indicator's alerts a second opinion says whether the closed bar has them.
  if (deployment.scriptType === 'indicator' && opinionTargetOf(deployment.targets) !== undefined) return undefined;
  // The close of the bar before waits for its turn: this one comes after it.
  if (history.lastBefore(barTimeMs)?.time !== lastBarTimeMs) return undefined;
  await history.reachBack(anchorMs);
  const outcome = await liveStep(parts, { ...found, history, anchorMs }, bar, false);
  if (outcome.kind !== 'live') return undefined;
  const isQuiet = outcome.fills.length + outcome.alerts.length === 0;
  const known = isQuiet ? new Set<string>() : await store.eventIds(id, barTimeMs);
  const atMs = timers.nowMs();
  const stale = watch.look({ id, timeframeMs, barTimeMs, noticedAtMs, nowMs: atMs, known }, outcome);
  const moment = {
    ...{ barTimeMs, atMs, noticedAtMs, price: bar.close, isClosed: false, known, stale },
    told: toldPositionOf(deployment),
  };
  const told = barEvents(deployment, outcome, moment);
  const isNews = told.events.length + told.logs.length > 0;
  return isNews ? { barTimeMs, atMs, ...told, position: outcome.position } : undefined;
}

// One step of a deployment's live run: the next closed bar, or the forming bar as it stands.

import type { LiveDone, LiveRunner } from '../live-runner.ts';
import type { Refused, Stopped } from '../script-runner.ts';
import type { BarHistory } from './bar-history.ts';
import type { CurrentDeployment } from './deployment-store.ts';
import type { MarketBar, Timers } from './ports.ts';
import type { RequestedBars } from './requested-bars.ts';
import { QUICK_RUN_MS, type RunPaces } from './run-pace.ts';

export interface StepParts extends CurrentDeployment {
  readonly history: BarHistory;
  readonly anchorMs: number;
}

export interface StepTools {
  readonly runner: LiveRunner;
  readonly requested: Pick<RequestedBars, 'runWith'>;
  readonly paces: Pick<RunPaces, 'isQuick' | 'note'>;
  readonly timers: Pick<Timers, 'nowMs'>;
}

const TOO_LONG: Stopped = {
  kind: 'busy',
  reason: 'it takes longer than a quick run may; it is run beside the slow ones',
};

export async function liveStep(
  { runner, requested, paces, timers }: StepTools,
  { deployment, source, libraries, history, anchorMs }: StepParts,
  bar: MarketBar,
  isClosed: boolean,
): Promise<LiveDone | Refused | Stopped> {
  const { id, symbol, interval, inputs, createdAtMs, timeframeMs, orderMessage, initialCapital } = deployment;
  const before = history.lastBefore(bar.time);
  const request = {
    runId: id,
    source,
    libraries,
    inputs,
    symbol: { ticker: symbol },
    timeframe: interval,
    liveSinceMs: createdAtMs,
    // The bar that was forming when it was deployed is the first on which a strategy may order.
    tradeFromMs: createdAtMs - timeframeMs + 1,
    orderMessage: orderMessage ?? undefined,
    ...(initialCapital === null ? {} : { initialCapital }),
    anchorMs,
    afterMs: before !== undefined && before.time >= anchorMs ? before.time : Number.NEGATIVE_INFINITY,
    bar: { ...bar },
    isClosed,
    isQuick: paces.isQuick(deployment),
  };
  // Bars of other markets count when they are over: while this bar forms, up to where it began.
  const stretch = { fromMs: anchorMs, toMs: isClosed ? bar.time + timeframeMs : bar.time };
  const startedMs = timers.nowMs();
  let advancedMs = 0;
  let outcome: LiveDone | Refused | Stopped | undefined;
  try {
    outcome = await requested.runWith(id, stretch, async (symbolBars) => {
      const askedMs = timers.nowMs();
      const done = await runner.advance({ ...request, symbolBars }, () => history.columnsBefore(anchorMs, bar.time));
      advancedMs += timers.nowMs() - askedMs;
      return done;
    });
    // It had a second, and has all the time there is when it is tried again.
    return request.isQuick && outcome.kind === 'timeout' ? TOO_LONG : outcome;
  } finally {
    const fetchMs = timers.nowMs() - startedMs - advancedMs;
    paces.note(deployment, { ...threadCost(outcome, advancedMs), fetchMs });
  }
}

/** Of a run that came to no result only its owner's wait is known, which may have been for somebody else. */
function threadCost(outcome: LiveDone | Refused | Stopped | undefined, advancedMs: number) {
  switch (outcome?.kind) {
    case 'live':
      return { runMs: outcome.runMs, isOpening: outcome.isReplayed };
    case 'busy':
    case 'canceled':
      return { runMs: 0, isOpening: false };
    case 'timeout':
      // Whatever the clock says: one that was ended for its time is not quick.
      return { runMs: Math.max(advancedMs, QUICK_RUN_MS + 1), isOpening: false };
    default:
      return { runMs: advancedMs, isOpening: false };
  }
}

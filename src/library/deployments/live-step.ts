// One step of a deployment's live run: the next closed bar, or the forming bar as it stands.

import type { LiveDone, LiveRunner } from '../live-runner.ts';
import type { Refused, Stopped } from '../script-runner.ts';
import type { BarHistory } from './bar-history.ts';
import type { CurrentDeployment } from './deployment-store.ts';
import type { MarketBar } from './ports.ts';
import type { RequestedBars } from './requested-bars.ts';

export interface StepParts extends CurrentDeployment {
  readonly history: BarHistory;
  readonly anchorMs: number;
}

export interface StepTools {
  readonly runner: LiveRunner;
  readonly requested: Pick<RequestedBars, 'runWith'>;
}

export function liveStep(
  { runner, requested }: StepTools,
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
  };
  // Bars of other markets count when they are over: while this bar forms, up to where it began.
  const stretch = { fromMs: anchorMs, toMs: isClosed ? bar.time + timeframeMs : bar.time };
  return requested.runWith(id, stretch, (symbolBars) =>
    runner.advance({ ...request, symbolBars }, () => history.columnsBefore(anchorMs, bar.time)),
  );
}

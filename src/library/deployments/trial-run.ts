// What comes before a deployment: the newest bars of its market, and one run of its script over them, which raises nothing.

import { errorText } from '../../errors/error-text.ts';
import type { Script } from '../script.ts';
import type { Refused, Stopped } from '../script-runner.ts';
import { BarHistory } from './bar-history.ts';
import { ANCHOR_BARS, type Deployment, type DeploymentPlan } from './deployment.ts';
import type { DeploymentRunner, MarketBars, Timers } from './ports.ts';

/** In words with the remedy. unavailable: bars cannot be had just now. */
export interface Declined {
  readonly kind: 'bad-target' | 'bad-market' | 'unavailable' | 'too-many' | 'no-owner';
  readonly reason: string;
}

export interface TrialFailed {
  readonly kind: 'trial-failed';
  readonly outcome: Refused | Stopped;
}

interface Works {
  readonly kind: 'works';
  readonly scriptType: Deployment['scriptType'];
}

/** No such market or timeframe, or one of which so many bars are too much to ask for: asking again does not help. */
const HOPELESS = new Set(['FeedRefusal', 'RangeError']);

/** Runs the script once over the newest bars, and says what it is when it works. */
export async function trialRun(
  runner: Pick<DeploymentRunner, 'run'>,
  { content }: Script,
  { inputs, symbol, interval }: Pick<DeploymentPlan, 'inputs' | 'symbol' | 'interval'>,
  history: BarHistory,
  anchorMs: number,
): Promise<TrialFailed | Works> {
  const newestMs = history.newest?.time as number;
  const bars = history.columns(anchorMs, newestMs);
  if (bars === undefined) throw new Error('the newest bar is not in its own history');
  const request = { source: content, bars, inputs, symbol: { ticker: symbol }, timeframe: interval };
  const outcome = await runner.run({ ...request, alertsSinceMs: newestMs });
  if (outcome.kind !== 'result') return { kind: 'trial-failed', outcome };
  return { kind: 'works', scriptType: outcome.result.meta.scriptType === 'strategy' ? 'strategy' : 'indicator' };
}

/** The closed bars up to the newest, or why there are none. */
export async function recentBars(
  { market: source, timers }: { readonly market: MarketBars; readonly timers: Timers },
  market: string,
  timeframeMs: number,
): Promise<BarHistory | Declined> {
  const history = new BarHistory({ market, timeframeMs, source });
  const nowMs = timers.nowMs();
  try {
    // Two more on either side: the forming bar, and a clock that is a little wrong.
    await history.catchUp(Math.max(0, nowMs - (ANCHOR_BARS + 2) * timeframeMs), nowMs + 2 * timeframeMs);
  } catch (error) {
    const reason = errorText(error);
    if (HOPELESS.has((error as Error).name)) return { kind: 'bad-market', reason };
    return {
      kind: 'unavailable',
      reason: `The bars of ${market} cannot be read just now (${reason}); try again later.`,
    };
  }
  if (history.newest !== undefined) return history;
  const reason = `${market} shows no closed bar of this interval yet; check the clock of the machine, or try again later.`;
  return { kind: 'unavailable', reason };
}

// What comes before a deployment: the newest bars of its market, and one run of its script over them, which raises nothing.

import { errorText } from '../../errors/error-text.ts';
import type { LibrarySource } from '../../pine/index.ts';
import { CONVERTED, NOT_CONVERTED, NOT_MAGNIFIED, NOT_PAID } from '../../pine/light.ts';
import type { Script } from '../script.ts';
import type { Refused, Stopped, StrategyAccount } from '../script-runner.ts';
import { BarHistory } from './bar-history.ts';
import { chartSymbol } from './chart-symbol.ts';
import { ANCHOR_BARS, type Deployment, type DeploymentPlan } from './deployment.ts';
import type { DeploymentRunner, MarketBars, MarketInfo, Timers } from './ports.ts';
import { RequestedBars } from './requested-bars.ts';

/**
 * In words with the remedy. unavailable: bars cannot be had just now. foreign-bars: see bar-sources.ts. not-dry: what it
 * should take the place of trades.
 */
export interface Declined {
  readonly kind: 'bad-target' | 'bad-market' | 'unavailable' | 'too-many' | 'no-owner' | 'foreign-bars' | 'not-dry';
  readonly reason: string;
}

export interface TrialFailed {
  readonly kind: 'trial-failed';
  readonly outcome: Refused | Stopped;
}

interface Works {
  readonly kind: 'works';
  /** What its owner should know of it, for the answer and the log. */
  readonly warnings: readonly string[];
  readonly scriptType: Deployment['scriptType'];
  readonly runMs: number;
  /** Of a strategy. */
  readonly account: StrategyAccount | undefined;
}

/** No such market or timeframe, or one of which so many bars are too much to ask for: asking again does not help. */
const HOPELESS = new Set(['FeedRefusal', 'RangeError']);

/** Warnings that it is not run as it was written, or cannot pay what it orders. */
const NOTED: ReadonlySet<string> = new Set([CONVERTED, NOT_CONVERTED, NOT_MAGNIFIED, NOT_PAID]);

interface TrialPlan extends Pick<DeploymentPlan, 'inputs' | 'symbol' | 'targets' | 'interval' | 'timeframeMs'> {
  readonly userId: string;
  readonly initialCapital?: number | undefined;
}

interface TrialTools {
  readonly runner: Pick<DeploymentRunner, 'run'>;
  readonly market: MarketBars;
  readonly infoOf: MarketInfo;
}

/** Runs the script once over the newest bars, and says what it is when it works. */
export async function trialRun(
  { runner, market, infoOf }: TrialTools,
  { content, libraries }: Pick<Script, 'content'> & { readonly libraries: readonly LibrarySource[] },
  { userId, inputs, interval, timeframeMs, initialCapital, ...plan }: TrialPlan,
  history: BarHistory,
  anchorMs: number,
): Promise<TrialFailed | Works> {
  const newestMs = history.newest?.time as number;
  const bars = history.columns(anchorMs, newestMs);
  if (bars === undefined) throw new Error('the newest bar is not in its own history');
  const request = {
    ...{
      source: content,
      libraries,
      bars,
      inputs,
      symbol: chartSymbol(infoOf, plan, bars.close[0]),
      timeframe: interval,
    },
    ...(initialCapital === undefined ? {} : { initialCapital }),
  };
  const stretch = { fromMs: anchorMs, toMs: newestMs + timeframeMs };
  const outcome = await new RequestedBars(market)
    .runWith('trial', stretch, (symbolBars) => runner.run({ ...request, userId, symbolBars, alertsSinceMs: newestMs }))
    .catch((error): Stopped => {
      const reason = `the bars that it requests cannot be read just now (${errorText(error)}); try again later`;
      return { kind: 'busy', reason };
    });
  if (outcome.kind !== 'result') return { kind: 'trial-failed', outcome };
  // That it is not run as it was written, its owner should find in the log.
  const noted = outcome.warnings.filter(({ code }) => NOTED.has(code));
  const capital = initialCapital === undefined ? capitalWarning(outcome.account) : [];
  const inWords = ({ code, message }: { code: string; message: string }): string =>
    code === NOT_PAID ? `Over the newest bars ${message}` : message;
  const warnings = [...noted.map(inWords), ...capital];
  return {
    kind: 'works',
    warnings,
    runMs: outcome.runMs,
    account: outcome.account,
    scriptType: outcome.result.meta.scriptType === 'strategy' ? 'strategy' : 'indicator',
  };
}

/** The money of the script is not that of the account, and its sizes follow the script's. */
function capitalWarning(account: StrategyAccount | undefined): readonly string[] {
  if (account === undefined || account.quantityType === 'fixed') return [];
  const capital = `${account.initialCapital.toLocaleString('en-US')} ${account.currency}`;
  const what =
    account.quantityType === 'percent_of_equity'
      ? `Sizes are percent of the script's own capital, ${capital}`
      : `Sizes are amounts of money, as far as the script's own capital, ${capital}, pays for them`;
  return [`${what}; deploy it with the capital of your account, so that they match.`];
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

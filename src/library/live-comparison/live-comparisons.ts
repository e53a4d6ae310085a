// Compares a live deployment with the backtest of the same days: runs its script over the stored bars as it ran live, and lays
// what was told, sent and filled beside it.

import { errorText } from '../../errors/error-text.ts';
import type { BarColumns } from '../../pine/light.ts';
import { BarHistory } from '../deployments/bar-history.ts';
import { BarSources, type BarSourcesParts } from '../deployments/bar-sources.ts';
import { chartSymbol } from '../deployments/chart-symbol.ts';
import { type Deployment, MAX_STRATEGY_BARS, REANCHOR_BARS } from '../deployments/deployment.ts';
import type { CurrentDeployment, DeploymentStore } from '../deployments/deployment-store.ts';
import { strategyOf, type TradeTarget } from '../deployments/order-signal.ts';
import type { MarketInfo } from '../deployments/ports.ts';
import { RequestedBars } from '../deployments/requested-bars.ts';
import type { CallerRunner } from '../request-runner.ts';
import type { Refused, RunDone, Stopped } from '../script-runner.ts';
import { compareFills, type LiveFacts, sum } from './compare-fills.ts';
import type {
  ComparedFill,
  ComparisonTotals,
  LiveComparison,
  StrategyTrade,
  StrategyTrades,
  Verdict,
} from './compared-fill.ts';

export type Uncompared =
  | { readonly kind: 'missing' }
  /** In words with the remedy. */
  | { readonly kind: 'no-strategy' | 'too-early' | 'unavailable'; readonly reason: string }
  | { readonly kind: 'run-failed'; readonly outcome: Refused | Stopped };

export interface LiveComparisons {
  /** Of a deployment of this user; of anybody's, for the operator, where no user is said. */
  compare(id: string, userId?: string): Promise<{ kind: 'compared'; comparison: LiveComparison } | Uncompared>;
}

export interface LiveComparisonParts extends BarSourcesParts {
  readonly store: Pick<DeploymentStore, 'current' | 'orderEvents' | 'logs'>;
  readonly infoOf: MarketInfo;
  readonly runner: CallerRunner;
  /** Left out where no gateway trades. */
  readonly trades?: StrategyTrades | undefined;
  readonly timeoutMs: number;
}

/** All that are kept. */
const ALL_LOGS = 1_000_000;
const NO_STRATEGY = 'this deployment is an indicator: only the orders of a strategy have fills that can be compared';
const TOO_EARLY = 'no bar has closed since it was deployed; compare it when one has';
const JUST_MOVED = `its runs begin at a later bar now, because ${MAX_STRATEGY_BARS} bars were reached, and no bar has closed since; compare it when one has`;
const ARCHIVED = 'its trades are archived, and no bar has closed since; there is nothing left to compare';

export function createLiveComparisons(parts: LiveComparisonParts): LiveComparisons {
  const sources = new BarSources(parts);
  return {
    async compare(id, userId) {
      const found = await parts.store.current(id);
      if (found === undefined || (userId !== undefined && found.deployment.userId !== userId))
        return { kind: 'missing' };
      const { deployment } = found;
      if (deployment.scriptType !== 'strategy') return { kind: 'no-strategy', reason: NO_STRATEGY };
      if (deployment.lastBarTimeMs + deployment.timeframeMs <= deployment.createdAtMs)
        return { kind: 'too-early', reason: TOO_EARLY };
      const market = sources.of(deployment);
      if (typeof market === 'string') return { kind: 'unavailable', reason: market };
      try {
        return await compared({ ...parts, market }, found);
      } catch (error) {
        const reason = `bars or trades cannot be read just now (${errorText(error)}); try again later`;
        return { kind: 'unavailable', reason };
      }
    },
  };
}

async function compared(
  parts: LiveComparisonParts,
  current: CurrentDeployment,
): Promise<{ kind: 'compared'; comparison: LiveComparison } | Uncompared> {
  const { deployment } = current;
  const { id, userId, lastBarTimeMs } = deployment;
  const bars = await barsOf(parts, deployment);
  const firstMs = firstCompared(deployment, bars);
  if (firstMs === undefined) return { kind: 'too-early', reason: JUST_MOVED };
  const fromMs = Math.max(firstMs, await firstUnarchived(parts.trades, deployment));
  if (fromMs > lastBarTimeMs) return { kind: 'too-early', reason: ARCHIVED };
  const ran = await backtest(parts, current, bars);
  if (ran.kind !== 'result') return { kind: 'run-failed', outcome: ran };
  const isLater = isMoved(deployment) || fromMs > firstMs;
  const before = isLater ? await backtest(parts, current, barsBefore(bars, fromMs)) : undefined;
  if (before !== undefined && before.kind !== 'result') return { kind: 'run-failed', outcome: before };
  const expected = ran.fills ?? [];
  const logs = (await parts.store.logs(userId, id, ALL_LOGS)) ?? [];
  const events = await parts.store.orderEvents(id);
  const trades = await tradesOf(parts.trades, deployment, fromMs);
  const facts = inRange({ deployment, expected, logs, events, trades }, fromMs);
  const fills = compareFills(facts);
  const { name, symbol, interval, mode } = deployment;
  const backtestProfit = profitOf(ran) - (before === undefined ? 0 : profitOf(before));
  const totals = totalsOf(fills, facts, ran.report?.last.price ?? 0, backtestProfit);
  const about = { deploymentId: id, name, symbol, interval, mode, fromMs, toMs: lastBarTimeMs };
  return { kind: 'compared', comparison: { ...about, fills, totals } };
}

/** Its runs begin at another bar than at first, because their history had grown too long (see bar-run.ts). */
const isMoved = ({ anchorMs, createdAtMs }: Deployment): boolean => anchorMs > createdAtMs;

/**
 * The first bar that can be compared: that in which it was deployed. Where its runs begin later now, that after the bar on
 * which they were moved: what it made before it made with other books, which no run of today has. Undefined where there
 * is none yet.
 */
function firstCompared(deployment: Deployment, bars: BarColumns): number | undefined {
  const { createdAtMs, timeframeMs } = deployment;
  if (!isMoved(deployment)) return Math.floor(createdAtMs / timeframeMs) * timeframeMs;
  return bars.count > REANCHOR_BARS ? bars.time[REANCHOR_BARS] : undefined;
}

/** The first bar since which every trade is in the journal: earlier ones would look as if they had not been made. */
async function firstUnarchived(trades: StrategyTrades | undefined, { mode, timeframeMs }: Deployment): Promise<number> {
  if (mode === 'dry-run' || trades === undefined) return 0;
  return Math.ceil((await trades.completeFromMs()) / timeframeMs) * timeframeMs;
}

async function barsOf({ market }: LiveComparisonParts, deployment: Deployment): Promise<BarColumns> {
  const { timeframeMs, anchorMs, lastBarTimeMs } = deployment;
  const history = new BarHistory({ market: deployment.market, timeframeMs, source: market });
  // One more: the last one that is found may be forming, and is left out.
  await history.catchUp(anchorMs, lastBarTimeMs + 2 * timeframeMs);
  return history.columnsBefore(anchorMs, lastBarTimeMs + 1);
}

function barsBefore(bars: BarColumns, beforeMs: number): BarColumns {
  const count = bars.time.subarray(0, bars.count).findIndex((time) => time >= beforeMs);
  return { ...bars, count: count < 0 ? bars.count : count };
}

/** As the live run does it: the same history before, the same first bar that may order, each bar told by its end. */
async function backtest(
  { market, infoOf, runner, timeoutMs }: LiveComparisonParts,
  { deployment, source, libraries }: CurrentDeployment,
  bars: BarColumns,
): Promise<RunDone | Refused | Stopped> {
  const { userId, interval, inputs, createdAtMs, timeframeMs, anchorMs, lastBarTimeMs, initialCapital } = deployment;
  const tradeFromMs = createdAtMs - timeframeMs + 1;
  const request = {
    ...{
      source,
      libraries,
      inputs,
      symbol: chartSymbol(infoOf, deployment, bars.close[0]),
      timeframe: interval,
      bars,
      timeoutMs,
    },
    ...(initialCapital === null ? {} : { initialCapital }),
    ...{ liveSinceMs: createdAtMs, tradeFromMs, fillsSinceMs: tradeFromMs, wantsOnlyReport: true },
  };
  const stretch = { fromMs: anchorMs, toMs: lastBarTimeMs + timeframeMs };
  return new RequestedBars(market).runWith('comparison', stretch, (symbolBars) =>
    runner.runFor({ class: 'keyed', id: userId }, { ...request, symbolBars }),
  );
}

async function tradesOf(
  trades: StrategyTrades | undefined,
  deployment: Deployment,
  fromMs: number,
): Promise<LiveFacts['trades']> {
  const targets = deployment.targets.filter((target): target is TradeTarget => target.type === 'trade');
  const found: { target: TradeTarget; trades: Awaited<ReturnType<StrategyTrades['past']>> }[] = [];
  for (const target of targets) {
    const sinceMs = Math.max(deployment.createdAtMs, fromMs);
    const of = { strategy: strategyOf(target, deployment), market: deployment.market, sinceMs };
    found.push({ target, trades: deployment.mode === 'dry-run' ? [] : ((await trades?.past(of)) ?? []) });
  }
  return found;
}

/**
 * What belongs to the bars that are compared, trades included. A bar that is not over has no backtest yet: what a tick of it
 * made is left out.
 */
function inRange(facts: LiveFacts, fromMs: number): LiveFacts {
  const { lastBarTimeMs, timeframeMs } = facts.deployment;
  const isIn = ({ barTimeMs }: { readonly barTimeMs: number }): boolean =>
    barTimeMs >= fromMs && barTimeMs <= lastBarTimeMs;
  const told = new Map(facts.events.map((event) => [event.id, isIn(event)]));
  const counts = ({ idempotencyKey, receivedAtMs }: StrategyTrade): boolean => {
    const [, eventId = ''] = /^script\/([^/]+)\//.exec(idempotencyKey ?? '') ?? [];
    return told.get(eventId) ?? (receivedAtMs >= fromMs && receivedAtMs < lastBarTimeMs + timeframeMs);
  };
  return {
    ...facts,
    expected: facts.expected.filter(isIn),
    events: facts.events.filter(isIn),
    trades: facts.trades.map(({ target, trades }) => ({ target, trades: trades.filter(counts) })),
  };
}

const profitOf = ({ report }: RunDone): number => (report === null ? 0 : report.all.netProfit + report.all.openProfit);

function totalsOf(
  fills: readonly ComparedFill[],
  { trades }: LiveFacts,
  lastPrice: number,
  backtestProfit: number,
): ComparisonTotals {
  const verdicts: Partial<Record<Verdict, number>> = {};
  for (const { verdict } of fills) verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
  const delays = fills.flatMap(({ delayMs }) => delayMs ?? []);
  const venue = trades.flatMap(({ trades: ofKey }) => ofKey.flatMap((trade) => trade.fills));
  const signed = venue.map(({ side, quantity }) => (side === 'buy' ? quantity : -quantity));
  const paid = sum(venue.map(({ price }, place) => price * (signed[place] ?? 0)));
  const fees = sum(venue.map(({ fee }) => fee));
  return {
    verdicts,
    slippageMoney: sum(fills.flatMap(({ slippageMoney }) => slippageMoney ?? [])),
    fees,
    meanDelayMs: delays.length === 0 ? null : sum(delays) / delays.length,
    backtestProfit,
    liveProfit: sum(signed) * lastPrice - paid - fees,
  };
}

// The nouns of a comparison of a live deployment with the backtest of the same days, fill by fill.

import type { BarFill } from '../script-runner.ts';

/** A fill of the script as the backtest has it. */
export type ExpectedFill = BarFill;

/** What the gateway has of a strategy, as plain numbers: exact enough for a comparison. */
export interface StrategyTrade {
  readonly requestId: string;
  readonly receivedAtMs: number;
  /** Of a fill of a script it names the fill. */
  readonly idempotencyKey: string | null;
  readonly source: string;
  readonly account: string;
  readonly status: string;
  readonly action: string;
  readonly error: string | null;
  readonly fills: readonly VenueFill[];
}

export interface VenueFill {
  readonly atMs: number;
  readonly side: 'buy' | 'sell';
  readonly quantity: number;
  readonly price: number;
  readonly fee: number;
}

/** The gateway's trades of one strategy. */
export interface StrategyTrades {
  /** Oldest first, received from then on; the newest where there are very many. */
  past(of: {
    readonly strategy: string;
    readonly market?: string | undefined;
    readonly sinceMs: number;
  }): Promise<readonly StrategyTrade[]>;
  /** Since when all of them are there; 0 where none was archived. */
  completeFromMs(): Promise<number>;
}

/**
 * filled, partly, waiting: what the venue made of it. refused: a gate or the venue said no. not-sent: told, and nothing is
 * known of a trade. missing: the backtest has it and it was never told. different: it was told with another side or size.
 * extra: told or traded, and the backtest has no such fill. dry-run: nothing is sent. told: it has no target that trades.
 * silent: the script said disable_alert.
 */
export type Verdict =
  | ('filled' | 'partly' | 'waiting' | 'refused' | 'not-sent')
  | ('missing' | 'different' | 'extra' | 'dry-run' | 'told' | 'silent');

/** One fill of the script under one key that trades it. */
export interface ComparedFill {
  readonly verdict: Verdict;
  /** Why, in words; null where the verdict says all. */
  readonly reason: string | null;
  readonly barTimeMs: number;
  /** The id of the script's order, or where an extra one came from. */
  readonly orderId: string;
  /** Null of an extra one. */
  readonly expected: ScriptFill | null;
  /** As it was told live; null where it was not. */
  readonly told: (ScriptFill & { readonly atMs: number }) | null;
  readonly keyLabel: string | null;
  readonly trade: { readonly requestId: string; readonly status: string; readonly account: string } | null;
  /** What the venue filled of it, all fills together. */
  readonly live: LiveFilled | null;
  /** From when it was to happen until the first fill. */
  readonly delayMs: number | null;
  /** What the price was worse than expected, and that times the quantity; negative where it was better. */
  readonly slippage: number | null;
  readonly slippageMoney: number | null;
}

export interface ScriptFill {
  readonly side: 'buy' | 'sell';
  readonly quantity: number;
  readonly price: number;
}

export interface LiveFilled extends ScriptFill {
  /** Of the first. */
  readonly atMs: number;
  readonly fee: number;
}

export interface LiveComparison {
  readonly deploymentId: string;
  readonly name: string;
  readonly symbol: string;
  readonly interval: string;
  readonly mode: 'dry-run' | 'trade';
  /** Opening times of the first and the last bar that is compared. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly fills: readonly ComparedFill[];
  readonly totals: ComparisonTotals;
}

export interface ComparisonTotals {
  readonly verdicts: Readonly<Partial<Record<Verdict, number>>>;
  readonly slippageMoney: number;
  readonly fees: number;
  /** Mean of those that are known; null where none is. */
  readonly meanDelayMs: number | null;
  /** What both made, at the last close, open positions included and fees taken off. */
  readonly backtestProfit: number;
  readonly liveProfit: number;
}

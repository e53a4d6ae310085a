// The ports through which deployments reach the rest: bars, scripts, targets, timers and the log.

import type { LibrarySource, SymbolInfo } from '../../pine/index.ts';
import type { LibraryName } from '../../pine/light.ts';
import type { LiveRunner } from '../live-runner.ts';
import type { Script } from '../script.ts';
import type { RunRequest, ScriptRunner } from '../script-runner.ts';
import type { Deployment, DeploymentEvent, Target } from './deployment.ts';

export interface MarketBar {
  /** Start of the bar, ms since 1970 UTC. */
  readonly time: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

export interface MarketListener {
  onState(state: 'connecting' | 'live' | 'reconnecting', reason?: string): void;
  /** The forming bar as it changes, and each bar once it is final. After a loss bars may be missing or come again. */
  onBar(bar: MarketBar & { readonly closed: boolean }): void;
  /** At most once, and nothing follows it: no such market, or too many are followed already. */
  onRefused?(kind: string, message: string): void;
}

export interface MarketBars {
  /**
   * Bars whose start lies in [fromMs, toMs), oldest first; the last may still be forming. An error named FeedRefusal
   * says that there is no such market or timeframe, a RangeError that this is too much to ask for; any other, that it
   * cannot be reached just now.
   */
  bars(market: string, timeframeMs: number, fromMs: number, toMs: number): Promise<readonly MarketBar[]>;
  follow(market: string, timeframeMs: number, listener: MarketListener): { close(): void };
}

/** Bars, and where they come from. */
export interface BarSource extends MarketBars {
  /** `simulated`, an exchange, or the testnet of one. */
  readonly name: string;
  /** Whether they are those of a testnet or live account: then a bar that comes late opens nothing, whatever the reason. */
  readonly isOwn: boolean;
}

/**
 * What a script is told of a market that is only named: its tick, the step of its quantities, its currency. The exchange
 * counts where the name says none, and the price for a market of which nothing else is known.
 */
export type MarketInfo = (symbol: string, exchange?: string, price?: number) => SymbolInfo;

/** The library of a user's scripts, as far as it is needed here. */
export interface ScriptSource {
  read(userId: string, id: string): Promise<Script | undefined>;
  version(userId: string, id: string, revision: number): Promise<Script | undefined>;
}

/** The published libraries of a user, as far as they are needed here. */
export interface LibraryImports {
  sourcesOf(userId: string, imports: readonly LibraryName[]): Promise<readonly LibrarySource[]>;
}

/** It waits for its turn among all that its owner has run. */
export interface TrialRequest extends RunRequest {
  readonly userId: string;
  readonly alertsSinceMs: number;
}

/** Runs on trial, of which only alerts since a time are wanted, so that whatever else it leaves may be left out; and live. */
export interface DeploymentRunner extends LiveRunner {
  run(request: TrialRequest): ReturnType<ScriptRunner['run']>;
}

/** Sends one event to one target. */
export interface AlertSender {
  /** Why a target cannot be used, in words with the remedy; undefined for a good one. */
  faultOf(target: Target): string | undefined;
  /**
   * Resolves with a word on how it went. Rejects within seconds when it did not arrive; `retryable: false` on the error
   * says that sending it again will fail again, `retryAfterMs` when the target wants it again.
   */
  send(event: DeploymentEvent, target: Target, deployment: Deployment): Promise<string>;
}

export interface Timers {
  nowMs(): number;
  /** Calls once, later; the returned function takes it back. Does not keep the process alive. */
  after(delayMs: number, call: () => void): () => void;
}

export interface DeploymentLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What the gateway's books hold for a strategy. */
export interface StrategyBooks {
  /** By account, positive long; without a market, of all of them. Empty where it never had anything. */
  held(of: {
    readonly strategy: string;
    readonly market?: string | undefined;
  }): Promise<readonly { readonly account: string; readonly quantity: number }[]>;
}

/** What an exchange asks of an order. */
export interface OrderRules {
  readonly stepSize: number;
  readonly minQuantity: number;
  /** In the currency of the price. */
  readonly minNotional: number;
}

export interface MarketRules {
  /** Undefined where it is not known. */
  rulesOf(exchange: string, market: string, lastPrice: number): OrderRules | undefined;
}

/** An alert that came in under the webhook key, whatever the gates made of it. */
export interface AlertArrival {
  readonly requestId: string;
  readonly alertId: string;
  readonly receivedAtMs: number;
  /** `accepted`, or the code of the refusal. */
  readonly decision: string;
  /** Its plain name; empty where its symbol names none. */
  readonly market: string;
  readonly action: string;
  /** In base currency; null where it is in another unit, was refused, or is traded on accounts with multipliers. */
  readonly quantity: number | null;
  /** What the strategy held before; null where it is not told. */
  readonly before: { readonly position: 'long' | 'short' | 'flat'; readonly size: number | null } | null;
  readonly comment: string | null;
}

/** What came in at the gateway. */
export interface AlertArrivals {
  /** Alerts with a name under one key, oldest first, but for those of deployments; those that the gates refused among them. */
  arrived(of: {
    readonly keyId: string;
    readonly keyLabel: string;
    readonly sinceMs: number;
    readonly limit: number;
  }): Promise<readonly AlertArrival[]>;
}

export interface DeploymentAlarms {
  /** Told once, as long as its words stay the same. */
  raise(kind: string, text: string): void;
  over(kind: string): void;
}

/** Whether anybody may still use a library; where keys prove nothing there is nobody to ask. */
export interface Owners {
  isOwned(userId: string): Promise<boolean>;
}

// What the trading process and the script process ask of each other.

import type { Audit } from '../http/audit.ts';
import type { JsonObject } from '../http/openapi.ts';
import type { TradePort } from '../library/deployments/index.ts';
import type { StrategyTrades } from '../library/live-comparison/compared-fill.ts';
import type { EvaluateRequest, ScriptRunner } from '../library/script-runner.ts';
import type { SignalStore } from '../trading/books/signal-store.ts';
import type { ChatMessage, Notifier } from '../trading/notifications/notifier.ts';
import type { ScriptConfig } from './script-config.ts';
import type { DeploymentChange } from './told-deployments.ts';

/** What the script process needs to know, and what it cannot do itself. */
export type TradingCalls = {
  settings(): ScriptProcessSettings;
  /** It listens, and everything it does by itself has begun. */
  ready(about: ScriptProcessAbout): void;
  /** It cannot start, and ends. */
  failed(reason: string): void;
  raiseAlarm(kind: string, text: string): void;
  endAlarm(kind: string): void;
  audit(change: Parameters<Audit>[0]): void;
  /** The key that secrets of deployments are sealed with. */
  deploymentKey(): Promise<string>;
  /** The PostgreSQL of strangers under a role of its own, with a new password each time. */
  strangersUrl(): Promise<string>;
  sendChat(message: ChatMessage): ReturnType<Notifier['send']>;
  addSignal(record: Parameters<SignalStore['add']>[0]): Promise<void>;
  /** Whose webhook key that is. */
  webhookKey(apiKey: string): ReturnType<TradePort['identify']>;
  tradeAlert(alert: Parameters<TradePort['trade']>[0]): ReturnType<TradePort['trade']>;
  strategyHeld(of: Parameters<TradePort['held']>[0]): ReturnType<TradePort['held']>;
  keyAccounts(of: Parameters<TradePort['accountsOf']>[0]): ReturnType<TradePort['accountsOf']>;
  alertsArrived(of: Parameters<TradePort['arrived']>[0]): ReturnType<TradePort['arrived']>;
  strategyTrades(of: Parameters<StrategyTrades['past']>[0]): ReturnType<StrategyTrades['past']>;
  strategyTradesFrom(): ReturnType<StrategyTrades['completeFromMs']>;
  deploymentChanged(change: DeploymentChange): void;
  listSignals(filter: Parameters<SignalStore['list']>[0]): ReturnType<SignalStore['list']>;
};

export interface ScriptProcessSettings {
  /** As the trading process read them: `.env` may have changed since. */
  readonly config: ScriptConfig;
  readonly socketPath: string;
}

export interface ScriptProcessAbout {
  /** The parts that can be asked whether they work. */
  readonly probes: readonly string[];
}

export type ScriptCalls = {
  /** Answered as long as its event loop turns. */
  ping(): void;
  /** Throws what is wrong with this part; resolves with `off` where it is that. */
  probe(name: string): Promise<unknown>;
  /** The description of its endpoints: made when somebody asks, because it takes a third as long as the whole start. */
  openApi(): JsonObject | undefined;
  /** In the form in which the metrics of several processes are put together. */
  metrics(): Promise<object[]>;
  evaluate(request: Omit<EvaluateRequest, 'signal' | 'progress'>): ReturnType<ScriptRunner['evaluate']>;
  /** Takes no more requests, and says good-bye to sockets; resolves when the last is gone. */
  closeDoors(drainMs: number): Promise<void>;
  /** Finishes what was begun, closes everything, and ends. */
  stop(): void;
};

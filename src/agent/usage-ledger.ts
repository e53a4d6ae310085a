// The port of the usage ledger: one entry per call of a provider, and their sums over a window of time.

import type { FaultKind, ProviderName, TokenCount } from './model-provider.ts';

export interface UsageEntry extends TokenCount {
  readonly atMs: number;
  readonly requestId: string;
  readonly door: 'chat' | 'vision';
  readonly provider: ProviderName;
  readonly model: string;
  readonly outcome: 'ok' | FaultKind;
  /** In billionths of a dollar; null when no price is known for the model. */
  readonly costNanoUsd: number | null;
  /** The provider did not count, so we did: four characters to a token. */
  readonly estimated: boolean;
  readonly ms: number;
}

export interface UsageSums {
  readonly requests: number;
  readonly tokens: number;
  readonly costNanoUsd: number;
  /** Calls that failed; those we canceled ourselves are not among them. */
  readonly errors: number;
}

/** The calls of one model on one day. */
export interface UsageRow extends UsageSums {
  /** In UTC: `2026-01-31`. */
  readonly day: string;
  readonly provider: ProviderName;
  readonly model: string;
  /** Calls whose tokens we had to estimate. */
  readonly estimatedRequests: number;
  /** Some of them used tokens without a known price: the cost above leaves those out. */
  readonly isUnpriced: boolean;
}

export interface LastOutcome {
  readonly provider: ProviderName;
  readonly outcome: UsageEntry['outcome'];
  readonly atMs: number;
}

export interface UsageLedger {
  /** Durable when it resolves. */
  add(entry: UsageEntry): Promise<void>;
  /** In the order of days, then of providers and models. */
  usage(sinceMs: number): Promise<readonly UsageRow[]>;
  /** The newest outcome of each provider since then; calls we canceled say nothing and are left out. */
  lastOutcomes(sinceMs: number): Promise<readonly LastOutcome[]>;
}

/** It answered, though not to our liking: such a provider works. */
const ANSWERED: readonly UsageEntry['outcome'][] = ['ok', 'request', 'refused'];

/** Whether the outcome speaks against the provider; ask only of calls we did not cancel ourselves. */
export const isFailing = (outcome: UsageEntry['outcome']): boolean => !ANSWERED.includes(outcome);

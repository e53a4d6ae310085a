// Usage of an analysis key as answers show it: which period counts, what is left of it, and which answers are billed.

import { type AnalysisKey, callsSince } from './analysis-key-store.ts';
import { callsRemaining, isRateLimited, publishedLimit, type Tier } from './tiers.ts';

/** USAGE_RESET: calls start again with each calendar month, UTC, or never. */
export type UsageReset = 'monthly' | 'never';

export interface UsagePeriod {
  /** Unix seconds; 0 where usage never starts again. */
  readonly sinceS: number;
  /** Unix seconds; null where usage never starts again. */
  readonly resetAtS: number | null;
}

const MS_PER_S = 1000;

export function usagePeriod(nowMs: number, reset: UsageReset): UsagePeriod {
  if (reset === 'never') return { sinceS: 0, resetAtS: null };
  const now = new Date(nowMs);
  const monthStartS = (offset: number) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1) / MS_PER_S;
  return { sinceS: monthStartS(0), resetAtS: monthStartS(1) };
}

/** `usage` of GET /auth/usage, in the names of the contract; all times are unix seconds. */
export interface UsageBlock {
  readonly calls_used: number;
  readonly calls_limit: number | 'unlimited';
  readonly calls_remaining: number | 'unlimited';
  readonly created_at: number;
  readonly last_used: number | null;
  readonly reset_at: number | null;
}

/** `tier_info` of POST /auth/validate and of the previews. */
export interface TierInfo {
  readonly tier: Tier;
  readonly calls_used: number;
  readonly calls_limit: number | 'unlimited';
  readonly calls_remaining: number | 'unlimited';
  readonly reset_at: number | null;
}

export function usageBlock(key: AnalysisKey, period: UsagePeriod): UsageBlock {
  const { tier: _tier, reset_at, ...calls } = tierInfo(key, period);
  return { ...calls, created_at: key.createdAtS, last_used: key.lastUsedS, reset_at };
}

export function tierInfo(key: AnalysisKey, { sinceS, resetAtS }: UsagePeriod): TierInfo {
  const callsUsed = callsSince(key, sinceS);
  return {
    tier: key.tier,
    calls_used: callsUsed,
    calls_limit: publishedLimit(key.tier),
    calls_remaining: callsRemaining(key.tier, callsUsed),
    reset_at: resetAtS,
  };
}

export const isKeyRateLimited = (key: AnalysisKey, { sinceS }: UsagePeriod): boolean =>
  isRateLimited(key.tier, callsSince(key, sinceS));

/** What a handler returned: a body with a status beside it, or a bare response. */
export type HandlerAnswer = { readonly form: 'pair'; readonly status: number } | { readonly form: 'bare' };

export type CallOutcome = 'counted' | 'not-counted';

const FIRST_FAILED_STATUS = 400;

/** The specification's rule: a pair counts below 400, a bare response always. A handler that threw answered nothing. */
export function outcomeOf(answer: HandlerAnswer): CallOutcome {
  return answer.form === 'bare' || answer.status < FIRST_FAILED_STATUS ? 'counted' : 'not-counted';
}

// Which providers work, judged by their newest real outcome, and the one word for the whole agent.

import type { ProviderName } from './model-provider.ts';
import { isFailing, type LastOutcome, type UsageEntry } from './usage-ledger.ts';

/** A failure nobody has repeated for so long says nothing about now. */
export const RECENT_MS = 15 * 60_000;

export type AgentStatus = 'Healthy' | 'Degraded' | 'Unavailable';

export interface ProviderHealth {
  note(provider: ProviderName, outcome: UsageEntry['outcome']): void;
  last(provider: ProviderName): LastOutcome | undefined;
  status(chain: readonly ProviderName[]): AgentStatus;
}

export function createProviderHealth(nowMs: () => number, known: readonly LastOutcome[] = []): ProviderHealth {
  const newest = new Map(known.map((outcome) => [outcome.provider, outcome]));
  const last = (provider: ProviderName): LastOutcome | undefined => {
    const outcome = newest.get(provider);
    return outcome !== undefined && outcome.atMs > nowMs() - RECENT_MS ? outcome : undefined;
  };
  // Whoever was not asked lately is taken to work.
  const fails = (provider: ProviderName): boolean => isFailing(last(provider)?.outcome ?? 'ok');
  return {
    note(provider, outcome) {
      if (outcome !== 'canceled') newest.set(provider, { provider, outcome, atMs: nowMs() });
    },
    last,
    status(chain) {
      const [first] = chain;
      if (first === undefined || chain.every(fails)) return 'Unavailable';
      return fails(first) ? 'Degraded' : 'Healthy';
    },
  };
}

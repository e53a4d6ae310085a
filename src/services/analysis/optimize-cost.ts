// What a search costs a key, and how much of the machine one may have: by its tier, and paid for as it goes.

import type { AnalysisKeys } from '../../keys/analysis-keys.ts';
import type { Tier } from '../../keys/tiers.ts';
import { SerialQueue } from '../../timing/serial-queue.ts';

/**
 * So many backtests are one call of a key's quota, begun ones included. A search keeps figures where a backtest answers
 * with everything, and is far cheaper for it.
 */
export const BACKTESTS_PER_CALL = 20;

/** Of one search. The tier free has no quota of calls, so that this and its one thread are what holds it. */
const MAX_BACKTESTS: Readonly<Record<Tier, number>> = {
  free: 1_000,
  hobby: 5_000,
  pro: 20_000,
  team: 50_000,
  enterprise: 100_000,
};

export const maxBacktestsOf = (tier: Tier): number => MAX_BACKTESTS[tier];

/** One thread of the pool is never a search's, and who pays nothing has one of the others alone. */
export const threadsOf = (tier: Tier, threads: number): number => (tier === 'free' ? 1 : Math.max(1, threads - 1));

/** Counts further calls as backtests begin; the first call is the request that began the search. */
export function meterOf(keys: AnalysisKeys, rawKey: string): (count: number) => Promise<string | undefined> {
  const turns = new SerialQueue();
  let [begun, paid] = [0, BACKTESTS_PER_CALL];
  return (count) =>
    turns.run(async () => {
      begun += count;
      while (begun > paid) {
        const refused = await countOne(keys, rawKey);
        if (refused !== undefined) return refused;
        paid += BACKTESTS_PER_CALL;
      }
      return undefined;
    });
}

async function countOne(keys: AnalysisKeys, rawKey: string): Promise<string | undefined> {
  try {
    const call = await keys.admit(rawKey);
    if (!call.ok) return call.message;
    return (await call.done('counted')) ? undefined : 'this key has ended, or its calls are used up';
  } catch {
    return 'the calls of this key cannot be counted just now; try again in a moment';
  }
}

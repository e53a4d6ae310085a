// What a key of the analysis or of the script library has used, as facts.

import { plain } from '../../ui/numbers.ts';
import { dayAndTime } from '../../ui/times.ts';

/** Of either service; the analysis counts seconds, the script library milliseconds. */
export interface Usage {
  readonly tier: string;
  readonly usage: {
    readonly calls_used: number;
    readonly calls_limit?: number | 'unlimited';
    readonly calls_remaining?: number | 'unlimited';
    readonly last_used?: number | null;
    readonly last_used_at?: number | null;
    readonly reset_at?: number | null;
  };
}

/** Which service knows the key; undefined where none does. */
export function usagePathOf(key: string): '/auth/usage' | '/api/usage' | undefined {
  if (key.startsWith('pyn_')) return '/auth/usage';
  return key.startsWith('pn_') ? '/api/usage' : undefined;
}

export function usageFacts({ tier, usage }: Usage, nowMs: number): readonly (readonly [name: string, fact: string])[] {
  const { calls_used: used, calls_limit: limit, calls_remaining: left, last_used: lastS, last_used_at: lastMs } = usage;
  const lastAt = lastMs ?? (lastS == null ? undefined : lastS * 1000);
  return [
    ['Tier', tier],
    [
      'Calls',
      typeof limit === 'number' && limit > 0 ? `${plain(used)} of ${plain(limit)}` : `${plain(used)}, without a cap`,
    ],
    ...(typeof left === 'number' && typeof limit === 'number' && limit > 0 ? [['Left', plain(left)] as const] : []),
    ['Last used', lastAt === undefined ? 'never' : dayAndTime(lastAt, nowMs)],
    ...(usage.reset_at == null ? [] : [['Counts again from', dayAndTime(usage.reset_at * 1000, nowMs)] as const]),
  ];
}

// Figures of several accounts together. Money of different kinds is never added: whoever asks hands in accounts of one mode.

import type { Account } from './answers.ts';

type Figure = { [Key in keyof Account]: Account[Key] extends number | null ? Key : never }[keyof Account];

/** Undefined where one of them does not know its own, as while its venue is away: a part of it would be a wrong figure. */
export function sumOf(accounts: readonly Account[], figure: Figure): number | undefined {
  const figures = accounts.map((account) => account[figure] as number | null);
  return figures.every((each) => each !== null) ? figures.reduce((sum, each) => sum + each, 0) : undefined;
}

/** What this UTC day has brought: what was closed, less its fees, with funding. Of open positions it says nothing. */
export function todayOf(accounts: readonly Account[]): number | undefined {
  const [realized, fees, funding] = (['realizedToday', 'feesToday', 'fundingToday'] as const).map((figure) =>
    sumOf(accounts, figure),
  );
  return realized === undefined || fees === undefined || funding === undefined ? undefined : realized - fees + funding;
}

/** What today came from. The server's day is that of UTC. */
export const todayLink = (): string => `#/performance?day=${new Date().toISOString().slice(0, 10)}`;

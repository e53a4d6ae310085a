// Figures of several accounts together. Money of different kinds is never added: whoever asks hands in accounts of one mode.

import type { Account } from './answers.ts';

type Figure = { [Key in keyof Account]: Account[Key] extends number | null ? Key : never }[keyof Account];

export const sumOf = (accounts: readonly Account[], figure: Figure): number =>
  accounts.reduce((sum, account) => sum + Number(account[figure] ?? 0), 0);

// The accounts of this Signalbox in one list: what is open, with its money, and what waits, with the reason.

import type { KnownAccounts, ListedAccount, TestedAccount } from '../../server/setup-answers.ts';
import type { Tone } from '../../ui/chip.tsx';

type Known = KnownAccounts['accounts'][number];

export interface AccountRow extends Known {
  readonly id: string;
  readonly positionMode: ListedAccount['positionMode'] | undefined;
  readonly balance: number | null | undefined;
}

/** What is not traded has no balance here. */
export const accountRows = (known: KnownAccounts, listed: readonly ListedAccount[]): readonly AccountRow[] =>
  known.accounts.map((account) => {
    const open =
      account.off === ''
        ? listed.find((each) => nameOf(each) === nameOf(account) && each.mode === account.mode)
        : undefined;
    const id = `${nameOf(account)} ${account.mode} ${account.credentialsFrom}`;
    return { ...account, id, positionMode: open?.positionMode, balance: open?.balance };
  });

export const nameOf = ({ exchange, account }: { readonly exchange: string; readonly account: string }): string =>
  `${exchange}:${account}`;

export function stateOf({ off, isUnconfirmed }: AccountRow): readonly [words: string, tone: Tone] {
  if (off !== '') return ['not traded', 'plain'];
  return isUnconfirmed ? ['waits for your word', 'warn'] : ['trading', 'up'];
}

const SOURCES = { environment: 'from the environment', stored: 'sealed in the data folder', none: '' } as const;

export function keyWords({ mode, keyStart, credentialsFrom }: AccountRow): string {
  if (credentialsFrom === 'none') return mode === 'paper' ? 'needs none' : 'missing';
  return `${keyStart}… ${SOURCES[credentialsFrom]}`;
}

const RIGHTS = [
  ['canTrade', 'trade', 'not trade'],
  ['canWithdraw', 'WITHDRAW', 'not withdraw'],
  ['canTransfer', 'transfer', 'not transfer'],
  ['ipLocked', 'locked to an address', 'usable from any address'],
] as const;

/** What the venue does not tell is left out. */
export function rightsWords({ permissions }: TestedAccount): string {
  const told = RIGHTS.flatMap(([right, yes, no]) => {
    const value = permissions[right];
    return value === undefined ? [] : [value ? yes : no];
  });
  return told.join(', ') || 'the venue does not tell';
}

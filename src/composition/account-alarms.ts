// The kinds of alarms that stand for a whole account: a start tells them in its greeting, because whoever looks there must not take the
// account for one that is traded.

import type { AccountName } from '../trading/accounts.ts';

const PREFIX = 'account ';

export const accountAlarm = ({ exchange, account, mode }: AccountName): string =>
  `${PREFIX}${exchange}:${account} ${mode}`;

/** Its position mode is another one than it was opened with. */
export const accountModeAlarm = (account: AccountName): string => `${accountAlarm(account)} position mode`;

export const isAccountAlarm = (kind: string): boolean => kind.startsWith(PREFIX);

// What an API key may do at its venue, and whether an account may be opened with it: one that may withdraw is refused.

import { EXCHANGE_TITLES, type Exchange } from '../exchanges/exchange.ts';

/** As far as the venue tells it. */
export interface KeyPermissions {
  readonly canWithdraw: boolean | undefined;
  readonly canTrade: boolean | undefined;
  /** Whether the key works from named addresses only. */
  readonly ipLocked: boolean | undefined;
}

export interface PermissionVerdict {
  /** Why the account must not be opened, with the remedy; undefined where it may. */
  readonly refusal: string | undefined;
  /** What its owner should know all the same. */
  readonly advice: readonly string[];
}

/** Whoever steals a key that cannot withdraw can lose money with it, but cannot take it away. */
export function judgePermissions(
  { exchange, account }: { readonly exchange: Exchange; readonly account: string },
  { canWithdraw, canTrade, ipLocked }: KeyPermissions,
  { allowWithdrawalKeys }: { readonly allowWithdrawalKeys: boolean },
): PermissionVerdict {
  const title = EXCHANGE_TITLES[exchange];
  const name = `${exchange}:${account}`;
  const advice: string[] = [];
  if (canWithdraw === undefined)
    advice.push(
      `${title} does not tell whether the key of ${name} may withdraw; look at the list of your API keys there`,
    );
  if (canTrade === false)
    advice.push(
      `the key of ${name} may not trade, so ${title} will refuse every order; allow futures trading for it there`,
    );
  if (ipLocked === false)
    advice.push(
      `the key of ${name} works from any address; name the address of this machine in the list of your API keys at ${title}`,
    );
  if (canWithdraw !== true) return { refusal: undefined, advice };
  if (allowWithdrawalKeys)
    return {
      refusal: undefined,
      advice: [`the key of ${name} may withdraw (ALLOW_WITHDRAWAL_KEYS is yes)`, ...advice],
    };
  const refusal =
    `the key of ${name} may withdraw, so whoever steals it could empty the account; in the list of your API keys at ${title} ` +
    'take the right to withdraw (and to transfer) from it, or make a new key that may only read and trade futures. ' +
    'ALLOW_WITHDRAWAL_KEYS=yes opens it all the same';
  return { refusal, advice };
}

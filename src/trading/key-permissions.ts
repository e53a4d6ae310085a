// What an API key may do at its venue, and whether an account may be opened with it: one that may withdraw is refused, and one whose
// rights could not be read is shut until they are.

import { EXCHANGE_ROWS, type Exchange } from '../exchanges/exchange.ts';

/** As far as the venue tells it. */
export interface KeyPermissions {
  readonly canWithdraw: boolean | undefined;
  /** To other accounts of its owner, or of others. */
  readonly canTransfer: boolean | undefined;
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

type Account = { readonly exchange: Exchange; readonly account: string };
type Insisting = { readonly allowWithdrawalKeys: boolean };

/** Whoever steals a key that cannot withdraw can lose money with it, but cannot take it away. */
export const judgePermissions = (
  account: Account,
  permissions: KeyPermissions,
  insisting: Insisting,
): PermissionVerdict => ({
  refusal: refusalOf(account, permissions, insisting),
  advice: adviceOn(account, permissions, insisting),
});

function refusalOf(
  { exchange, account }: Account,
  { canWithdraw }: KeyPermissions,
  { allowWithdrawalKeys }: Insisting,
): string | undefined {
  if (canWithdraw === false || allowWithdrawalKeys) return undefined;
  const { title, tellsKeyRights } = EXCHANGE_ROWS[exchange];
  const key = `the key of ${exchange}:${account}`;
  const insist = 'ALLOW_WITHDRAWAL_KEYS=yes opens it all the same';
  if (canWithdraw)
    return (
      `${key} may withdraw, so whoever steals it could empty the account; in the list of your API keys at ${title} ` +
      `take the right to withdraw (and to transfer) from it, or make a new key that may only read and trade futures. ${insist}`
    );
  if (!tellsKeyRights) return undefined;
  return (
    `the rights of ${key} could not be read: ${title} answered without saying whether it may withdraw; look at the list of ` +
    `your API keys there. ${insist}`
  );
}

function adviceOn(
  { exchange, account }: Account,
  { canWithdraw, canTransfer, canTrade, ipLocked }: KeyPermissions,
  { allowWithdrawalKeys }: Insisting,
): readonly string[] {
  const { title, tellsKeyRights } = EXCHANGE_ROWS[exchange];
  const key = `the key of ${exchange}:${account}`;
  const list = `the list of your API keys at ${title}`;
  const isKnowinglyOpen = allowWithdrawalKeys || !tellsKeyRights;
  return [
    ...(canWithdraw && allowWithdrawalKeys ? [`${key} may withdraw (ALLOW_WITHDRAWAL_KEYS is yes)`] : []),
    ...(canWithdraw === undefined && isKnowinglyOpen
      ? [`${title} does not tell whether ${key} may withdraw; look at the list of your API keys there`]
      : []),
    ...(canTransfer ? [`${key} may transfer money out of the account; take that right from it in ${list}`] : []),
    ...(canTrade === false
      ? [`${key} may not trade, so ${title} will refuse every order; allow futures trading for it there`]
      : []),
    ...(ipLocked === false ? [`${key} works from any address; name the address of this machine in ${list}`] : []),
  ];
}

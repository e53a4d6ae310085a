// Live accounts whose owner has set no limit: nothing is refused for it, but a slip of the hand (one nought too many in an alert) could
// use all the money that is there, so a start and the doctor say it.

import { type AccountName, modeInWords } from '../trading/accounts.ts';
import type { Restriction, RestrictionStore, TradeLimits } from '../trading/intake/restrictions.ts';

export interface MissingLimits {
  readonly detail: string;
  readonly remedy: string;
}

/** Those of the account itself: rows of keys, strategies and symbols do not bind all of its entries. */
export function limitsOf(
  { exchange, account }: Pick<AccountName, 'exchange' | 'account'>,
  restrictions: Pick<RestrictionStore, 'list'>,
): TradeLimits {
  const isOfIt = ({ kind, name }: Restriction): boolean => kind === 'account' && name === `${exchange}:${account}`;
  return restrictions.list().find(isOfIt)?.limits ?? {};
}

/** Undefined where both are limited for the account itself. */
export function missingLimits(
  { exchange, account, mode }: AccountName,
  restrictions: Pick<RestrictionStore, 'list'>,
): MissingLimits | undefined {
  if (mode !== 'live') return undefined;
  const name = `${exchange}:${account}`;
  const { largestOrder, largestPosition, leverage } = limitsOf({ exchange, account }, restrictions);
  const missing = [
    ...(largestOrder === undefined && largestPosition === undefined
      ? [{ what: 'the size of its orders', flag: '--largest-order 500' }]
      : []),
    ...(leverage === undefined ? [{ what: 'leverage', flag: '--leverage 3' }] : []),
  ];
  if (missing.length === 0) return undefined;
  const flags = missing.map(({ flag }) => flag).join(' ');
  return {
    detail: `${name} (${modeInWords(mode)}) has no limit for ${missing.map(({ what }) => what).join(' and for ')}`,
    remedy: `say "signalbox limits set account:${name} ${flags}", with numbers of your own`,
  };
}

// What `signalbox doctor --live` says of an account's limit of leverage: an entry that names no leverage trades with the one that its
// market has at the exchange, and is refused where that is above the limit.

import { EXCHANGE_ROWS } from '../exchanges/exchange.ts';
import type { AccountName } from '../trading/accounts.ts';
import type { RestrictionStore } from '../trading/intake/restrictions.ts';
import type { Venue } from '../trading/venue.ts';
import { limitsOf } from './account-limits.ts';

export interface LeverageWords {
  readonly detail: string;
  /** Absent where no market that was asked for stands above the limit. */
  readonly remedy?: string;
}

type Asked = Pick<Venue, 'leverageOf' | 'allPositions'>;

/** Of the markets that are held, and of one that stands for those that were never touched. Undefined where there is no limit. */
export async function leverageWords(
  account: AccountName,
  venue: Asked,
  restrictions: Pick<RestrictionStore, 'list'>,
  sample: string,
): Promise<LeverageWords | undefined> {
  const { leverage: most } = limitsOf(account, restrictions);
  if (most === undefined) return undefined;
  const { title } = EXCHANGE_ROWS[account.exchange];
  const rule = `the limit of leverage is ${most}; an entry that names none trades with what its market has at ${title}, and is refused where that is more`;
  const above = [...(await leveragesAt(venue, sample))].filter(([, leverage]) => leverage > most);
  if (above.length === 0) return { detail: rule };
  const found = above.map(([market, leverage]) => `${market} has ${leverage}x`).join(', ');
  return {
    detail: `${rule}: ${found}`,
    remedy: `name a leverage in every alert ("leverage": ${most}), or set it at ${title} for each market that you trade`,
  };
}

/** By market, the highest of either side. */
async function leveragesAt(venue: Asked, sample: string): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  const note = (market: string, leverage = 0): void => {
    found.set(market, Math.max(leverage, found.get(market) ?? 0));
  };
  for (const side of ['LONG', 'SHORT'] as const) note(sample, await venue.leverageOf?.(sample, side));
  for (const { market, side, leverage } of (await venue.allPositions?.()) ?? [])
    note(market, leverage ?? (await venue.leverageOf?.(market, side)));
  return found;
}

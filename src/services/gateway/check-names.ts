// Whether what a filter names is there at all: a slip of the pen must not look as if there were nothing to show or to cancel.

import { z } from 'zod';
import type { Exchange } from '../../exchanges/exchange.ts';
import { Refusal } from '../../http/errors.ts';
import type { Accounts } from '../../trading/accounts.ts';
import { noSuchMarket } from '../../trading/intake/gates.ts';
import { errorSchema } from './schemas.ts';

export interface KnownNames {
  readonly accounts: Pick<Accounts, 'list'>;
  /** Whoever sends signals, by label; revoked keys too. */
  readonly keys: () => readonly { readonly label: string }[];
}

interface Named {
  readonly exchange?: Exchange | undefined;
  readonly account?: string | undefined;
  readonly market?: string | undefined;
  readonly keyLabel?: string | undefined;
}

export const UNKNOWN_NAME = {
  description: 'UNKNOWN_ACCOUNT, UNKNOWN_SYMBOL, UNKNOWN_KEY: nothing was found, and there is nothing of this name',
  schema: errorSchema.extend({ nearest: z.array(z.string()).optional() }),
};

/** Asked only where nothing was found: rows of accounts and markets that are gone since can still be named. */
export function checkNames({ exchange, account, market, keyLabel }: Named, { accounts, keys }: KnownNames): void {
  const venues = accounts.list().filter((venue) => exchange === undefined || venue.exchange === exchange);
  const names = [...new Set(venues.map((venue) => venue.account))];
  if (account !== undefined && !names.includes(account))
    throw new Refusal(
      'UNKNOWN_ACCOUNT',
      `account: there is no account ${JSON.stringify(account)}${exchange === undefined ? '' : ` at ${exchange}`}; there are ${names.join(', ')}`,
    );
  const missing = market === undefined ? [] : venues.map((venue) => venue.unlisted?.(market));
  const [nearest] = missing;
  if (market !== undefined && nearest !== undefined && !missing.includes(undefined))
    throw new Refusal('UNKNOWN_SYMBOL', noSuchMarket(exchange, market, nearest), { extra: { nearest } });
  if (keyLabel !== undefined && !keys().some(({ label }) => label === keyLabel))
    throw new Refusal(
      'UNKNOWN_KEY',
      `key: no webhook key is labelled ${JSON.stringify(keyLabel)}; list the keys to see them`,
    );
}

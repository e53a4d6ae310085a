// Whether the routes of a webhook key make sense: accounts that are there, each of them once.

import { Refusal } from '../../http/errors.ts';
import type { Route } from '../../keys/webhook-keys.ts';
import type { Accounts } from '../../trading/accounts.ts';

/** `exchanges` are those that the key may signal for. */
export function checkRoutes(
  routes: readonly Route[],
  exchanges: readonly string[],
  accounts: Pick<Accounts, 'list'>,
): void {
  checkKnown(routes, accounts);
  checkDoubles(routes, exchanges);
}

/** An account that is nowhere is a slip of the pen; one that only some exchanges have is told with the signal. */
function checkKnown(routes: readonly Route[], accounts: Pick<Accounts, 'list'>): void {
  const names = accounts.list().flatMap(({ exchange, account }) => [account, `${exchange}:${account}`]);
  const unknown = routes.find(({ account }) => !names.includes(account));
  if (unknown === undefined) return;
  const known = [...new Set(names)].sort().join(', ');
  throw new Refusal(
    'INVALID_KEY_REQUEST',
    `routes: there is no account ${JSON.stringify(unknown.account)}; there are ${known}`,
  );
}

/**
 * `main` is the main account of the signal's exchange. Where the routes name it in full for every exchange that the key
 * may signal for, `main` is never anything but a second name of one of them.
 */
function checkDoubles(routes: readonly Route[], exchanges: readonly string[]): void {
  const names = routes.map(({ account }) => account);
  const double = names.find(
    (name) => !name.includes(':') && exchanges.every((exchange) => names.includes(`${exchange}:${name}`)),
  );
  if (double === undefined) return;
  const inFull = exchanges.map((exchange) => `${exchange}:${double}`).join(', ');
  throw new Refusal(
    'INVALID_KEY_REQUEST',
    `routes: ${double} and ${inFull} are the same account for every signal of this key; leave one of them out`,
  );
}

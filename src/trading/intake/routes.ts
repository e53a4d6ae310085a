// Where a signal is traded: on the account it names, or on those that its key routes to, each with its own size.

import type { Exchange } from '../../exchanges/exchange.ts';
import { type Accounts, MAIN_ACCOUNT } from '../accounts.ts';
import { decimal, times } from '../decimal.ts';
import { previousTimes, type SignalOrder } from '../signal.ts';
import type { Venue } from '../venue.ts';
import { missingAccount, type Refusal, type Sender } from './gates.ts';

export interface Target {
  readonly venue: Venue;
  /** The order as it is traded there. */
  readonly order: SignalOrder;
}

/** The accounts in the order of the routes, or why the signal goes nowhere: one that is missing stops all of them. */
export function targetsOf(
  sender: Sender,
  order: SignalOrder,
  accounts: Pick<Accounts, 'find' | 'namesAt' | 'whyOff'>,
): readonly Target[] | Refusal {
  const targets: Target[] = [];
  for (const { exchange, account, multiplier } of placesOf(sender, order)) {
    const venue = accounts.find(exchange, account);
    if (venue === undefined) return missingAccount(exchange, account, accounts);
    targets.push({ venue, order: multiplier === 1 ? order : multiplied(order, multiplier) });
  }
  return targets.map(({ venue, order: sized }) =>
    venue.exchange === order.exchange
      ? { venue, order: sized }
      : { venue, order: { ...sized, exchange: venue.exchange } },
  );
}

export interface Place {
  readonly exchange: Exchange;
  readonly account: string;
  readonly multiplier: number;
}

/**
 * A signal that names its account means that one alone. A route without an exchange means the signal's own, and is left
 * out where another route names that very account in full: the fuller name counts, and no account trades a signal twice.
 */
export function placesOf(
  { routes }: Pick<Sender, 'routes'>,
  { exchange, account }: Pick<SignalOrder, 'exchange' | 'account'>,
): readonly Place[] {
  if (routes === undefined || account !== undefined)
    return [{ exchange, account: account ?? MAIN_ACCOUNT, multiplier: 1 }];
  const isNamedInFull = (name: string) => routes.some((route) => route.account === `${exchange}:${name}`);
  return routes.flatMap((route) => {
    const [first = '', second] = route.account.split(':');
    if (second !== undefined) return { exchange: first as Exchange, account: second, multiplier: route.multiplier };
    return isNamedInFull(first) ? [] : { exchange, account: first, multiplier: route.multiplier };
  });
}

/** A percentage of what an account holds is the same for all of them; what the strategy held counts as its orders do. */
function multiplied(order: SignalOrder, multiplier: number): SignalOrder {
  if (order.quantityType === 'percent_position') return order;
  const by = decimal(multiplier);
  return { ...order, quantity: times(order.quantity, by), ...previousTimes(order, by) };
}

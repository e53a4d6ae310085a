// Where the orders of a deployment go, and which money that is: the accounts of its webhook key at its exchange.

import type { Account } from '../../server/answers.ts';
import type { Deployment } from '../../server/deployments.ts';
import type { WebhookKey } from '../../server/setup-answers.ts';

export interface TradingPlace {
  readonly exchange: string;
  readonly account: string;
  /** Of every size; 1 where the key says nothing. */
  readonly multiplier: number;
  /** Undefined where there is no such account here. */
  readonly mode: Account['mode'] | undefined;
  readonly equity: number | null | undefined;
}

const DEFAULT_ACCOUNT = 'main';

/** Of an order that names no account. */
export function placesOf(
  exchange: string,
  routes: WebhookKey['routes'] | undefined,
  accounts: readonly Pick<Account, 'exchange' | 'account' | 'mode' | 'equity'>[],
): readonly TradingPlace[] {
  return (routes ?? [{ account: DEFAULT_ACCOUNT, multiplier: 1 }]).map(({ account, multiplier }) => {
    const found = accounts.find((each) => each.exchange === exchange && each.account === account);
    return { exchange, account, multiplier, mode: found?.mode, equity: found?.equity };
  });
}

/** The one of the target, else the one before the market, as in BYBIT:BTCUSDT; undefined where each alert names its own. */
export function exchangeOf(target: Deployment['targets'][number], symbol: string): string | undefined {
  if (typeof target.exchange === 'string') return target.exchange;
  const [venue, rest] = symbol.split(':');
  return rest === undefined ? undefined : venue?.toLowerCase();
}

// Which money a deployment trades, or would trade once it is let: that of every account its orders go to.

import type { Account } from '../../server/answers.ts';
import type { Deployment } from '../../server/deployments.ts';
import type { WebhookKey } from '../../server/setup-answers.ts';
import { exchangeOf, placesOf } from './trading-places.ts';
import { isSending } from './trading-plan.ts';

/** `unknown`: its key is not listed or has ended, an alert names its own exchange, or there is no such account. */
export type TradedMoney = Account['mode'] | 'unknown';

/** Each kind once; none where nothing is sent to an account. */
export function tradedMoney(
  { targets, symbol }: Pick<Deployment, 'targets' | 'symbol'>,
  keys: readonly Pick<WebhookKey, 'keyId' | 'routes' | 'revokedAt'>[],
  accounts: Parameters<typeof placesOf>[2],
): readonly TradedMoney[] {
  const modes = targets.filter(isSending).flatMap((target): readonly TradedMoney[] => {
    const key = keys.find(({ keyId }) => keyId === target.keyId);
    const exchange = exchangeOf(target, symbol);
    if (key?.revokedAt !== null || exchange === undefined) return ['unknown'];
    return placesOf(exchange, key.routes, accounts).map(({ mode }) => mode ?? 'unknown');
  });
  return [...new Set(modes)];
}

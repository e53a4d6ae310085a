// Whether another deployment trades on the book that a new one wants: two strategies on one book close each other's positions.

import type { Deployment, DeploymentPlan } from './deployment.ts';
import { exchangeOf, type TradeTarget } from './order-signal.ts';

type Trading = Pick<DeploymentPlan, 'symbol' | 'market' | 'targets'>;

/** In words; undefined where its books are its own. A book of its own name is given to nobody else. */
export function sharedBookWarning(wanted: Trading, all: readonly Deployment[]): string | undefined {
  for (const book of namedBooks(wanted)) {
    const other = all.find((deployment) => namedBooks(deployment).includes(book));
    if (other !== undefined)
      return `The deployment "${other.name}" (${other.id}) trades on the same book, so each of the two closes what the other holds; give them different strategies, or none, which makes a book for each.`;
  }
  return undefined;
}

/** Only where a strategy is named: else each deployment has a book of its own. */
const namedBooks = (plan: Trading): readonly string[] =>
  plan.targets
    .filter((target): target is TradeTarget => target.type === 'trade')
    .filter(({ strategy }) => strategy !== undefined)
    .map((target) => [target.keyId, exchangeOf(target, plan), plan.market, target.strategy].join(' '));

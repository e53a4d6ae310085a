// MEXC's contract account: what there is of the one currency it has.

import { plus, toNumber, ZERO } from '../../../../src/trading/decimal.ts';
import type { MatchingMarket } from '../matching-market.ts';

/** What new orders may bind is told apart from what orders and positions bind already. */
export function assetRow(market: MatchingMarket): object {
  const { account } = market;
  const unrealized = account.totalUnrealizedPnl();
  const margin = account.heldPositions().reduce((sum, position) => plus(sum, account.initialMargin(position)), ZERO);
  const frozen = market.openOrders().reduce((sum, order) => plus(sum, market.orderMargin(order)), ZERO);
  const available = toNumber(market.available());
  return {
    currency: 'USDT',
    positionMargin: toNumber(margin),
    availableBalance: available,
    availableOpen: available,
    availableCash: available,
    cashBalance: toNumber(account.wallet),
    frozenBalance: toNumber(frozen),
    equity: toNumber(plus(account.wallet, unrealized)),
    unrealized: toNumber(unrealized),
    bonus: 0,
  };
}

// What happens at the market, as MEXC pushes it to the owner of the account.

import type { EmulatedAccount } from '../emulated-venue.ts';
import { assetRow } from './account.ts';
import type { Contracts } from './contracts.ts';
import type { OrderRows } from './order-row.ts';
import { PLAN, type PlanOrders } from './plan-orders.ts';
import type { Positions } from './positions.ts';
import type { PrivateStreams, Topic } from './private-stream.ts';
import type { StopOrders } from './stop-orders.ts';

export function publish(
  { market, credentials }: EmulatedAccount,
  streams: PrivateStreams,
  lists: {
    readonly contracts: Contracts;
    readonly rows: OrderRows;
    readonly positions: Positions;
    readonly plans: PlanOrders;
    readonly stops: StopOrders;
  },
): void {
  const push = (topic: Topic, name: string, data: object): void => streams.push(credentials.apiKey, topic, name, data);
  market.listen((event) => {
    if (event.type === 'order') {
      const name = lists.contracts.nameOf(event.order.symbol);
      if (event.trade !== undefined) push('order.deal', name, lists.rows.deal(event.order, event.trade));
      push('order', name, lists.rows.order(event.order));
    } else if (event.type === 'stop') {
      const name = lists.contracts.nameOf(event.stop.symbol);
      const row = event.stop.venueType === PLAN ? lists.plans.row(event.stop) : lists.stops.rowOf(event.stop);
      if (row !== undefined) push(event.stop.venueType === PLAN ? 'plan.order' : 'stop.planorder', name, row);
    } else if (event.type !== 'price') {
      const isTrade = event.type === 'account' && event.reason === 'ORDER';
      const lives = isTrade ? lists.positions.touched(event.symbol) : lists.positions.heldOf(event.symbol);
      for (const life of lives) push('position', lists.contracts.nameOf(life.symbol), lists.positions.row(life));
      push('asset', '', assetRow(market));
    }
  });
}

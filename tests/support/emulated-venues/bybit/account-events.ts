// What happens at the market, as Bybit pushes it to the owner of the account: fills before the orders they belong to, then
// positions and the wallet.

import type { EmulatedAccount } from '../emulated-venue.ts';
import type { Account } from './account.ts';
import { executionRow, listed } from './listed-order.ts';
import type { OrderQueries } from './order-queries.ts';
import type { Positions } from './positions.ts';
import type { PrivateStreams } from './private-stream.ts';

export function publish(
  { market, credentials }: EmulatedAccount,
  streams: PrivateStreams,
  lists: { readonly queries: OrderQueries; readonly positions: Positions; readonly account: Account },
): void {
  const linear = (row: object): object => ({ category: 'linear', ...row });
  const push = (name: 'order' | 'execution' | 'position' | 'wallet', data: readonly object[]): void =>
    streams.push(credentials.apiKey, name, data);
  market.listen((event) => {
    if (event.type === 'order') {
      const order = listed(market, event.order);
      if (event.trade !== undefined) push('execution', [linear(executionRow(order, event.trade))]);
      push('order', [linear(lists.queries.row(order))]);
    } else if (event.type === 'stop') {
      // Once it has an order, that one is told of.
      if (event.stop.order === undefined) push('order', [linear(lists.queries.row({ stop: event.stop }))]);
    } else if (event.type !== 'price') {
      if (event.symbol !== '') push('position', lists.positions.rowsOf(event.symbol).map(linear));
      if (event.type === 'account') push('wallet', [lists.account.balance()]);
    }
  });
}

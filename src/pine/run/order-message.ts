// What the {{strategy.*}} placeholders of a message say of a fill, by name.
//
//   {{strategy.order.action}} {{strategy.order.contracts}} {{strategy.order.price}} {{strategy.order.id}}
//   {{strategy.order.comment}} {{strategy.order.alert_message}}                                      of the order
//   {{strategy.position_size}} {{strategy.market_position}} {{strategy.market_position_size}}         after the fill
//   {{strategy.prev_market_position}} {{strategy.prev_market_position_size}}                          before it

import type { OrderFill } from '../broker/index.ts';
import { toText } from '../values/strings/to-text.ts';

export type OrderFields = Readonly<Record<string, string>>;

/** What a fill says where neither its call nor anybody else has words for it. */
export const DEFAULT_ORDER_MESSAGE =
  'Order {{strategy.order.action}} @ {{strategy.order.contracts}} filled on {{ticker}}. New strategy position is {{strategy.position_size}}';

const FIELDS: Readonly<Record<string, (fill: OrderFill, mintick: number) => string>> = {
  'strategy.order.action': ({ direction }) => (direction > 0 ? 'buy' : 'sell'),
  'strategy.order.contracts': ({ quantity }, mintick) => toText(quantity, null, mintick),
  'strategy.order.price': ({ price }, mintick) => toText(price, null, mintick),
  'strategy.order.id': ({ id }) => id,
  // The comment that TradingView shows where the call has none is the id.
  'strategy.order.comment': ({ id, comment }) => comment || id,
  'strategy.order.alert_message': ({ alertMessage }) => alertMessage,
  'strategy.position_size': ({ after }, mintick) => toText(after, null, mintick),
  'strategy.market_position': ({ after }) => sideOf(after),
  'strategy.market_position_size': ({ after }, mintick) => toText(Math.abs(after), null, mintick),
  'strategy.prev_market_position': ({ before }) => sideOf(before),
  'strategy.prev_market_position_size': ({ before }, mintick) => toText(Math.abs(before), null, mintick),
};

export const ORDER_FIELDS: ReadonlySet<string> = new Set(Object.keys(FIELDS));

export const orderFields = (fill: OrderFill, mintick: number): OrderFields =>
  Object.fromEntries(Object.entries(FIELDS).map(([name, read]) => [name, read(fill, mintick)]));

function sideOf(size: number): string {
  if (size === 0) return 'flat';
  return size > 0 ? 'long' : 'short';
}

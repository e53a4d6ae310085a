// Whether its venue lets the position that an entry would make have its leverage. Asked before anything is sent: a reversal would close
// what it turns around, and then be refused.

import { ACTION_MEANING } from '../action.ts';
import { plus, ZERO } from '../decimal.ts';
import { sizeFor, tierFault } from '../leverage-tiers.ts';
import type { SignalOrder } from '../signal.ts';
import { type Venue, VenueError } from '../venue.ts';
import type { OrderPlan, VenueFacts } from './plan-orders.ts';

type Planned = Pick<Exclude<OrderPlan, { readonly refusal: string }>, 'orders' | 'leverage'>;
type Asked = Pick<Venue, 'leverageTiers' | 'leverageOf'>;

/** Undefined where it may be sent. `facts`: what is held before the orders. */
export async function leverageFault(
  { action, market: name, price: limit }: SignalOrder,
  venue: Asked,
  { orders, leverage: asked }: Planned,
  { market, positions }: Pick<VenueFacts, 'market' | 'positions'>,
): Promise<string | undefined> {
  const { positionSide } = ACTION_MEANING[action];
  const opened = orders
    .filter((order) => !order.reduceOnly && order.positionSide === positionSide)
    .reduce((sum, { quantity }) => plus(sum, quantity), ZERO);
  const price = limit ?? market.lastPrice;
  const tiers = opened === ZERO || price === undefined ? undefined : await venue.leverageTiers?.(name);
  if (tiers === undefined || price === undefined) return undefined;
  const held = positions.find(({ side }) => side === positionSide)?.quantity ?? ZERO;
  const size = sizeFor(tiers, plus(held, opened), price);
  const [smallest] = tiers.tiers;
  // Whatever leverage its market has set, a position as small as this may have it: the venue need not be asked for it.
  if (asked === undefined && smallest !== undefined && size <= smallest.upTo) return undefined;
  const leverage = asked ?? (await setLeverage(venue, name, positionSide));
  const fault = leverage === undefined ? undefined : tierFault(tiers, { market: name, leverage, size });
  return fault && `${fault}; nothing was sent`;
}

/** Where it cannot be asked for now, the venue itself judges. */
const setLeverage = (venue: Asked, market: string, side: 'LONG' | 'SHORT'): Promise<number | undefined> =>
  Promise.resolve(venue.leverageOf?.(market, side)).catch((error: unknown) => {
    if (error instanceof VenueError) return undefined;
    throw error;
  });

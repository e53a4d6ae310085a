// What each of the four actions means at a venue.

import type { Action } from './signal.ts';
import type { OrderSide, PositionSide } from './venue.ts';

export interface ActionMeaning {
  readonly side: OrderSide;
  readonly positionSide: PositionSide;
  /**
   * It only ever gives up what its strategy holds. At the venue that is a reduce-only order, unless other strategies of a
   * netted account hold the other side (see plan-orders.ts).
   */
  readonly closes: boolean;
}

export const ACTION_MEANING: Readonly<Record<Action, ActionMeaning>> = {
  LONG: { side: 'BUY', positionSide: 'LONG', closes: false },
  SHORT: { side: 'SELL', positionSide: 'SHORT', closes: false },
  CLOSE_LONG: { side: 'SELL', positionSide: 'LONG', closes: true },
  CLOSE_SHORT: { side: 'BUY', positionSide: 'SHORT', closes: true },
};

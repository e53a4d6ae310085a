// The owner's closes in a replay: of a position that is of another size there, the same part is closed as in the past.

import { ACTION_MEANING } from '../action.ts';
import { applyFill, emptyPosition, type PositionName, positionKey } from '../books/position.ts';
import { type Decimal, product, quotient, ZERO } from '../decimal.ts';
import type { PositionClose } from '../execution/close-positions.ts';
import type { RecordedPast, RecordedTrade } from './recorded-past.ts';
import { turnAtMs } from './timeline.ts';

/** `heldNow`: how much the replay holds of a position. */
export function closeAgain(
  close: RecordedTrade,
  past: Pick<RecordedPast, 'trades'>,
  heldNow: (position: PositionName) => Decimal,
): PositionClose {
  const { mode, account, order } = close.trade;
  const { exchange, market, action, quantity, strategy } = order;
  const position = { exchange, mode, account, market, side: ACTION_MEANING[action].positionSide };
  const closesAll = order.closesAll === true;
  const then = heldBefore(past, position, close);
  const now = heldNow(position);
  // Where as much is held as then, nothing is divided: the quantity of the past is exact.
  const isSame = closesAll || then === ZERO || now === then;
  return {
    position,
    quantity: isSame ? quantity : quotient(product(quantity, now), then),
    closesAll,
    ...(strategy !== undefined && { strategy }),
  };
}

/** What the fills of the past came to when its turn had come. */
function heldBefore({ trades }: Pick<RecordedPast, 'trades'>, name: PositionName, close: RecordedTrade): Decimal {
  const atMs = turnAtMs(close);
  const isBefore = (each: RecordedTrade): boolean =>
    turnAtMs(each) < atMs || (turnAtMs(each) === atMs && each.trade.seq < close.trade.seq);
  const key = positionKey(name);
  const fills = trades.filter(isBefore).flatMap(({ trade: { mode, account, order }, orders }) =>
    orders.flatMap(({ side, positionSide, fills: own }) => {
      const { exchange, market } = order;
      if (positionKey({ exchange, mode, account, market, side: positionSide }) !== key) return [];
      return own.filter((fill) => fill.atMs <= atMs).map((fill) => ({ side, fill }));
    }),
  );
  return fills
    .sort((a, b) => a.fill.atMs - b.fill.atMs)
    .reduce((position, { side, fill }) => applyFill(position, side, fill).position, emptyPosition(name)).quantity;
}

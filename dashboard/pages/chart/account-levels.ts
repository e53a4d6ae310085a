// Prices that matter to what the account holds: entries, stops and targets, as lines on the chart.

import type { DraggableLevel } from '../../chart/level-drag.ts';
import type { Position } from '../../server/answers.ts';
import { decimalsOf, plain } from '../../ui/numbers.ts';
import { sharesOf } from '../protection/shares.ts';
import { venueOf } from '../trades/trade-words.ts';

export interface AccountLevel extends DraggableLevel {
  readonly position: Position;
  /** What it guards: the share of its strategy, which on a netted account may stand on the other side. */
  readonly guarded: Guarded;
  /** Whose share it guards; null for that of signals without a strategy. */
  readonly strategy: string | null;
  /** What PUT /positions/{key}/protection calls it; undefined for what cannot be moved. */
  readonly field: 'stopLoss' | 'takeProfit' | undefined;
  readonly words: string;
}

export type Guarded = Pick<Position, 'key' | 'side' | 'quantity' | 'entryPrice'>;

/** Every entry says where it is held and with which money, and so do stops and targets where that is not one and the same. */
export function levelsOf(positions: readonly Position[]): readonly AccountLevel[] {
  const isOnePlace = new Set(positions.map(placeWords)).size <= 1;
  return positions.flatMap((position) =>
    levelsOfOne(position).map((level) =>
      isOnePlace && level.kind !== 'entry' ? level : { ...level, title: `${level.title} · ${placeWords(position)}` },
    ),
  );
}

/** `binance:scalp LIVE`. */
const placeWords = (position: Position): string => `${venueOf(position)} ${position.mode.toUpperCase()}`;

function levelsOfOne(position: Position): readonly AccountLevel[] {
  const { key, side, quantity, entryPrice, protections } = position;
  const entry: AccountLevel = {
    ...{ id: `${key} entry`, kind: 'entry', price: entryPrice, title: `${side} ${plain(quantity)}`, words: 'entry' },
    ...{ position, guarded: position, strategy: null, field: undefined, canMove: false },
  };
  const shares = sharesOf(position);
  const guards = protections.flatMap((guard): readonly AccountLevel[] => {
    const { strategy, stopLoss, takeProfit, trail, targets, status } = guard;
    // What an entry brings along has a line of its own beside that of what is held. It is told and not moved: a change of its share
    // would move the stop of what is held.
    const isWaiting = status === 'waiting for the fill';
    const of = `${isWaiting ? ' (after the fill)' : ''}${strategy === null ? '' : ` · ${strategy}`}`;
    const whose = `${guard.key} ${strategy ?? ''}${isWaiting ? ` ${guard.requestId}` : ''}`;
    // What is being closed is no longer the owner's to move.
    const canMove = status !== 'closing' && !isWaiting;
    const share = shares.find((each) => each.strategy === strategy && each.side === guard.side);
    const base = { position, guarded: share ?? position, strategy };
    const level = (
      name: string,
      kind: 'stop' | 'target',
      price: number,
      field?: AccountLevel['field'],
    ): AccountLevel => ({
      ...{
        ...base,
        id: `${whose} ${name}`,
        kind,
        price,
        title: `${name}${of}`,
        words: `${name}${of}`,
      },
      ...{ field, canMove: canMove && field !== undefined },
    });
    return [
      ...(stopLoss?.price == null ? [] : [level('stop', 'stop', stopLoss.price, 'stopLoss')]),
      ...(takeProfit?.price == null ? [] : [level('target', 'target', takeProfit.price, 'takeProfit')]),
      ...(trail?.stopPrice == null ? [] : [level('trailing stop', 'stop', trail.stopPrice)]),
      ...targets.flatMap(({ price, isHit }, i) =>
        price === null || isHit ? [] : [level(`target ${i + 1}`, 'target', price)],
      ),
    ];
  });
  return [entry, ...guards];
}

/** To a multiple of the market's tick, without the dust of the product. */
export function roundedTo(price: number, tickSize: number | undefined): number {
  if (tickSize === undefined || !(tickSize > 0)) return Number(price.toPrecision(8));
  return Number((Math.round(price / tickSize) * tickSize).toFixed(decimalsOf(tickSize)));
}

/** What it would earn at a price, in USDT and before fees. */
export const profitAt = ({ side, quantity, entryPrice }: Guarded, price: number): number =>
  (side === 'LONG' ? price - entryPrice : entryPrice - price) * quantity;

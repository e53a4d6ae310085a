// The position that the told fills of a deployment add up to, and how much of it a fill that comes late may still close.
//
// | a fill of the script            | told in time, the told position becomes | told late, it becomes                        |
// |---------------------------------|-----------------------------------------|----------------------------------------------|
// | opens, or reverses              | what the script holds after it          | flat where it was on the other side          |
// | adds                            | larger by as much                       | what it was                                  |
// | reduces                         | smaller by as much                      | no larger than what the script holds after it |
// | closes everything               | flat                                    | flat                                         |
//
// A late entry is worse than none, and a late exit is better than none. So a late fill only ever brings the told position
// down to what the script still holds on the same side: then nothing is held that the script has left, and nothing is
// closed that it holds. A fill that the script silences with disable_alert is its owner's to trade: it counts as a late one
// that somebody has traded.

import type { LiveDone } from '../live-runner.ts';
import { type Deployment, type EventOrder, opinionTargetOf } from './deployment.ts';
import { decimalText } from './order-signal.ts';

export type Fill = LiveDone['fills'][number];
const UNSEEN_EXIT = 'left meanwhile';

type Move = Pick<EventOrder, 'before' | 'after'>;

/** Null where late fills close nothing: an indicator has none, and beside a second opinion TradingView trades itself. */
export function toldPositionOf({ scriptType, targets, toldPosition, position }: Deployment): number | null {
  if (scriptType !== 'strategy' || opinionTargetOf(targets) !== undefined) return null;
  // Of a deployment that was made before this was kept, everything it holds was told, as far as anybody knows.
  return toldPosition ?? position ?? 0;
}

/** Whether anything is held after it that was not held before. */
export const opens = ({ before, after }: Move): boolean =>
  after !== 0 && (Math.sign(after) !== Math.sign(before) || Math.abs(after) > Math.abs(before));

/** What is left of an order that comes too late to open anything; undefined where it closes nothing. */
export function closingPart(order: EventOrder): EventOrder | undefined {
  if (!opens(order)) return order;
  const { before, after } = order;
  if (before === 0 || Math.sign(before) === Math.sign(after)) return undefined;
  return { ...order, contracts: Math.abs(before), after: 0, stopLoss: null, takeProfit: null };
}

export function toldInTime(told: number, { before, after }: Move): number {
  if (after === 0 || Math.sign(after) !== Math.sign(before)) return after;
  if (Math.abs(after) >= Math.abs(before)) return told + after - before;
  const left = Math.abs(told) - (Math.abs(before) - Math.abs(after));
  // Where entries were missed, an exit may be larger than what was told.
  return Math.sign(after) * Math.max(0, left);
}

export function toldLate(told: number, { after }: Pick<Move, 'after'>): number {
  if (told === 0 || Math.sign(after) !== Math.sign(told)) return 0;
  return Math.sign(told) * Math.min(Math.abs(told), Math.abs(after));
}

/** Closes what was told beyond what the script holds, where the fill that left it was never seen; undefined where nothing is. */
export function leftOver(told: number, position: number, price: number): EventOrder | undefined {
  const left = toldLate(told, { after: position });
  const contracts = Number(decimalText(Math.abs(told - left)));
  if (contracts === 0) return undefined;
  const action = told > 0 ? 'sell' : 'buy';
  return { id: UNSEEN_EXIT, action, contracts, price, before: told, after: left, stopLoss: null, takeProfit: null };
}

/** The part of a late fill that closes what was told; undefined where there is none. */
export function lateExitOf({ id, direction, price, after }: Fill, told: number | null): EventOrder | undefined {
  // An entry on the side that is held, or on either side while nothing is, closes nothing.
  if (told === null || told === 0 || Math.sign(told) === Math.sign(direction)) return undefined;
  const left = toldLate(told, { after });
  // Differences below what a signal can say come of binary fractions.
  const contracts = Number(decimalText(Math.abs(told - left)));
  if (contracts === 0) return undefined;
  const action = direction > 0 ? 'buy' : 'sell';
  return { id, action, contracts, price, before: told, after: left, stopLoss: null, takeProfit: null };
}

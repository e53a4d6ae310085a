// What a script asked of its broker, call by call: the newest of its orders, exits and cancellations.

import type { Direction } from './settings.ts';

export type EventKind = 'entry' | 'exit' | 'close' | 'close_all' | 'cancel' | 'order';
export type EventOrderType = 'market' | 'limit' | 'stop' | 'stop_limit' | 'trailing' | 'bracket';

export interface OrderEvent {
  /** `cancel` without an id is strategy.cancel_all(). */
  readonly kind: EventKind;
  readonly id: string | null;
  /** Of an order; of an exit or a close, the side that is held and closed. Null where nothing is held. */
  readonly direction: 'long' | 'short' | null;
  /** NaN: the size that the strategy declares, or all of what is held. */
  readonly quantity: number;
  /** Null of a cancellation. */
  readonly orderType: EventOrderType | null;
  /** Prices as the script gave them, NaN where it gave none; distances in ticks are not worked out. */
  readonly limit: number;
  readonly stop: number;
  readonly comment: string;
  readonly bar: number;
  readonly timeMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

/** A script that moves its stop on every bar makes one on each; the newest are those that somebody looks at. */
export const MAX_EVENTS = 10_000;

/** The newest events, oldest first. */
export class OrderEvents {
  private readonly ring: OrderEvent[] = [];
  private total = 0;

  add(event: OrderEvent): void {
    this.ring[this.total % MAX_EVENTS] = event;
    this.total += 1;
  }

  get dropped(): number {
    return this.total - this.ring.length;
  }

  list(): OrderEvent[] {
    const oldest = this.dropped === 0 ? 0 : this.total % MAX_EVENTS;
    return [...this.ring.slice(oldest), ...this.ring.slice(0, oldest)];
  }
}

/** The kind of an order by the prices it has. */
export function orderTypeOf(limit: number, stop: number): EventOrderType {
  if (Number.isNaN(limit)) return Number.isNaN(stop) ? 'market' : 'stop';
  return Number.isNaN(stop) ? 'limit' : 'stop_limit';
}

/** Of strategy.exit(): which of its three ways out it has; with several it is a bracket. */
export function exitTypeOf(has: { limit: boolean; stop: boolean; trail: boolean }): EventOrderType {
  if (Number(has.limit) + Number(has.stop) + Number(has.trail) > 1) return 'bracket';
  if (has.trail) return 'trailing';
  return has.limit ? 'limit' : has.stop ? 'stop' : 'market';
}

export const sideOf = (direction: Direction | 0): 'long' | 'short' | null =>
  direction === 0 ? null : direction > 0 ? 'long' : 'short';

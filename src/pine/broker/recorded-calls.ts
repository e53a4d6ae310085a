// The calls of a script on their way to the broker: each is kept as an event and handed on.

import type { Broker } from './broker.ts';
import type { PriceColumns } from './current-bar.ts';
import type { ExitWords } from './exit-order.ts';
import {
  type EventKind,
  type EventOrderType,
  exitTypeOf,
  type OrderEvents,
  orderTypeOf,
  sideOf,
} from './order-events.ts';
import type { Calls } from './strategy-calls.ts';

type OrderCall = Parameters<Calls['entry']>;

interface Told {
  readonly id?: string;
  readonly direction?: 'long' | 'short' | null;
  readonly quantity?: number;
  readonly orderType?: EventOrderType;
  readonly limit?: number;
  readonly stop?: number;
  readonly comment?: string;
}

const NONE = Number.NaN;

export class RecordedCalls implements Calls {
  private readonly next: Calls;
  private readonly events: OrderEvents;
  private readonly books: Pick<Broker, 'ledger' | 'settings'>;
  private bar = { bar: -1, timeMs: NONE, open: NONE, high: NONE, low: NONE, close: NONE };

  constructor(next: Calls, events: OrderEvents, books: Pick<Broker, 'ledger' | 'settings'>) {
    this.next = next;
    this.events = events;
    this.books = books;
  }

  beginBar(bar: number, slot: number, { time, open, high, low, close }: PriceColumns): void {
    const [timeMs, o, h, l, c] = [time[slot]!, open[slot]!, high[slot]!, low[slot]!, close[slot]!];
    this.bar = { bar, timeMs, open: o, high: h, low: l, close: c };
  }

  entry(...call: OrderCall): void {
    this.recordOrder('entry', call);
    this.next.entry(...call);
  }

  order(...call: OrderCall): void {
    this.recordOrder('order', call);
    this.next.order(...call);
  }

  exit(...call: Parameters<Calls['exit']>): void {
    const [{ id, comment }, quantity, , profit, limit, loss, stop, trailPrice, trailPoints] = call;
    const isGiven = (...values: number[]): boolean => values.some((value) => !Number.isNaN(value));
    const has = { limit: isGiven(limit, profit), stop: isGiven(stop, loss), trail: isGiven(trailPrice, trailPoints) };
    this.record('exit', { id, direction: this.held, quantity, orderType: exitTypeOf(has), limit, stop, comment });
    this.next.exit(...call);
  }

  exitAt(words: ExitWords, limit: number, stop: number): void {
    this.exit(words, NONE, 100, NONE, limit, NONE, stop, NONE, NONE, NONE);
  }

  close(...call: Parameters<Calls['close']>): void {
    const [{ id, comment }, quantity] = call;
    this.record('close', { id, direction: this.held, quantity, orderType: 'market', comment });
    this.next.close(...call);
  }

  closeAll(...call: Parameters<Calls['closeAll']>): void {
    this.record('close_all', { direction: this.held, orderType: 'market', comment: call[0].comment });
    this.next.closeAll(...call);
  }

  cancel(id: string): void {
    this.record('cancel', { id });
    this.next.cancel(id);
  }

  cancelAll(): void {
    this.record('cancel', {});
    this.next.cancelAll();
  }

  private get held(): 'long' | 'short' | null {
    return sideOf(this.books.ledger.direction);
  }

  private recordOrder(kind: 'entry' | 'order', [words, direction, quantity, limit, stop]: OrderCall): void {
    const { id, comment } = words;
    const orderType = orderTypeOf(limit, stop);
    this.record(kind, { id, direction: sideOf(direction), quantity, orderType, limit, stop, comment });
  }

  /** What is asked outside the range that may be traded in is not taken, and no event. */
  private record(kind: EventKind, told: Told): void {
    const { tradeFromMs, tradeToMs } = this.books.settings;
    if (this.bar.timeMs < tradeFromMs || this.bar.timeMs >= tradeToMs) return;
    this.events.add({
      kind,
      id: told.id ?? null,
      direction: told.direction ?? null,
      quantity: told.quantity ?? NONE,
      orderType: told.orderType ?? null,
      limit: told.limit ?? NONE,
      stop: told.stop ?? NONE,
      comment: told.comment ?? '',
      ...this.bar,
    });
  }
}

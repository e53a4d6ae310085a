// A broker that also keeps what the script asked of it. Only runs whose answer lists the events pay for it.

import { Broker } from '../broker/index.ts';
import { type EventKind, type EventOrderType, exitTypeOf, OrderEvents, orderTypeOf, sideOf } from './order-events.ts';

type EntryRequest = Parameters<Broker['entry']>[0];
type ExitRequest = Parameters<Broker['exit']>[0];
type CloseRequest = Parameters<Broker['close']>[0];
type CloseAllRequest = Parameters<Broker['closeAll']>[0];

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

export class RecordingBroker extends Broker {
  readonly events = new OrderEvents();
  private now = { bar: -1, timeMs: NONE, open: NONE, high: NONE, low: NONE, close: NONE };

  override begin(bar: number, timeMs: number, open: number, high: number, low: number, close: number): void {
    this.now = { bar, timeMs, open, high, low, close };
    super.begin(bar, timeMs, open, high, low, close);
  }

  override entry(request: EntryRequest): void {
    this.recordOrder('entry', request);
    super.entry(request);
  }

  override order(request: EntryRequest): void {
    this.recordOrder('order', request);
    super.order(request);
  }

  override exit(request: ExitRequest): void {
    const { id, quantity, limit, stop, profit, loss, trailPrice, trailPoints, comment } = request;
    const isGiven = (...values: number[]): boolean => values.some((value) => !Number.isNaN(value));
    const has = { limit: isGiven(limit, profit), stop: isGiven(stop, loss), trail: isGiven(trailPrice, trailPoints) };
    this.record('exit', { id, direction: this.held, quantity, orderType: exitTypeOf(has), limit, stop, comment });
    super.exit(request);
  }

  override close(request: CloseRequest): void {
    const { id, quantity, comment } = request;
    this.record('close', { id, direction: this.held, quantity, orderType: 'market', comment });
    super.close(request);
  }

  override closeAll(request: CloseAllRequest): void {
    this.record('close_all', { direction: this.held, orderType: 'market', comment: request.comment });
    super.closeAll(request);
  }

  override cancel(id: string): void {
    this.record('cancel', { id });
    super.cancel(id);
  }

  override cancelAll(): void {
    this.record('cancel', {});
    super.cancelAll();
  }

  private get held(): 'long' | 'short' | null {
    return sideOf(this.ledger.direction);
  }

  private recordOrder(kind: 'entry' | 'order', request: EntryRequest): void {
    const { id, direction, quantity, limit, stop, comment } = request;
    const orderType = orderTypeOf(limit, stop);
    this.record(kind, { id, direction: sideOf(direction), quantity, orderType, limit, stop, comment });
  }

  /** What is asked outside the range that may be traded in is not taken, and no event. */
  private record(kind: EventKind, told: Told): void {
    const { tradeFromMs, tradeToMs } = this.settings;
    if (this.now.timeMs < tradeFromMs || this.now.timeMs >= tradeToMs) return;
    this.events.add({
      kind,
      id: told.id ?? null,
      direction: told.direction ?? null,
      quantity: told.quantity ?? NONE,
      orderType: told.orderType ?? null,
      limit: told.limit ?? NONE,
      stop: told.stop ?? NONE,
      comment: told.comment ?? '',
      ...this.now,
    });
  }
}

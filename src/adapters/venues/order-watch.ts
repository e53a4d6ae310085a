// Looks after orders that rest at a venue: whoever listens is told when one of them has changed.
//
// The venue's own stream only rings a bell: what an order has become is always read back whole. So a message that was lost, doubled
// or out of order can do no harm, and the look every few seconds finds whatever the stream has not told.

import type { Timers } from '../../timing/timers.ts';
import { isFinal } from '../../trading/books/journal.ts';
import { ZERO } from '../../trading/decimal.ts';
import { CLIENT_ORDER_PREFIX, type OrderReport } from '../../trading/venue.ts';

export interface OrderWatchOptions {
  /** Reads it from the venue and notes it. */
  readonly look: (market: string, clientOrderId: string) => Promise<OrderReport | undefined>;
  readonly timers: Pick<Timers, 'after'>;
  readonly everyMs: number;
  readonly onTrouble: (what: string, error: unknown) => void;
}

type Listener = (report: OrderReport) => void;
type Told = Pick<OrderReport, 'status' | 'executedQuantity'>;

/** That an order rests is no news. */
const NOTHING: Told = { status: 'submitted', executedQuantity: ZERO };

const MAX_RUNG = 1000;

export class OrderWatch {
  readonly #options: OrderWatchOptions;
  readonly #listeners = new Set<Listener>();
  /** Orders without an end, as they were last seen, whoever asked, by client order id. */
  readonly #open = new Map<string, OrderReport>();
  /** What the listeners were last told of them. */
  readonly #told = new Map<string, Told>();
  readonly #looking = new Map<string, Promise<void>>();
  /** The stream has spoken of them, before their own answer came or while they were being looked at: they are looked at again. */
  readonly #rung = new Set<string>();
  #cancelTimer: (() => void) | undefined;
  #isStopped = false;

  constructor(options: OrderWatchOptions) {
    this.#options = options;
  }

  /** Returns how to stop listening. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * The venue has just said this of an order of ours. The first word belongs to whoever sent the order and asked; what is news after
   * that is told, whoever has asked for it.
   */
  note(report: OrderReport): void {
    const { clientOrderId, status } = report;
    if (this.#isStopped || !clientOrderId.startsWith(CLIENT_ORDER_PREFIX)) return;
    const isFirst = !this.#open.has(clientOrderId);
    const told = this.#told.get(clientOrderId) ?? NOTHING;
    if (isFinal(status)) {
      this.#open.delete(clientOrderId);
      this.#told.delete(clientOrderId);
    } else this.#open.set(clientOrderId, report);
    if (!isFirst && (told.status !== status || told.executedQuantity !== report.executedQuantity)) this.#tell(report);
    this.#plan();
    if (this.#rung.has(clientOrderId)) this.ring(clientOrderId);
  }

  /** As it was last seen, while it has no end. */
  seen(clientOrderId: string): OrderReport | undefined {
    return this.#open.get(clientOrderId);
  }

  /** The venue's stream has told something of this order. */
  ring(clientOrderId: string): void {
    const open = this.#open.get(clientOrderId);
    if (this.#isStopped || (open !== undefined && !this.#looking.has(clientOrderId))) {
      this.#rung.delete(clientOrderId);
      if (open !== undefined) void this.look(open.market, clientOrderId);
      return;
    }
    this.#rung.add(clientOrderId);
    // Most are of orders that have ended with their own answer; the oldest is forgotten.
    const [oldest] = this.#rung;
    if (this.#rung.size > MAX_RUNG && oldest !== undefined) this.#rung.delete(oldest);
  }

  /** Reads one order back and tells what is new of it. One look at a time for each. */
  look(market: string, clientOrderId: string): Promise<void> {
    const underWay = this.#looking.get(clientOrderId);
    if (underWay !== undefined) return underWay;
    const work = this.#look(market, clientOrderId)
      .catch((error) => {
        if (!this.#isStopped) this.#options.onTrouble(`the order ${clientOrderId} cannot be looked at`, error);
      })
      .finally(() => {
        this.#looking.delete(clientOrderId);
        if (this.#rung.has(clientOrderId)) this.ring(clientOrderId);
      });
    this.#looking.set(clientOrderId, work);
    return work;
  }

  /** Looks at all of them: whatever was missed is found. */
  async lookAtAll(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ market, clientOrderId }) => this.look(market, clientOrderId)));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer?.();
    await Promise.all(this.#looking.values());
  }

  async #look(market: string, clientOrderId: string): Promise<void> {
    const isFirst = !this.#open.has(clientOrderId);
    const report = await this.#options.look(market, clientOrderId);
    // Nobody but this look has asked for it.
    if (isFirst && report !== undefined && !this.#isStopped) this.#tell(report);
  }

  #tell(report: OrderReport): void {
    const { clientOrderId, status, executedQuantity } = report;
    if (!isFinal(status)) this.#told.set(clientOrderId, { status, executedQuantity });
    for (const listener of this.#listeners) listener(report);
  }

  #plan(): void {
    const { timers, everyMs } = this.#options;
    if (this.#open.size === 0 || this.#cancelTimer !== undefined) return;
    this.#cancelTimer = timers.after(everyMs, () => {
      this.#cancelTimer = undefined;
      void this.lookAtAll().finally(() => !this.#isStopped && this.#plan());
    });
  }
}

// Looks after orders that rest at a venue: whoever listens is told when one of them has changed.
//
// The venue's own stream only rings a bell: what an order has become is always read back whole. So a message that was lost, doubled
// or out of order can do no harm, and the look every few seconds finds whatever the stream has not told.

import type { Timers } from '../../timing/timers.ts';
import { isFinal } from '../../trading/books/journal.ts';
import { CLIENT_ORDER_PREFIX, type OrderReport } from '../../trading/venue.ts';

export interface OrderWatchOptions {
  readonly look: (market: string, clientOrderId: string) => Promise<OrderReport | undefined>;
  readonly timers: Pick<Timers, 'after'>;
  readonly everyMs: number;
  readonly onTrouble: (what: string, error: unknown) => void;
}

type Listener = (report: OrderReport) => void;

const MAX_RUNG = 1000;

export class OrderWatch {
  readonly #options: OrderWatchOptions;
  readonly #listeners = new Set<Listener>();
  /** Orders without an end, as they were last seen, by client order id. */
  readonly #open = new Map<string, OrderReport>();
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

  /** The venue has just said this of an order of ours. */
  note(report: OrderReport): void {
    if (this.#isStopped || !report.clientOrderId.startsWith(CLIENT_ORDER_PREFIX)) return;
    if (isFinal(report.status)) this.#open.delete(report.clientOrderId);
    else this.#open.set(report.clientOrderId, report);
    this.#plan();
    if (this.#rung.has(report.clientOrderId)) this.ring(report.clientOrderId);
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
      .catch((error) => this.#options.onTrouble(`the order ${clientOrderId} cannot be looked at`, error))
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
    const before = this.#open.get(clientOrderId);
    const report = await this.#options.look(market, clientOrderId);
    if (report === undefined || this.#isStopped) return;
    const isNews =
      before === undefined || before.status !== report.status || before.executedQuantity !== report.executedQuantity;
    if (isNews) for (const listener of this.#listeners) listener(report);
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

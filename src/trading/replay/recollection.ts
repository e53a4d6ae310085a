// What the past knows of things that happen by themselves: where it has them, the replay waits for its moment, because the past
// may have noticed late (a process that was down, a disk that hung), and a replay that did not would differ.

import { isFinal } from '../books/journal.ts';
import type { Moment } from './next-moment.ts';
import type { RecordedPast } from './recorded-past.ts';
import type { ReplayEvent } from './replay-event.ts';

/** Stops of other levels than those of the past are not reached when those were, unless it is nearly the same moment. */
const SAME_MOMENT_MS = 3000;

export class Recollection {
  /** The moments at which stops of a share were reached, the earliest first. */
  readonly #stops = new Map<string, number[]>();
  /** When each limit order had its end; infinite for one that rests. */
  readonly #ends = new Map<string, number>();
  readonly #patienceMs: number;

  constructor(past: RecordedPast, timeline: readonly ReplayEvent[], options: { readonly stopsChanged: boolean }) {
    this.#patienceMs = options.stopsChanged ? SAME_MOMENT_MS : Number.POSITIVE_INFINITY;
    for (const event of timeline)
      if (event.kind === 'stop') this.#stops.set(event.share, [...(this.#stops.get(event.share) ?? []), event.atMs]);
    for (const { clientOrderId, price, state, updatedAtMs } of past.trades.flatMap(({ orders }) => orders))
      if (price !== undefined) this.#ends.set(clientOrderId, isFinal(state) ? updatedAtMs : Number.POSITIVE_INFINITY);
  }

  /** Whether the past has a moment of its own for it. Of an order: it was still there, and its end is an event by itself. */
  has(moment: Moment): boolean {
    if (moment.kind === 'funding') return false;
    if (moment.kind !== 'stop')
      return moment.atMs <= (this.#ends.get(moment.clientOrderId) ?? Number.NEGATIVE_INFINITY);
    const pastMs = this.#stops.get(moment.share ?? '')?.[0];
    if (pastMs === undefined || pastMs < moment.atMs - SAME_MOMENT_MS) return false;
    return pastMs - moment.atMs <= this.#patienceMs;
  }

  /** It has come. */
  forget(event: ReplayEvent): void {
    if (event.kind === 'stop') this.#stops.get(event.share)?.shift();
  }
}

// What the past still holds of things that happened by themselves: where it has one, the replay waits for its moment, because
// the past may have noticed it late (a process that was down, a disk that hung), and a replay that did not would differ.

import type { Moment } from './next-moment.ts';
import type { ReplayEvent } from './timeline.ts';

/** Stops of other levels than those of the past are not reached when those were, unless it is nearly the same moment. */
const SAME_MOMENT_MS = 3000;

export class Recollection {
  /** The moments of each, the earliest first. */
  readonly #moments = new Map<string, number[]>();
  readonly #patienceMs: number;

  constructor(timeline: readonly ReplayEvent[], { stopsChanged }: { readonly stopsChanged: boolean }) {
    this.#patienceMs = stopsChanged ? SAME_MOMENT_MS : Number.POSITIVE_INFINITY;
    for (const event of timeline) {
      const name = nameOf(event);
      if (name !== undefined) this.#moments.set(name, [...(this.#moments.get(name) ?? []), event.atMs]);
    }
  }

  /** Whether the past has it too, and not before it would happen by itself: then that is its moment. */
  has(moment: Moment): boolean {
    const pastMs = this.#moments.get(nameOf(moment) ?? '')?.[0];
    if (pastMs === undefined || pastMs < moment.atMs - SAME_MOMENT_MS) return false;
    return moment.kind !== 'stop' || pastMs - moment.atMs <= this.#patienceMs;
  }

  /** It has come. */
  forget(event: ReplayEvent): void {
    this.#moments.get(nameOf(event) ?? '')?.shift();
  }
}

function nameOf(event: ReplayEvent | Moment): string | undefined {
  if (event.kind === 'stop') return event.position && `stop ${event.position}`;
  return event.kind === 'match' || event.kind === 'due' ? `${event.kind} ${event.clientOrderId}` : undefined;
}

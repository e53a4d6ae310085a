// Since when each deployment is watched, so that an entry whose moment has passed is not traded late.
//
// A fill at the open of a bar is seen at its first tick, one at a price when a tick reaches it. After a start or a loss of the
// stream, the first look at a bar shows fills that may have happened long ago: of those, what only reduces a position acts
// all the same, since being out late is better than not at all; what opens or adds is missed, and of a reversal the part
// that opens, unless the bar has only just begun. Every fill that a later look shows has happened in between, and acts.

import type { LiveDone } from '../live-runner.ts';
import { fillId } from './bar-events.ts';
import { graceMs } from './market-track.ts';
import type { Fill } from './told-position.ts';

interface Watched {
  /** Watched without a break since then. */
  sinceMs: number;
  barTimeMs: number;
  stale: ReadonlySet<string>;
  awaitsTicks: boolean;
}

export interface Look {
  readonly id: string;
  readonly timeframeMs: number;
  readonly barTimeMs: number;
  /** Ids of events of this bar that are stored already: they have acted. */
  readonly known: ReadonlySet<string>;
}

export class BarWatch {
  readonly #watched = new Map<string, Watched>();

  /** From now on; what was known of it before does not count. */
  begin(id: string, nowMs: number): void {
    this.#watched.set(id, { sinceMs: nowMs, barTimeMs: Number.NaN, stale: new Set(), awaitsTicks: true });
  }

  end(id: string): void {
    this.#watched.delete(id);
  }

  /** Whether a tick can change anything; true until its run has said otherwise. */
  awaitsTicks(id: string): boolean {
    return this.#watched.get(id)?.awaitsTicks ?? false;
  }

  /** Fills of the bar that are too old to open anything, and whether this look is the first to show them. */
  look(
    { id, timeframeMs, barTimeMs, known }: Look,
    { fills, awaitsTicks }: LiveDone,
  ): { stale: ReadonlySet<string>; isFirstLook: boolean } {
    const watched = this.#watched.get(id);
    if (watched === undefined) return { stale: new Set(), isFirstLook: true };
    watched.awaitsTicks = awaitsTicks;
    if (watched.barTimeMs === barTimeMs) return { stale: watched.stale, isFirstLook: false };
    watched.barTimeMs = barTimeMs;
    const isWatched = watched.sinceMs <= barTimeMs + graceMs(timeframeMs);
    const isLate = (place: number, fill: Fill): boolean =>
      opens(fill) && fill.moment !== 'close' && !known.has(fillId(id, barTimeMs, place));
    const late = isWatched ? [] : [...fills.entries()].filter(([place, fill]) => isLate(place, fill));
    watched.stale = new Set(late.map(([place]) => fillId(id, barTimeMs, place)));
    return { stale: watched.stale, isFirstLook: true };
  }
}

/** Whether anything is held after it that was not held before. */
const opens = ({ before, after }: Fill): boolean =>
  after !== 0 && (Math.sign(after) !== Math.sign(before) || Math.abs(after) > Math.abs(before));

// What each deployment has seen of its market, and since when, so that an entry whose moment has passed is not traded late.
//
// A fill at the open of a bar is seen at its first tick, one at a price when a tick reaches it, one at the close when the bar
// closes. Two things make a look come late:
//
// | a look                                                            | its fills may have happened                        |
// |-------------------------------------------------------------------|----------------------------------------------------|
// | the first at a bar, after a start or a loss of the stream         | at any time since the bar began, but at its close  |
// | that had to wait: for its turn, for its thread, for the storage   | since the first tick or close it has to show       |
//
// Beyond the grace, of those fills what opens or adds is missed, and of a reversal the part that opens. What only reduces
// a position acts all the same, since being out late is better than not at all.

import type { LiveDone } from '../live-runner.ts';
import { fillId, type StaleFill } from './bar-events.ts';
import { entryGraceMs } from './market-track.ts';
import { type Fill, opens } from './told-position.ts';

interface Watched {
  /** Watched without a break since then. */
  sinceMs: number;
  barTimeMs: number;
  /** Why each of them came too late, by the id of the fill. */
  stale: ReadonlyMap<string, string>;
  awaitsTicks: boolean;
  /** The first tick of a bar that no look has shown yet. */
  unseen: { readonly barTimeMs: number; readonly atMs: number } | undefined;
}

export interface Look {
  readonly id: string;
  readonly timeframeMs: number;
  readonly barTimeMs: number;
  /** When the close or the tick was noticed that it was made for. */
  readonly noticedAtMs: number;
  readonly nowMs: number;
  /** Ids of events of this bar that are stored already: they have acted. */
  readonly known: ReadonlySet<string>;
}

export const AWAY = 'Signalbox or the market was away';

export class BarWatch {
  readonly #watched = new Map<string, Watched>();

  /** From now on; what was known of it before does not count. */
  begin(id: string, nowMs: number): void {
    const nothing = { barTimeMs: Number.NaN, stale: new Map(), awaitsTicks: true, unseen: undefined };
    this.#watched.set(id, { sinceMs: nowMs, ...nothing });
  }

  end(id: string): void {
    this.#watched.delete(id);
  }

  /** Whether a tick can change anything; true until its run has said otherwise. */
  awaitsTicks(id: string): boolean {
    return this.#watched.get(id)?.awaitsTicks ?? false;
  }

  /** The market told of a tick, whether or not it is looked at. */
  notice(id: string, barTimeMs: number, nowMs: number): void {
    const watched = this.#watched.get(id);
    if (watched !== undefined && watched.unseen?.barTimeMs !== barTimeMs) watched.unseen = { barTimeMs, atMs: nowMs };
  }

  /** Fills of the bar that are too old to open anything, by their ids. */
  look(look: Look, { fills, awaitsTicks }: LiveDone): ReadonlyMap<string, StaleFill> {
    const { id, barTimeMs, known } = look;
    const watched = this.#watched.get(id);
    if (watched === undefined) return new Map();
    const before = watched.barTimeMs === barTimeMs ? watched.stale : new Map<string, string>();
    const stale = new Map<string, string>();
    for (const [place, fill] of fills.entries()) {
      const name = fillId(id, barTimeMs, place);
      const why = before.get(name) ?? (opens(fill) && !known.has(name) ? whyLate(look, fill, watched) : undefined);
      if (why !== undefined) stale.set(name, why);
    }
    const { unseen } = watched;
    Object.assign(watched, { barTimeMs, stale, awaitsTicks });
    if (unseen?.barTimeMs === barTimeMs) watched.unseen = undefined;
    return new Map([...stale].map(([name, why]) => [name, { why, isNew: !before.has(name) }]));
  }
}

function whyLate(look: Look, { moment }: Fill, watched: Watched): string | undefined {
  const { timeframeMs, barTimeMs, noticedAtMs, nowMs } = look;
  const graceMs = entryGraceMs(timeframeMs);
  const isFirstLook = watched.barTimeMs !== barTimeMs;
  if (moment !== 'close' && isFirstLook && watched.sinceMs > barTimeMs + graceMs) return AWAY;
  const unseenMs = watched.unseen?.barTimeMs === barTimeMs ? watched.unseen.atMs : noticedAtMs;
  const waitedMs = nowMs - (moment === 'close' ? noticedAtMs : Math.min(noticedAtMs, unseenMs));
  return waitedMs > graceMs ? `the run had to wait ${Math.floor(waitedMs / 1000)} s` : undefined;
}

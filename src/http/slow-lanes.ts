// A queue per name for those who may be guessing a secret: one turn after the other, each half a second late.
import { setTimeout as wait } from 'node:timers/promises';

export interface SlowLanes {
  /** Resolves when it is this one's turn; undefined when too many of this name wait already: do not look at it at all. */
  turn(name: string): Promise<void> | undefined;
}

export type Sleep = (ms: number) => Promise<unknown>;

/** A machine that guesses gets two tries a second. */
const TURN_MS = 500;
const MAX_WAITING = 20;
/** After so long whoever waits now has had its turn. */
export const FULL_LANE_S = (MAX_WAITING * TURN_MS) / 1000;

interface Lane {
  last: Promise<unknown>;
  waiting: number;
}

/** A lane is there only while somebody waits in it, so the open requests bound the memory. */
export function createSlowLanes(sleep: Sleep = (ms) => wait(ms)): SlowLanes {
  const lanes = new Map<string, Lane>();
  return {
    turn(name) {
      const lane = lanes.get(name) ?? { last: Promise.resolve(), waiting: 0 };
      if (lane.waiting >= MAX_WAITING) return undefined;
      lanes.set(name, lane);
      lane.waiting += 1;
      const turn = lane.last
        .then(() => sleep(TURN_MS))
        .then(() => {
          lane.waiting -= 1;
          if (lane.waiting === 0) lanes.delete(name);
        });
      lane.last = turn;
      return turn;
    },
  };
}

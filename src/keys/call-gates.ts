// Calls in flight per key, so that a burst cannot run past a limit: a call is let in while calls used + in flight < limit.
//
// A gate exists only while something of its key is under way: a look-up, a call, or a count on its way to the disk.
//   enter ─→ (look-up) ─→ admit ─→ in flight ─→ settle ─→ (count) ─→ leave
//                     └─→ leave
// The record is believed only by a new gate, when nothing of the key can be changing. After that the gate keeps the
// figure itself: a record read beside a count may lack that call or hold it twice, and either would be off by one
// exactly at the limit.

export interface CallGate {
  /** The calls used as this process knows them; `recordedCalls` is believed only where nothing is known yet. */
  admit(recordedCalls: number, sinceS: number, limit: number | undefined): boolean;
  /** The call has ended. From here on it stands in the calls used when it counts. */
  settle(counts: boolean, sinceS: number): void;
  /** The count could not be stored after all. */
  takeBack(sinceS: number): void;
  /** The store knows of at least that many; other processes may count too. */
  learn(calls: number, sinceS: number): void;
  /** Once per enter, when all of that call is over. */
  leave(): void;
}

export interface CallGates {
  enter(keyHash: string): CallGate;
  /** How many gates stand open; 0 when nothing is under way. */
  readonly size: number;
}

interface GateState {
  visitors: number;
  inFlight: number;
  used: number;
  /** Start of the period `used` belongs to; undefined while nothing is known. */
  sinceS: number | undefined;
}

export function createCallGates(): CallGates {
  const gates = new Map<string, GateState>();
  return {
    get size() {
      return gates.size;
    },
    enter(keyHash) {
      let state = gates.get(keyHash);
      if (state === undefined) {
        state = { visitors: 0, inFlight: 0, used: 0, sinceS: undefined };
        gates.set(keyHash, state);
      }
      state.visitors += 1;
      return gateOf(state, () => gates.delete(keyHash));
    },
  };
}

function gateOf(state: GateState, close: () => void): CallGate {
  /** A new period starts with no calls. A clock that was set back does not start one. */
  const turnTo = (sinceS: number): void => {
    if (state.sinceS !== undefined && sinceS > state.sinceS) {
      state.used = 0;
      state.sinceS = sinceS;
    }
  };
  return {
    admit(recordedCalls, sinceS, limit) {
      if (state.sinceS === undefined) {
        state.used = recordedCalls;
        state.sinceS = sinceS;
      }
      turnTo(sinceS);
      if (limit !== undefined && state.used + state.inFlight >= limit) return false;
      state.inFlight += 1;
      return true;
    },
    settle(counts, sinceS) {
      state.inFlight -= 1;
      turnTo(sinceS);
      if (counts) state.used += 1;
    },
    takeBack(sinceS) {
      if (sinceS === state.sinceS) state.used = Math.max(0, state.used - 1);
    },
    learn(calls, sinceS) {
      if (sinceS === state.sinceS) state.used = Math.max(state.used, calls);
    },
    leave() {
      state.visitors -= 1;
      if (state.visitors === 0) close();
    },
  };
}

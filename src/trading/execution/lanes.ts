// Lanes: work on one (account, venue, market) runs strictly in order, one piece at a time; lanes run side by side.
//
// Work somebody waits for starts at once. Background work (async mode) starts in the next turns of the event loop; while
// signals arrive in a flood it gets a small share only, so that they are acknowledged first. Work that has waited long
// gets full speed again.

export interface Lanes {
  run<T>(lane: string, work: () => Promise<T>, priority: 'awaited' | 'background'): Promise<T>;
  /** Queues background work that nobody awaits and that deals with its own failures. */
  post(lane: string, work: () => Promise<void>): void;
  /** Counts a signal that was just acknowledged. */
  noteArrival(): void;
  /** Pieces of work waiting or running. */
  size(): number;
  /** Works off what is there until it is done or the time is up; work that never started is then given back. */
  stop(timeoutMs: number): Promise<void>;
}

/** What unstarted work is rejected with: nothing happened to it, the journal still has it. */
export class Stopping extends Error {
  constructor() {
    super('trading is stopping');
    this.name = 'Stopping';
  }
}

interface Piece {
  readonly start: () => Promise<void>;
  readonly giveBack: (reason: Stopping) => void;
  readonly awaited: boolean;
  readonly enqueuedAtMs: number;
}

interface Lane {
  readonly key: string;
  readonly queue: Piece[];
  head: number;
  running: boolean;
  /** Stands in the list of lanes whose next piece may start in a coming turn. */
  listed: boolean;
  /** Pieces in the queue that somebody waits for: everything before them is urgent too. */
  awaited: number;
}

const STARTS_PER_TURN = 16;
/** More arrivals than this are a flood: a machine that executes as fast as they come is not in sight. */
const FLOOD_PER_MS = 3;
const FLOOD_WINDOW_MS = 50;
/** What background work gets in a flood: about 400 starts a second. */
const FLOOD_STARTS = 4;
const FLOOD_PAUSE_MS = 10;
/** Shifting a long array for every piece would cost more the longer it is, so it is cut in blocks. */
const TRIM_AFTER = 1024;

export function createLanes(options: { monotonicMs: () => number; impatientAfterMs: number }): Lanes {
  const { monotonicMs, impatientAfterMs } = options;
  const lanes = new Map<string, Lane>();
  const runnable: Lane[] = [];
  let pumping = false;
  let arrivals = 0;
  let windowStartMs = 0;
  let flooded = false;
  let size = 0;
  let stopped = false;
  let drained: (() => void) | undefined;

  const advance = (lane: Lane): void => {
    if (lane.running || stopped) return;
    if (lane.head === lane.queue.length) {
      lanes.delete(lane.key);
    } else if (lane.awaited > 0) {
      lane.listed = false;
      begin(lane);
    } else if (!lane.listed) {
      lane.listed = true;
      runnable.push(lane);
      pump();
    }
  };

  const begin = (lane: Lane): void => {
    const piece = lane.queue[lane.head++] as Piece;
    if (lane.head > TRIM_AFTER) {
      lane.queue.splice(0, lane.head);
      lane.head = 0;
    }
    if (piece.awaited) lane.awaited--;
    lane.running = true;
    void piece.start().finally(() => {
      size--;
      lane.running = false;
      if (size === 0) drained?.();
      advance(lane);
    });
  };

  const isFlooded = (): boolean => {
    const nowMs = monotonicMs();
    if (!flooded || nowMs - windowStartMs > 2 * FLOOD_WINDOW_MS) return false;
    const first = runnable[0];
    const oldest = first?.queue[first.head];
    return oldest === undefined || nowMs - oldest.enqueuedAtMs <= impatientAfterMs;
  };

  const pump = (): void => {
    if (pumping) return;
    pumping = true;
    if (isFlooded()) setTimeout(startSome, FLOOD_PAUSE_MS, FLOOD_STARTS);
    else setImmediate(startSome, STARTS_PER_TURN);
  };

  const startSome = (budget: number): void => {
    pumping = false;
    let starts = 0;
    while (starts < budget && runnable.length > 0) {
      const lane = runnable.shift() as Lane;
      if (!lane.listed || stopped) continue;
      lane.listed = false;
      begin(lane);
      starts++;
    }
    if (runnable.length > 0) pump();
  };

  const laneFor = (key: string): Lane => {
    let lane = lanes.get(key);
    if (!lane) {
      lane = { key, queue: [], head: 0, running: false, listed: false, awaited: 0 };
      lanes.set(key, lane);
    }
    return lane;
  };

  const add = (key: string, piece: Piece): void => {
    const lane = laneFor(key);
    size++;
    if (piece.awaited) lane.awaited++;
    lane.queue.push(piece);
    advance(lane);
  };

  return {
    run(key, work, priority) {
      return new Promise((resolve, reject) => {
        if (stopped) {
          reject(new Stopping());
          return;
        }
        const awaited = priority === 'awaited';
        add(key, { start: () => work().then(resolve, reject), giveBack: reject, awaited, enqueuedAtMs: monotonicMs() });
      });
    },
    post(key, work) {
      if (!stopped) add(key, { start: work, giveBack: () => {}, awaited: false, enqueuedAtMs: monotonicMs() });
    },
    noteArrival() {
      arrivals++;
      const elapsedMs = monotonicMs() - windowStartMs;
      if (elapsedMs < FLOOD_WINDOW_MS) return;
      flooded = arrivals / elapsedMs > FLOOD_PER_MS;
      arrivals = 0;
      windowStartMs += elapsedMs;
    },
    size: () => size,
    async stop(timeoutMs) {
      if (size > 0) {
        let timer: NodeJS.Timeout | undefined;
        const ended = new Promise<void>((resolve) => {
          drained = resolve;
        });
        const timeUp = new Promise<void>((resolve) => {
          timer = setTimeout(resolve, timeoutMs);
        });
        await Promise.race([ended, timeUp]);
        clearTimeout(timer);
      }
      stopped = true;
      for (const lane of lanes.values()) {
        for (const piece of lane.queue.splice(lane.head)) {
          size--;
          piece.giveBack(new Stopping());
        }
      }
    },
  };
}

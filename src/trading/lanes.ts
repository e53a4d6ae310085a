// Lanes: work on one (account, venue, market) runs strictly in order, one piece at a time; lanes run side by side.
//
// Work somebody waits for starts at once. Background work (async mode) is started a little in every turn of the event
// loop, so that a burst of arriving signals is acknowledged first; work that has waited long gets full speed.

export interface Lanes {
  run<T>(lane: string, work: () => Promise<T>, priority: 'awaited' | 'background'): Promise<T>;
  /** Tells that signals are arriving in this turn of the loop. */
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

const STARTS_PER_TURN_WHILE_ARRIVING = 1;
const STARTS_PER_TURN = 16;
/** Shifting a long array for every piece would cost more the longer it is, so it is cut in blocks. */
const TRIM_AFTER = 1024;

export function createLanes(options: { monotonicMs: () => number; impatientAfterMs: number }): Lanes {
  const { monotonicMs, impatientAfterMs } = options;
  const lanes = new Map<string, Lane>();
  const runnable: Lane[] = [];
  let pumping = false;
  let arrivals = 0;
  let size = 0;
  let _running = 0;
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
    _running++;
    void piece.start().finally(() => {
      size--;
      _running--;
      lane.running = false;
      if (size === 0) drained?.();
      advance(lane);
    });
  };

  const pump = (): void => {
    if (pumping) return;
    pumping = true;
    setImmediate(() => {
      pumping = false;
      const first = runnable[0];
      const oldest = first?.queue[first.head];
      const impatient = oldest !== undefined && monotonicMs() - oldest.enqueuedAtMs > impatientAfterMs;
      let budget = arrivals > 0 && !impatient ? STARTS_PER_TURN_WHILE_ARRIVING : STARTS_PER_TURN;
      arrivals = 0;
      while (budget > 0 && runnable.length > 0) {
        const lane = runnable.shift() as Lane;
        if (!lane.listed || stopped) continue;
        lane.listed = false;
        begin(lane);
        budget--;
      }
      if (runnable.length > 0) pump();
    });
  };

  const laneFor = (key: string): Lane => {
    let lane = lanes.get(key);
    if (!lane) {
      lane = { key, queue: [], head: 0, running: false, listed: false, awaited: 0 };
      lanes.set(key, lane);
    }
    return lane;
  };

  return {
    run(key, work, priority) {
      return new Promise((resolve, reject) => {
        if (stopped) {
          reject(new Stopping());
          return;
        }
        const lane = laneFor(key);
        const awaited = priority === 'awaited';
        size++;
        if (awaited) lane.awaited++;
        lane.queue.push({
          start: () => work().then(resolve, reject),
          giveBack: reject,
          awaited,
          enqueuedAtMs: monotonicMs(),
        });
        advance(lane);
      });
    },
    noteArrival() {
      arrivals++;
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
        for (const piece of lane.queue.splice(lane.head)) piece.giveBack(new Stopping());
      }
    },
  };
}

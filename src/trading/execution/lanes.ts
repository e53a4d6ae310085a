// Lanes: work on one (account, venue, market) runs strictly in order, one piece at a time; lanes run side by side.
//
// Work somebody waits for starts at once. Background work (async mode) starts in the next turns of the event loop; while
// signals arrive in a flood it gets a small share only, so that they are acknowledged first. Work that has waited long
// gets full speed again.

import type { Timers } from '../../timing/timers.ts';
import { withTimeout } from '../../timing/with-timeout.ts';

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

export interface LanesOptions {
  readonly monotonicMs: () => number;
  readonly timers: Timers;
  /** Background work that has waited this long gets full speed, flood or not. */
  readonly impatientAfterMs: number;
}

export class Lanes {
  readonly #options: LanesOptions;
  readonly #lanes = new Map<string, Lane>();
  readonly #runnable: Lane[] = [];
  #isPumping = false;
  #arrivals = 0;
  #windowStartMs = 0;
  #isFlood = false;
  #size = 0;
  #isStopped = false;
  readonly #onDrained: (() => void)[] = [];

  constructor(options: LanesOptions) {
    this.#options = options;
  }

  run<T>(key: string, work: () => Promise<T>, priority: 'awaited' | 'background'): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#isStopped) {
        reject(new Stopping());
        return;
      }
      const awaited = priority === 'awaited';
      const enqueuedAtMs = this.#options.monotonicMs();
      this.#add(key, { start: () => work().then(resolve, reject), giveBack: reject, awaited, enqueuedAtMs });
    });
  }

  /** Queues background work that nobody awaits and that deals with its own failures. */
  post(key: string, work: () => Promise<void>): void {
    if (this.#isStopped) return;
    this.#add(key, { start: work, giveBack: () => {}, awaited: false, enqueuedAtMs: this.#options.monotonicMs() });
  }

  /** Like `post`, but in front of everything that waits in the lane: what belongs to the piece that runs now. */
  postFirst(key: string, work: () => Promise<void>): void {
    if (this.#isStopped) return;
    const enqueuedAtMs = this.#options.monotonicMs();
    this.#add(key, { start: work, giveBack: () => {}, awaited: false, enqueuedAtMs }, 'first');
  }

  /** Counts a signal that was just acknowledged. */
  noteArrival(): void {
    this.#arrivals++;
    const elapsedMs = this.#options.monotonicMs() - this.#windowStartMs;
    if (elapsedMs < FLOOD_WINDOW_MS) return;
    this.#isFlood = this.#arrivals / elapsedMs > FLOOD_PER_MS;
    this.#arrivals = 0;
    this.#windowStartMs += elapsedMs;
  }

  /** Lanes in which work waits or runs. */
  busy(): readonly string[] {
    return [...this.#lanes.keys()];
  }

  /** Pieces of work waiting or running. */
  size(): number {
    return this.#size;
  }

  /** Resolves when no work waits or runs. */
  idle(): Promise<void> {
    return this.#size === 0 ? Promise.resolve() : new Promise((resolve) => void this.#onDrained.push(resolve));
  }

  /** Works off what is there until it is done or the time is up; work that never started is then given back. */
  async stop(timeoutMs: number): Promise<void> {
    if (this.#size > 0) await withTimeout(this.idle(), timeoutMs, () => undefined, this.#options.timers);
    this.#isStopped = true;
    for (const lane of this.#lanes.values()) {
      for (const piece of lane.queue.splice(lane.head)) {
        this.#size--;
        piece.giveBack(new Stopping());
      }
    }
  }

  #add(key: string, piece: Piece, place: 'first' | 'last' = 'last'): void {
    const lane = this.#laneFor(key);
    this.#size++;
    if (piece.awaited) lane.awaited++;
    if (place === 'last') lane.queue.push(piece);
    else lane.queue.splice(lane.head, 0, piece);
    this.#advance(lane);
  }

  #laneFor(key: string): Lane {
    let lane = this.#lanes.get(key);
    if (!lane) {
      lane = { key, queue: [], head: 0, running: false, listed: false, awaited: 0 };
      this.#lanes.set(key, lane);
    }
    return lane;
  }

  #advance(lane: Lane): void {
    if (lane.running || this.#isStopped) return;
    if (lane.head === lane.queue.length) {
      this.#lanes.delete(lane.key);
    } else if (lane.awaited > 0) {
      lane.listed = false;
      this.#begin(lane);
    } else if (!lane.listed) {
      lane.listed = true;
      this.#runnable.push(lane);
      this.#pump();
    }
  }

  #begin(lane: Lane): void {
    const piece = lane.queue[lane.head++] as Piece;
    if (lane.head > TRIM_AFTER) {
      lane.queue.splice(0, lane.head);
      lane.head = 0;
    }
    if (piece.awaited) lane.awaited--;
    lane.running = true;
    void piece.start().finally(() => {
      this.#size--;
      lane.running = false;
      if (this.#size === 0) for (const drained of this.#onDrained.splice(0)) drained();
      this.#advance(lane);
    });
  }

  /** Background work is started by the event loop's next turns, or, in a flood, by a timer. */
  #pump(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    if (this.#mustHoldBack()) this.#options.timers.after(FLOOD_PAUSE_MS, () => this.#startSome(FLOOD_STARTS));
    else setImmediate(() => this.#startSome(STARTS_PER_TURN));
  }

  #mustHoldBack(): boolean {
    const nowMs = this.#options.monotonicMs();
    if (!this.#isFlood || nowMs - this.#windowStartMs > 2 * FLOOD_WINDOW_MS) return false;
    const first = this.#runnable[0];
    const oldest = first?.queue[first.head];
    return oldest === undefined || nowMs - oldest.enqueuedAtMs <= this.#options.impatientAfterMs;
  }

  #startSome(budget: number): void {
    this.#isPumping = false;
    let starts = 0;
    while (starts < budget && this.#runnable.length > 0) {
      const lane = this.#runnable.shift() as Lane;
      if (!lane.listed || this.#isStopped) continue;
      lane.listed = false;
      this.#begin(lane);
      starts++;
    }
    if (this.#runnable.length > 0) this.#pump();
  }
}

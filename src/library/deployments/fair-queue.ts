// Runs the turns of many lanes: those of one lane strictly in order, lanes by turns, only so many at once.

import type { Timers } from './ports.ts';

/** Returns undefined when it is done, or how long to wait before it is to be tried again. Never rejects. */
export type Turn = () => Promise<number | undefined>;

export interface FairQueueOptions {
  readonly atOnce: number;
  /** Per lane; the oldest waiting one gives way. */
  readonly maxWaiting: number;
  readonly timers: Pick<Timers, 'after'>;
}

interface Lane {
  readonly turns: Turn[];
  isBusy: boolean;
  /** Takes the pause back. */
  wake: (() => void) | undefined;
}

export class FairQueue {
  readonly #options: FairQueueOptions;
  /** In the order of their turn: a lane that had one goes to the end. */
  readonly #lanes = new Map<string, Lane>();
  readonly #underWay = new Set<Promise<void>>();
  #isStopped = false;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  add(key: string, turn: Turn): void {
    if (this.#isStopped) return;
    const lane = this.#lanes.get(key) ?? { turns: [], isBusy: false, wake: undefined };
    this.#lanes.set(key, lane);
    lane.turns.push(turn);
    // The first one is being tried; the one behind it is the oldest that waits.
    if (lane.turns.length > this.#options.maxWaiting) lane.turns.splice(1, 1);
    this.#pump();
  }

  /** Forgets what waits; what is under way ends by itself. */
  drop(key: string): void {
    const lane = this.#lanes.get(key);
    lane?.wake?.();
    if (lane?.isBusy) lane.turns.length = 1;
    else this.#lanes.delete(key);
  }

  /** Nothing new begins; resolves when what is under way has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { wake } of this.#lanes.values()) wake?.();
    await Promise.all(this.#underWay);
  }

  #pump(): void {
    if (this.#isStopped) return;
    for (const [key, lane] of [...this.#lanes]) {
      if (this.#underWay.size >= this.#options.atOnce) return;
      const [turn] = lane.turns;
      if (turn === undefined || lane.isBusy || lane.wake !== undefined) continue;
      lane.isBusy = true;
      const work = this.#take(key, lane, turn).then(() => {
        this.#underWay.delete(work);
        this.#pump();
      });
      this.#underWay.add(work);
    }
  }

  async #take(key: string, lane: Lane, turn: Turn): Promise<void> {
    const againMs = await turn();
    lane.isBusy = false;
    if (this.#lanes.get(key) !== lane) return;
    this.#lanes.delete(key);
    if (againMs === undefined) lane.turns.shift();
    else {
      const cancel = this.#options.timers.after(againMs, () => {
        lane.wake = undefined;
        this.#pump();
      });
      lane.wake = () => {
        lane.wake = undefined;
        cancel();
      };
    }
    if (lane.turns.length > 0) this.#lanes.set(key, lane);
  }
}

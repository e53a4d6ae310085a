// Runs the tasks of many deployments: those of one strictly in order, deployments by turns, only so many at once.

import type { Timers } from './ports.ts';

/** Returns undefined when it is done, or how long to wait before it is to be tried again. Never rejects. */
export type Task = () => Promise<number | undefined>;

export interface FairQueueOptions {
  readonly atOnce: number;
  /** Per deployment; the oldest waiting task gives way. */
  readonly maxWaiting: number;
  readonly timers: Pick<Timers, 'after'>;
}

/** What one deployment has to do. */
interface DeploymentQueue {
  readonly tasks: Task[];
  isBusy: boolean;
  /** Takes the pause back. */
  wake: (() => void) | undefined;
}

export class FairQueue {
  readonly #options: FairQueueOptions;
  /** By deployment, in the order of their turns: one that had its turn goes to the end. */
  readonly #queues = new Map<string, DeploymentQueue>();
  readonly #underWay = new Set<Promise<void>>();
  #isStopped = false;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  add(key: string, task: Task): void {
    if (this.#isStopped) return;
    const queue = this.#queues.get(key) ?? { tasks: [], isBusy: false, wake: undefined };
    this.#queues.set(key, queue);
    queue.tasks.push(task);
    // The first one is being tried; the one behind it is the oldest that waits.
    if (queue.tasks.length > this.#options.maxWaiting) queue.tasks.splice(1, 1);
    this.#pump();
  }

  /** Forgets what waits; what is under way ends by itself. */
  drop(key: string): void {
    const queue = this.#queues.get(key);
    queue?.wake?.();
    if (queue?.isBusy) queue.tasks.length = 1;
    else this.#queues.delete(key);
  }

  /** Nothing new begins; resolves when what is under way has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { wake } of this.#queues.values()) wake?.();
    await Promise.all(this.#underWay);
  }

  #pump(): void {
    if (this.#isStopped) return;
    for (const [key, queue] of [...this.#queues]) {
      if (this.#underWay.size >= this.#options.atOnce) return;
      const [task] = queue.tasks;
      if (task === undefined || queue.isBusy || queue.wake !== undefined) continue;
      queue.isBusy = true;
      const work = this.#take(key, queue, task).then(() => {
        this.#underWay.delete(work);
        this.#pump();
      });
      this.#underWay.add(work);
    }
  }

  async #take(key: string, queue: DeploymentQueue, task: Task): Promise<void> {
    const againMs = await task();
    queue.isBusy = false;
    if (this.#queues.get(key) !== queue) return;
    this.#queues.delete(key);
    if (againMs === undefined) queue.tasks.shift();
    else {
      const cancel = this.#options.timers.after(againMs, () => {
        queue.wake = undefined;
        this.#pump();
      });
      queue.wake = () => {
        queue.wake = undefined;
        cancel();
      };
    }
    if (queue.tasks.length > 0) this.#queues.set(key, queue);
  }
}

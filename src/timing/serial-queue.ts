// One piece of work at a time, in the order in which it was handed in.

export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();
  #size = 0;

  /** How many pieces run or wait. */
  get size(): number {
    return this.#size;
  }

  /** Work that fails tells its own caller only; the next piece runs all the same. */
  run<T>(work: () => T | Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    const leave = (): void => {
      this.#size -= 1;
    };
    this.#size += 1;
    this.#last = result.then(leave, leave);
    return result;
  }

  /** Resolves when nothing runs or waits. */
  async idle(): Promise<void> {
    while (this.#size > 0) await this.#last;
  }
}

/** A serial queue for each name: work under one name goes in order, names go side by side. Empty queues are forgotten. */
export class SerialQueues {
  readonly #queues = new Map<string, SerialQueue>();

  size(name: string): number {
    return this.#queues.get(name)?.size ?? 0;
  }

  run<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    const queue = this.#queues.get(name) ?? new SerialQueue();
    this.#queues.set(name, queue);
    const result = queue.run(work);
    const forget = (): void => {
      if (queue.size === 0 && this.#queues.get(name) === queue) this.#queues.delete(name);
    };
    result.then(forget, forget);
    return result;
  }

  /** Resolves when nothing runs or waits under any name. */
  async idle(): Promise<void> {
    while (this.#queues.size > 0) await Promise.all([...this.#queues.values()].map((queue) => queue.idle()));
  }
}

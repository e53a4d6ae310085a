// The look at a start: what venues did while nobody listened is written into the journal, where recovery finds it.
//
// A start does not wait long for a venue. What comes too late is not written any more: recovery has read the journal by then, so nobody
// would take it up. It is found and taken up behind the start, as at a venue that was away.

import { WorkUnderWay } from '../../timing/work-under-way.ts';

export class StartLook {
  readonly #writes = new WorkUnderWay();
  #isOver = false;

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Nothing is done where the look is over. */
  async write(work: () => Promise<unknown>): Promise<void> {
    if (!this.#isOver) await this.#writes.track(work());
  }

  /** Resolves when what was begun in time is on disk. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#writes.idle();
  }
}

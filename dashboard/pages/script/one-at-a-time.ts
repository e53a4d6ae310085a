// Work on one thing at the server, one after the other: two saves at once would be in conflict with each other.

export class OneAtATime {
  #last: Promise<unknown> = Promise.resolve();

  run<Outcome>(work: () => Promise<Outcome>): Promise<Outcome> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}

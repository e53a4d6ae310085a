// A limit on waiting for the server: one that takes a request and never answers must not leave a page without a word.

export class TimeLimit {
  /** Ends the request, when the time is over or whoever asked gives up. */
  readonly signal: AbortSignal;
  readonly #end = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #withinMs: number;

  constructor(withinMs: number, givenUp?: AbortSignal) {
    this.signal = givenUp === undefined ? this.#end.signal : AbortSignal.any([this.#end.signal, givenUp]);
    this.#withinMs = withinMs;
    this.restart(withinMs);
  }

  get isOver(): boolean {
    return this.#end.signal.aborted;
  }

  get words(): string {
    return `Signalbox did not answer within ${this.#withinMs / 1_000} seconds.`;
  }

  /** From now on, after a sign of life. */
  restart(withinMs: number): void {
    clearTimeout(this.#timer);
    this.#withinMs = withinMs;
    this.#timer = setTimeout(() => this.#end.abort(), withinMs);
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}

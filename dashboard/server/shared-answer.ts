// One answer of the server that several parts of a page show. It is asked for while somebody shows it: at once, every so often while the
// page is in view, and whenever something has happened. There is one question at a time: what happens while it is under way is asked
// about after it.

import { ask, Refused } from './ask.ts';

export interface Shown<Answer> {
  readonly answer: Answer | undefined;
  /** Why the last question failed; the answer before it stays. */
  readonly refused: Refused | undefined;
}

type Listener = () => void;

/** Asks nothing but whether the server is there: a network that goes without a word, or a server that stands still, must show soon. */
const HEALTH = '/health';
const SOON = { withinMs: 4_000 };

const NOTHING_YET: Shown<never> = { answer: undefined, refused: undefined };

export class SharedAnswer<Answer> {
  readonly #path: string;
  readonly #everyMs: number;
  readonly #key: string | undefined;
  readonly #listeners = new Set<Listener>();
  #shown: Shown<Answer> = NOTHING_YET;
  #timer: ReturnType<typeof setInterval> | undefined;
  #asking: AbortController | undefined;
  #isWantedAgain = false;

  constructor(path: string, everyMs: number, key?: string) {
    this.#path = path;
    this.#everyMs = everyMs;
    this.#key = key;
  }

  get shown(): Shown<Answer> {
    return this.#shown;
  }

  get isShown(): boolean {
    return this.#listeners.size > 0;
  }

  /** Returns how to stop. */
  show(listener: Listener): () => void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#begin();
    return () => {
      this.#listeners.delete(listener);
      if (!this.isShown) this.#end();
    };
  }

  /** Something has happened: what is shown may be old. Without anybody who shows it nothing is asked. */
  refresh(): void {
    if (!this.isShown) return;
    if (this.#asking === undefined) void this.#ask();
    else this.#isWantedAgain = true;
  }

  readonly #whenSeen = (): void => {
    if (!document.hidden) this.refresh();
  };

  #begin(): void {
    this.#timer = setInterval(this.#whenSeen, this.#everyMs);
    document.addEventListener('visibilitychange', this.#whenSeen);
    void this.#ask();
  }

  #end(): void {
    clearInterval(this.#timer);
    document.removeEventListener('visibilitychange', this.#whenSeen);
    this.#asking?.abort();
    this.#asking = undefined;
    this.#isWantedAgain = false;
  }

  async #ask(): Promise<void> {
    const asking = new AbortController();
    this.#asking = asking;
    let shown: Shown<Answer>;
    try {
      const question = { key: this.#key, signal: asking.signal, ...(this.#path === HEALTH && SOON) };
      shown = { answer: await ask<Answer>(this.#path, question), refused: undefined };
    } catch (error) {
      if (asking.signal.aborted) return;
      if (!(error instanceof Refused)) throw error;
      shown = { answer: this.#shown.answer, refused: error };
    }
    if (asking.signal.aborted) return;
    this.#asking = undefined;
    this.#shown = shown;
    for (const listener of this.#listeners) listener();
    if (!this.#isWantedAgain) return;
    this.#isWantedAgain = false;
    this.refresh();
  }
}

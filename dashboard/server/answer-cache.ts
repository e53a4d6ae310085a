// The answers that pages show, one for each question. Of those that nobody shows any more the last few are kept, so that a page that
// one goes back to is there at once; the rest is forgotten, or a day of looking at trades would keep all of them.

import { SharedAnswer } from './shared-answer.ts';

const MOST_UNSHOWN = 50;

export class AnswerCache {
  /** By question; those that were wanted last stand last. */
  readonly #answers = new Map<string, SharedAnswer<unknown>>();

  /** `everyMs` counts for whoever wants it first; `key` is the user's own, where a session opens nothing. */
  of<Answer>(path: string, everyMs: number, key?: string): SharedAnswer<Answer> {
    const name = key === undefined ? path : `${key} ${path}`;
    const found = this.#answers.get(name);
    if (found?.isShown) return found as SharedAnswer<Answer>;
    const wanted = found ?? new SharedAnswer<unknown>(path, everyMs, key);
    this.#answers.delete(name);
    this.#answers.set(name, wanted);
    this.#forget(MOST_UNSHOWN);
    return wanted as SharedAnswer<Answer>;
  }

  /** Every answer that is shown is asked for again, or the one to this question. */
  refresh(path?: string): void {
    for (const answer of path === undefined ? this.#answers.values() : [this.#answers.get(path)]) answer?.refresh();
  }

  /** Who logs in next sees nothing of what was shown before. */
  clear(): void {
    this.#forget(0);
  }

  #forget(most: number): void {
    const unshown = [...this.#answers].filter(([, answer]) => !answer.isShown);
    for (const [name] of unshown.slice(0, Math.max(0, unshown.length - most))) this.#answers.delete(name);
  }
}

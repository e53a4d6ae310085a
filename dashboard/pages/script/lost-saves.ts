// Saves whose answer was lost: each may be at the server all the same. The next one would then be in conflict with it, and with nobody
// else; so it is remembered what was sent.

import { Refused } from '../../server/ask.ts';

/** While the server is away every try is one; the last of them is the one that may have come through. */
const MOST = 20;

/** No answer, one that cannot be read, or one that says itself that it does not know. */
export const isInDoubt = (error: unknown): boolean =>
  error instanceof Refused && (error.status < 400 || error.status >= 500);

export const isConflict = (error: unknown): boolean => error instanceof Refused && error.code === 'CONFLICT';

export class LostSaves {
  #contents: readonly string[] = [];

  add(content: string): void {
    this.#contents = [...this.#contents, content].slice(-MOST);
  }

  /** A save was answered: whatever was sent before it is behind it. */
  clear(): void {
    this.#contents = [];
  }

  /** Whether this page has sent what stands at the server. */
  has(content: string): boolean {
    return this.#contents.includes(content);
  }
}

// Saves whose answer was lost: each may be at the server all the same. The next one would then be in conflict with it, and with nobody
// else; so it is remembered what was sent.

import { Refused } from '../../server/ask.ts';

/** While the server is away every try is one; the last of them is the one that may have come through. */
const MOST = 20;

/** No answer, one that cannot be read, or one that says itself that it does not know. */
export const isInDoubt = (error: unknown): boolean =>
  error instanceof Refused && (error.status < 400 || error.status >= 500);

export const isConflict = (error: unknown): boolean => error instanceof Refused && error.code === 'CONFLICT';

/** What was sent of a script; a draft has no name. */
export interface Sent {
  readonly name?: string;
  readonly content: string;
}

export class LostSaves {
  #sent: readonly Sent[] = [];

  get isEmpty(): boolean {
    return this.#sent.length === 0;
  }

  add({ name, content }: Sent): void {
    this.#sent = [...this.#sent, { ...(name !== undefined && { name }), content }].slice(-MOST);
  }

  /** A save was answered: whatever was sent before it is behind it. */
  clear(): void {
    this.#sent = [];
  }

  /** Whether this page has sent what stands at the server. */
  has({ name, content }: Sent): boolean {
    return this.#sent.some((sent) => sent.name === name && sent.content === content);
  }
}

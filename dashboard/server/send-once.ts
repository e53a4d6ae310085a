// Something that must not happen twice: it is sent again under the same key until it is certain what became of it.
//
//   sent ──answered──► done: the next one has a key of its own
//     ├──refused in a way that proves that nothing was done──► the next try is another one, with a key of its own
//     └──anything else: no answer, a broken one, a proxy's, "already accepted"──► it may be done: the key stays

import { ask, Refused } from './ask.ts';
import { newKey } from './new-key.ts';

const ALREADY_DONE = /^DUPLICATE_/;
/** Whoever answers this, the server or a proxy before it, was too slow: it may go on. */
const TOO_SLOW = 408;

/** Trading is stopped, say. */
const STOPPED = 503;

const isOwnRefusal = (error: unknown): error is Refused =>
  // Our own refusals have a code.
  error instanceof Refused && error.code !== '' && !ALREADY_DONE.test(error.code);

const isCertainlyNotDone = (error: unknown): boolean =>
  isOwnRefusal(error) && error.status >= 400 && error.status < 500 && error.status !== TOO_SLOW;

/** Whether the server has said no by one of its rules, and not because something in it broke. */
export const isRefusedByRule = (error: unknown): error is Refused =>
  isOwnRefusal(error) && (isCertainlyNotDone(error) || error.status === STOPPED);

export class SendOnce {
  #key = newKey();

  /** `isCertain` looks at an answer that may say itself that nobody knows what became of it. */
  async post<Answer>(path: string, body: object, isCertain: (answer: Answer) => boolean = () => true): Promise<Answer> {
    try {
      const keyed = { ...body, idempotencyKey: this.#key };
      const answer = await ask<Answer>(path, { method: 'POST', body: keyed, effect: 'once' });
      if (isCertain(answer)) this.#key = newKey();
      return answer;
    } catch (error) {
      if (isCertainlyNotDone(error)) this.#key = newKey();
      throw error;
    }
  }
}

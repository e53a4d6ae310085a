// Something that must not happen twice: it is sent again under the same key until it is certain what became of it.
//
//   sent ──answered──► done: the next one has a key of its own
//     ├──"already accepted"──► an earlier try did it: certain for whoever asks next; this question goes on under its key
//     ├──refused in a way that proves that nothing was done──► this try was not done; what was in doubt before it still is
//     └──anything else: no answer, a broken one, a proxy's──► it may be done: in-doubt.ts keeps the key

import { ask, Refused } from './ask.ts';
import { type InDoubt, inDoubt, keepInDoubt, nameOf, settle } from './in-doubt.ts';
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

/** It was done by an earlier try whose answer was lost. */
export class DoneBefore extends Refused {
  /** Whether that try may have been of something else, sent before it was changed. */
  readonly isOther: boolean;

  constructor({ message, status, code, originalRequestId, answer }: Refused, isOther: boolean) {
    super(message, { status, code, answer, ...(originalRequestId !== undefined && { originalRequestId }) });
    this.isOther = isOther;
  }
}

export interface SendOptions<Answer> {
  /** Looks at an answer that may say itself that nobody knows what became of it. */
  readonly isCertain?: (answer: Answer) => boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** The user's own key, where a session opens nothing. */
  readonly key?: string;
  readonly withinMs?: number;
}

export class SendOnce {
  /** What this question has sent without a certain outcome: whatever it sends next may be the same, changed. */
  #unsettled: InDoubt | undefined;

  async post<Answer>(path: string, body: object, options: SendOptions<Answer> = {}): Promise<Answer> {
    const { isCertain = () => true, ...question } = options;
    const name = nameOf(path, body);
    const before = inDoubt(name) ?? this.#unsettled ?? { key: newKey(), sentAtMs: 0, names: [] };
    const sent = { ...before, sentAtMs: Date.now(), names: [...new Set([...before.names, name])] };
    // Before it goes out: the page may be gone before it is answered.
    keepInDoubt(sent);
    try {
      const keyed = { ...body, idempotencyKey: sent.key };
      const answer = await ask<Answer>(path, { ...question, method: 'POST', body: keyed, effect: 'once' });
      this.#unsettled = isCertain(answer) ? undefined : sent;
      if (isCertain(answer)) settle(sent.key);
      return answer;
    } catch (error) {
      if (error instanceof Refused && ALREADY_DONE.test(error.code)) {
        settle(sent.key);
        this.#unsettled = before;
        throw new DoneBefore(
          error,
          before.names.some((each) => each !== name),
        );
      }
      if (!isCertainlyNotDone(error)) this.#unsettled = sent;
      else if (before.names.length > 0) keepInDoubt(before);
      else settle(sent.key);
      throw error;
    }
  }
}

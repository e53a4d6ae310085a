// Posts a notice to a web address of the owner: one request, no redirects, little time, and failures in words that hold no secret.
//
// The address itself is a secret at most receivers, so no error of the runtime leaves this file: they may name it.

import { ChannelRefused, NotifierError } from '../../trading/notifications/notifier.ts';

export interface NoticePost {
  readonly url: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the owner can do when the other side does not know the address or the token. */
  readonly remedy: string;
}

const TIMEOUT_MS = 10_000;
/** Of an answer that refuses, the reason and the pause it asks for are at its beginning. */
const MAX_ANSWER_CHARS = 2000;
const MAX_RETRY_AFTER_S = 86_400;
/** Only their owner can mend these: the address is gone, or whoever asks may not. */
const SETTING_IS_WRONG = new Set([401, 403, 404, 405, 410]);
/** The other side takes the same thing later. */
const PASSING = new Set([408, 425, 429]);

export async function postNotice({ url, body, headers, remedy }: NoticePost): Promise<void> {
  const answer = await ask(url, body, headers);
  const { status } = answer;
  if (status >= 200 && status < 300) return;
  if (status >= 300 && status < 400)
    throw new ChannelRefused(`it answered ${status}; redirects are not followed. ${remedy}`);
  if (SETTING_IS_WRONG.has(status)) throw new ChannelRefused(`it answered ${status}. ${remedy}`);
  const isPassing = status >= 500 || PASSING.has(status);
  throw new NotifierError(`it answered ${status}`, isPassing, isPassing ? retryAfterMs(answer) : undefined);
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
}

async function ask(url: string, body: string, headers: NoticePost['headers']): Promise<Answer> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/json', 'user-agent': 'Signalbox', ...headers },
      body,
      signal,
    });
    return {
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      text: await beginningOf(response),
    };
  } catch (error) {
    throw inWords(error, signal);
  }
}

/** Once the status is known, that is the answer, however the rest of it ends. */
async function beginningOf({ body }: Response): Promise<string> {
  if (body === null) return '';
  let text = '';
  const decoder = new TextDecoder();
  try {
    // Leaving the loop lets go of the connection.
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > MAX_ANSWER_CHARS) break;
    }
  } catch {}
  return text.slice(0, MAX_ANSWER_CHARS);
}

/** Discord says it in its body too, to the millisecond. */
function retryAfterMs({ retryAfter, text }: Answer): number | undefined {
  const inBody = /"retry_after"\s*:\s*(\d{1,6}(?:\.\d{1,6})?)/.exec(text)?.[1];
  const inHeader = retryAfter !== null && /^\d{1,6}(\.\d{1,6})?$/.test(retryAfter) ? retryAfter : undefined;
  const longest = Math.max(...[inBody, inHeader].map((seconds) => Number(seconds ?? 0)));
  return longest > 0 ? Math.ceil(Math.min(longest, MAX_RETRY_AFTER_S) * 1000) : undefined;
}

function inWords(error: unknown, signal: AbortSignal): NotifierError {
  if (signal.aborted) return new NotifierError(`it gave no answer within ${TIMEOUT_MS / 1000} s`, true);
  const { code } = ((error as Error).cause ?? {}) as { code?: unknown };
  return new NotifierError(`it could not be reached${typeof code === 'string' ? ` (${code})` : ''}`, true);
}

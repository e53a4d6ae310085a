// Answers of the agent as server-sent events: text as it is written, tools as they are used, and the whole at the end.
//
// The status of the answer is sent with its first event. Until then a failure is an ordinary refusal with its own status;
// after it there is only an event left to tell it with.

import type { AnswerListener } from '../../agent/converse.ts';
import { accepts } from '../../http/accepts.ts';

/** Shorter than the patience of the usual proxies with a silent connection. */
const STILL_HERE_MS = 15_000;

/** Whether the client asks for events by name. */
export const wantsEvents = (accept: string | undefined): boolean => accepts(accept, 'text/event-stream');

export interface EventStreamParts {
  /** Resolves with the last event's data. */
  readonly answer: (listener: AnswerListener) => Promise<object>;
  /** The data of an error event. */
  readonly failure: (thrown: unknown) => object;
  /** Told when the client stops reading. */
  readonly onGone: () => void;
}

/** Resolves with the first event, or rejects as the answer did when there was none. */
export function eventStream({ answer, failure, onGone }: EventStreamParts): Promise<ReadableStream<Uint8Array>> {
  const { promise, resolve, reject } = Promise.withResolvers<ReadableStream<Uint8Array>>();
  const encoder = new TextEncoder();
  let queue: ReadableStreamDefaultController<Uint8Array> | undefined;
  let begun = false;
  let timer: NodeJS.Timeout | undefined;
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      queue = controller;
    },
    cancel: () => {
      end();
      onGone();
    },
  });
  const end = (): void => {
    clearInterval(timer);
    queue = undefined;
  };
  const write = (text: string): void => queue?.enqueue(encoder.encode(text));
  const tell = (event: string, data: object): void => {
    if (!begun) {
      begun = true;
      timer = setInterval(() => write(': still here\n\n'), STILL_HERE_MS);
      resolve(stream);
    }
    // JSON has no line breaks of its own, so one data line always suffices.
    write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  const finish = (): void => {
    queue?.close();
    end();
  };
  answer({ onText: (text) => tell('delta', { text }), onTool: (call) => tell('tool', call) })
    .then((whole) => tell('done', whole))
    .catch((thrown: unknown) => {
      if (begun) tell('error', failure(thrown));
      else reject(thrown);
    })
    .finally(finish);
  return promise;
}

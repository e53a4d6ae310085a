// The protocol of WS /ws/run, message by message; the socket that carries it is somebody else's.
//
// | in                         | out                                                                       |
// |----------------------------|---------------------------------------------------------------------------|
// | {type:"run", id, …request} | {type:"result", id, …answer} or {type:"error", id, message, code, status} |
// | {type:"ping", id}          | {type:"pong", id}                                                         |
//
// A short message is looked at here, so that a ping never waits for a thread. A long one is a run, or at fault: it goes
// to its thread unread, and what it is refused with before that carries its id where the message begins with it.

import type { App } from '../../http/app.ts';
import { tooLarge } from '../../http/read-body.ts';
import { parseStrict } from '../../http/strict-body.ts';
import { LARGE_BODY_LIMIT_BYTES } from './body-memory.ts';
import { idAtTheBeginning, type MessageId, readEnvelope } from './envelope.ts';
import { jsonBytes } from './json-splice.ts';
import { refusal } from './refusal.ts';
import { anonymous, onlyAnswer, type RunDeps } from './run.ts';
import { MAX_BATCH } from './schemas.ts';

/** What is longer is never parsed on the event loop. */
const SHORT_MESSAGE_BYTES = 64 * 1024;

export interface RunSession {
  /** One message in, one out; never throws. Undefined when the session closed meanwhile: nobody reads any more. */
  receive(message: Uint8Array): Promise<Uint8Array | undefined>;
  /** Cancels what is under way. */
  close(): void;
}

export interface SessionCaller {
  readonly clientAddress: string;
  /** A new one for every message, so that the log tells them apart. */
  readonly requestIds: () => string;
}

export function openRunSession(app: App, { forwarder, takeRate }: RunDeps, caller: SessionCaller): RunSession {
  const closing = new AbortController();
  const { signal } = closing;
  const { clientAddress } = caller;
  let underWay = 0;

  const run = async (message: Uint8Array, requestId: string, onId: (id: MessageId) => void): Promise<Uint8Array> => {
    // As many as a batch may hold: one socket must not fill the queue of all.
    if (underWay >= MAX_BATCH)
      throw refusal('BUSY', `${MAX_BATCH} scripts of this connection run already; wait for one of them`);
    takeRate(clientAddress);
    underWay += 1;
    try {
      const request = { kind: 'run-message', caller: anonymous(clientAddress), requestId, signal } as const;
      const onProgress = ({ id }: { id?: MessageId }): void => {
        if (id !== undefined) onId(id);
      };
      return onlyAnswer(await forwarder.pass(message, { ...request, onProgress })).json;
    } finally {
      underWay -= 1;
    }
  };

  return {
    async receive(message) {
      const requestId = caller.requestIds();
      let id: MessageId = null;
      const onId = (known: MessageId): void => {
        id = known;
      };
      try {
        if (message.length > LARGE_BODY_LIMIT_BYTES) throw tooLarge(LARGE_BODY_LIMIT_BYTES, false);
        if (message.length > SHORT_MESSAGE_BYTES) id = idAtTheBeginning(message);
        else if (readEnvelope(parseStrict(message), onId).type === 'ping') return jsonBytes({ type: 'pong', id });
        const answer = await run(message, requestId, onId);
        return signal.aborted ? undefined : answer;
      } catch (thrown) {
        if (signal.aborted) return undefined;
        const { status, body } = app.kit.fail(thrown, requestId);
        // The shape of the service says "error" in `status`; here that is the number.
        return jsonBytes({ type: 'error', id, ...body, status });
      }
    },
    close: () => closing.abort(),
  };
}

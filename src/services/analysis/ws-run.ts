// The protocol of WS /ws/run, message by message; the socket that carries it is somebody else's.
//
// | in                         | out                                                                       |
// |----------------------------|---------------------------------------------------------------------------|
// | {type:"run", id, …request} | {type:"result", id, …answer} or {type:"error", id, message, code, status} |
// | {type:"ping", id}          | {type:"pong", id}                                                         |

import type { App } from '../../http/app.ts';
import { tooLarge } from '../../http/read-body.ts';
import { jsonBytes, withFields } from './json-splice.ts';
import { LARGE_BODY_LIMIT_BYTES } from './large-bodies.ts';
import { refusal } from './refusal.ts';
import type { RunDeps } from './run.ts';
import { MAX_BATCH } from './schemas.ts';
import type { ParseBody } from './sliced-json.ts';

/** Ids are made by clients: a number, or a text like a UUID. */
const MAX_ID_CHARS = 128;

type Id = string | number | null;

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

export interface SessionDeps extends Omit<RunDeps, 'readLarge'> {
  readonly parseBody: ParseBody;
}

export function openRunSession(
  app: App,
  { evaluate, takeRate, parseBody }: SessionDeps,
  caller: SessionCaller,
): RunSession {
  const closing = new AbortController();
  const { signal } = closing;
  let underWay = 0;

  const run = async (id: Id, request: object, requestId: string): Promise<Uint8Array> => {
    // As many as a batch may hold: one socket must not fill the queue of all.
    if (underWay >= MAX_BATCH)
      throw refusal('BUSY', `${MAX_BATCH} scripts of this connection run already; wait for one of them`);
    takeRate(caller.clientAddress);
    underWay += 1;
    try {
      return Buffer.concat(withFields({ type: 'result', id }, await evaluate(request, { requestId, signal })));
    } finally {
      underWay -= 1;
    }
  };

  return {
    async receive(message) {
      const requestId = caller.requestIds();
      let id: Id = null;
      try {
        const fields = await fieldsOf(message, parseBody);
        id = idOf(fields.id);
        if (fields.type === 'ping') return jsonBytes({ type: 'pong', id });
        if (fields.type !== 'run') throw wrongType(fields.type);
        const { type: _type, id: _id, ...request } = fields;
        const answer = await run(id, request, requestId);
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

async function fieldsOf(message: Uint8Array, parseBody: ParseBody): Promise<Record<string, unknown>> {
  if (message.length > LARGE_BODY_LIMIT_BYTES) throw tooLarge(LARGE_BODY_LIMIT_BYTES, false);
  const value = await parseBody(message);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw refusal('INVALID_BODY', 'The message is not an object. Send one like {"type":"ping","id":1}.');
}

/** Without an id a client with one message under way still knows what is answered. */
function idOf(id: unknown): Id {
  if (id === undefined || id === null) return null;
  if (typeof id === 'number' && Number.isFinite(id)) return id;
  if (typeof id === 'string' && id.length <= MAX_ID_CHARS) return id;
  throw refusal('INVALID_FIELD', `id: is not usable, send a number or a text of at most ${MAX_ID_CHARS} characters`);
}

const wrongType = (type: unknown): Error =>
  type === undefined
    ? refusal('MISSING_FIELD', 'type: is missing, send "run" or "ping"')
    : refusal('INVALID_FIELD', 'type: has a value that is not allowed, send "run" or "ping"');

// The fast road for hot endpoints: a door turns bytes into an answer, with or without Hono in between, and answers alike.
import { type IncomingMessage, type RequestListener, type ServerResponse, STATUS_CODES } from 'node:http';
import { getRequestListener, RequestError } from '@hono/node-server';
import { type Answer, type EncodedAnswer, encodeAnswer, responseOf } from './answer.ts';
import { type App, UNMATCHED } from './app.ts';
import type { AnswerCall, Call } from './endpoint.ts';
import { CLIENT_GONE_STATUS, Refusal } from './errors.ts';
import type { Finish, Kit } from './kit.ts';
import { readIncoming } from './read-body.ts';

export type { Answer } from './answer.ts';

export interface FastDoor {
  readonly path: string;
  readonly answer: AnswerCall;
  readonly limitBytes: number;
}

// Calls the door and hands on its one answer; whatever it throws becomes an answer too.
export function callDoor(kit: Kit, answerCall: AnswerCall, call: Call, settle: (answer: Answer) => void): void {
  const fail = (thrown: unknown): void => settle(kit.fail(thrown, call.requestId));
  let answer: Promise<Answer> | Answer;
  try {
    answer = answerCall(call);
  } catch (thrown) {
    fail(thrown);
    return;
  }
  // A door that answers at once is not made to wait for a turn of the promise queue.
  if (answer instanceof Promise) answer.then(settle, fail);
  else settle(answer);
}

export interface Roads {
  app: Pick<App, 'fetch' | 'kit'>;
  doors: readonly FastDoor[];
}

export interface Road extends FastDoor {
  readonly finish: Finish;
}

// The roads by their path, each with its log line and its meter prepared.
export function roadsOf({ app, doors }: Roads): ReadonlyMap<string, Road> {
  return new Map(doors.map((door) => [door.path, { ...door, finish: app.kit.finishOf('POST', door.path, door.path) }]));
}

// Serves `POST <path of a door>` straight from the socket's objects and hands everything else to Hono.
export function nodeListener(options: Roads): RequestListener {
  const { app } = options;
  const roads = roadsOf(options);
  const everythingElse = getRequestListener(app.fetch, {
    errorHandler: (thrown) => answerOutsideApp(app.kit, thrown),
  });
  return (incoming, outgoing) => {
    if (incoming.method === 'POST') {
      const target = incoming.url ?? '';
      const query = target.indexOf('?');
      const road = roads.get(query < 0 ? target : target.slice(0, query));
      if (road !== undefined) {
        serveDoor(app.kit, road, incoming, outgoing);
        return;
      }
    }
    void everythingElse(incoming, outgoing);
  };
}

function serveDoor(
  kit: Kit,
  { answer: answerCall, limitBytes, finish }: Road,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): void {
  const exchange = kit.begin(incoming.socket.remoteAddress, headerOf(incoming, 'x-forwarded-for'));
  const { requestId, clientAddress } = exchange;
  const settle = (answer: Answer): void => finish(exchange, send(kit, outgoing, answer, requestId));
  readIncoming(incoming, outgoing, limitBytes, (fault, body) => {
    if (fault === undefined) {
      callDoor(
        kit,
        answerCall,
        { requestId, body, clientAddress, headers: (name) => headerOf(incoming, name) },
        settle,
      );
    } else settle(kit.fail(fault, requestId));
  });
}

// Returns the status that was sent: an answer that cannot be encoded becomes a fault of ours.
function send(kit: Kit, outgoing: ServerResponse, answer: Answer, requestId: string): number {
  // The work is done and stays done, but the log must not say that anybody was told.
  if (outgoing.destroyed) return CLIENT_GONE_STATUS;
  try {
    return write(outgoing, encodeAnswer(answer, requestId));
  } catch (thrown) {
    return write(outgoing, encodeAnswer(kit.fail(thrown, requestId), requestId));
  }
}

function write(outgoing: ServerResponse, { status, text, encoding, headers }: EncodedAnswer): number {
  // Named, because a first try that failed leaves its own reason phrase behind.
  outgoing.writeHead(status, STATUS_CODES[status] ?? 'unknown', headers);
  outgoing.end(text, encoding);
  return status;
}

// The same joined form that Hono gives: one string per name.
function headerOf(incoming: IncomingMessage, name: string): string | undefined {
  const value = incoming.headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(', ') : value;
}

// A request line or Host that forms no URL never reaches the app, but still gets an answer in shape.
function answerOutsideApp(kit: Kit, thrown: unknown): Response {
  const exchange = kit.begin(undefined, undefined);
  const fault =
    thrown instanceof RequestError
      ? new Refusal('NOT_FOUND', 'The path or the Host header is malformed. Send a plain path and host.')
      : thrown;
  const encoded = encodeAnswer(kit.fail(fault, exchange.requestId), exchange.requestId);
  kit.finishOf('OTHER', '', UNMATCHED)(exchange, encoded.status);
  return responseOf(encoded);
}

// Bybit's private stream: a caller signs in, subscribes to topics, and pings; what happens to the account is pushed.
//
// Certain: the signed text, the operations, the topics with and without `.linear`, the shape of pongs and pushes, and that
// a connection that stays silent is ended after ten minutes. Assumed: the texts of refusals.

import { isSignedBy } from '../emulated-venue.ts';
import { messageOf } from '../read-message.ts';
import type { VenueStream } from '../venue-server.ts';

const TOPICS = new Set([
  'order',
  'execution',
  'position',
  'wallet',
  'order.linear',
  'execution.linear',
  'position.linear',
]);

interface Caller {
  readonly connectionId: string;
  /** Empty until it has signed in. */
  apiKey: string;
  readonly topics: Set<string>;
  ended: NodeJS.Timeout;
}

interface Operation {
  readonly op?: string;
  readonly req_id?: string;
  readonly args?: readonly unknown[];
}

export class PrivateStreams {
  readonly #callers = new Map<VenueStream, Caller>();
  readonly #secretOf: (apiKey: string) => string | undefined;
  readonly #nowMs: () => number;
  readonly #silenceMs: number;
  #pushed = 0;
  #connections = 0;

  constructor(secretOf: (apiKey: string) => string | undefined, nowMs: () => number, silenceMs: number) {
    this.#secretOf = secretOf;
    this.#nowMs = nowMs;
    this.#silenceMs = silenceMs;
  }

  opened(stream: VenueStream): void {
    const connectionId = `emulated-${++this.#connections}`;
    this.#callers.set(stream, { connectionId, apiKey: '', topics: new Set(), ended: this.#endLater(stream) });
  }

  closed(stream: VenueStream): void {
    clearTimeout(this.#callers.get(stream)?.ended);
    this.#callers.delete(stream);
  }

  #endLater(stream: VenueStream): NodeJS.Timeout {
    return setTimeout(() => stream.close(1000), this.#silenceMs).unref();
  }

  heard(stream: VenueStream, text: string): void {
    const caller = this.#callers.get(stream);
    if (caller === undefined) return;
    clearTimeout(caller.ended);
    caller.ended = this.#endLater(stream);
    const operation = messageOf<Operation>(text);
    const { op = '', req_id } = operation;
    const about = { conn_id: caller.connectionId, ...(req_id === undefined ? {} : { req_id }) };
    if (op === 'ping') stream.reply(JSON.stringify({ op: 'pong', args: [String(this.#nowMs())], ...about }));
    else {
      const refusal = this.#answer(caller, operation);
      stream.reply(JSON.stringify({ success: refusal === '', ret_msg: refusal, op, ...about }));
    }
  }

  /** Does what is asked; says why not, or nothing. */
  #answer(caller: Caller, { op, args = [] }: Operation): string {
    if (op === 'auth') return this.#signIn(caller, args);
    if (op !== 'subscribe' && op !== 'unsubscribe') return 'error:invalid op';
    if (caller.apiKey === '') return 'Request not authorized';
    const unknown = args.find((topic) => !TOPICS.has(String(topic)));
    if (unknown !== undefined) return `error:handler not found,topic:${String(unknown)}`;
    for (const topic of args) {
      if (op === 'subscribe') caller.topics.add(String(topic));
      else caller.topics.delete(String(topic));
    }
    return '';
  }

  #signIn(caller: Caller, [apiKey, expires, signature]: readonly unknown[]): string {
    const secret = this.#secretOf(String(apiKey));
    if (secret === undefined) return 'error:USVC1111';
    if (!(Number(expires) > this.#nowMs())) return 'Params Error';
    if (!isSignedBy(secret, `GET/realtime${String(expires)}`, String(signature))) return 'error:USVC1111';
    caller.apiKey = String(apiKey);
    return '';
  }

  /** To whoever has signed in with this key. */
  push(key: string, name: 'order' | 'execution' | 'position' | 'wallet', data: readonly object[]): void {
    this.#pushed += 1;
    const id = String(this.#pushed);
    for (const [stream, { apiKey, topics }] of this.#callers)
      for (const topic of [name, `${name}.linear`])
        if (apiKey === key && topics.has(topic))
          stream.event(JSON.stringify({ id, topic, creationTime: this.#nowMs(), data }));
  }
}

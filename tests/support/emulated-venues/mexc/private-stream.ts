// MEXC's stream, as far as an account's owner uses it: a login, after which everything personal is pushed unless it was
// declined or filtered, and pings, without which the connection ends after a minute.
//
// Certain: methods, channels, filters, and the minute. Assumed: the text of `rs.error`.

import { isSignedBy } from '../emulated-venue.ts';
import { messageOf } from '../read-message.ts';
import type { VenueStream } from '../venue-server.ts';

/** What can be pushed, and filtered by. */
export type Topic = 'order' | 'order.deal' | 'position' | 'asset' | 'plan.order' | 'stop.planorder';
const TOPICS = new Set([
  'order',
  'order.deal',
  'position',
  'plan.order',
  'stop.order',
  'stop.planorder',
  'risk.limit',
  'adl.level',
  'asset',
]);
const MAX_SKEW_MS = 10_000;

interface Filter {
  readonly filter: string;
  readonly rules?: readonly string[];
}

interface Caller {
  /** Empty until it has logged in. */
  apiKey: string;
  /** Undefined: everything. */
  filters: readonly Filter[] | undefined;
  ended: NodeJS.Timeout;
}

interface Message {
  readonly method?: string;
  readonly subscribe?: boolean;
  readonly param?: Readonly<Record<string, unknown>>;
}

export class PrivateStreams {
  readonly #callers = new Map<VenueStream, Caller>();
  readonly #secretOf: (apiKey: string) => string | undefined;
  readonly #nowMs: () => number;
  readonly #silenceMs: number;

  constructor(secretOf: (apiKey: string) => string | undefined, nowMs: () => number, silenceMs: number) {
    this.#secretOf = secretOf;
    this.#nowMs = nowMs;
    this.#silenceMs = silenceMs;
  }

  opened(stream: VenueStream): void {
    this.#callers.set(stream, { apiKey: '', filters: [], ended: this.#endLater(stream) });
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
    const message = messageOf<Message>(text);
    const say = (channel: string, data: unknown): void =>
      stream.reply(JSON.stringify({ channel, data, ts: this.#nowMs() }));
    if (message.method === 'ping') {
      clearTimeout(caller.ended);
      caller.ended = this.#endLater(stream);
      say('pong', this.#nowMs());
    } else if (message.method === 'login') {
      if (!this.#logIn(caller, message)) say('rs.error', 'Signature verification failed!');
      else say('rs.login', 'success');
    } else if (message.method === 'personal.filter') {
      if (!this.#filter(caller, message)) say('rs.error', 'not logged in, or no such filter');
      else say('rs.personal.filter', 'success');
    } else say('rs.error', `no such method: ${message.method}`);
  }

  #logIn(caller: Caller, { param = {}, subscribe = true }: Message): boolean {
    const apiKey = String(param.apiKey);
    const reqTime = String(param.reqTime);
    const secret = this.#secretOf(apiKey);
    if (secret === undefined || !isSignedBy(secret, `${apiKey}${reqTime}`, String(param.signature))) return false;
    if (!(Math.abs(this.#nowMs() - Number(reqTime)) <= MAX_SKEW_MS)) return false;
    caller.apiKey = apiKey;
    caller.filters = subscribe ? undefined : [];
    return true;
  }

  /** An empty list means everything again. */
  #filter(caller: Caller, { param = {} }: Message): boolean {
    const filters = (param.filters ?? []) as readonly Filter[];
    if (caller.apiKey === '' || filters.some(({ filter }) => !TOPICS.has(filter))) return false;
    caller.filters = filters.length === 0 ? undefined : filters;
    return true;
  }

  /** To whoever has logged in with this key. */
  push(key: string, topic: Topic, symbol: string, data: object): void {
    const text = JSON.stringify({ channel: `push.personal.${topic}`, data, ts: this.#nowMs() });
    for (const [stream, { apiKey, filters }] of this.#callers) {
      const isWanted =
        filters === undefined ||
        filters.some(({ filter, rules = [] }) => filter === topic && (rules.length === 0 || rules.includes(symbol)));
      if (apiKey === key && isWanted) stream.event(text);
    }
  }
}

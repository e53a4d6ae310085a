// WS /api/stream: live bars of any market for anybody, without a key.
//
// | in                                                       | out                                                        |
// |----------------------------------------------------------|------------------------------------------------------------|
// | ?symbol=&interval= or {action:"subscribe", symbol, interval} | {type:"status", state, symbol, interval, source}, {type:"kline", …} |
// | {action:"unsubscribe", symbol, interval}, or neither for all | {type:"status", state:"unsubscribed", …}                   |
// | {action:"ping"}                                          | {type:"pong"}                                              |
// | anything else                                            | {type:"error", code, message}                              |

import { Refusal } from '../../http/errors.ts';
import type { KitSocket, SocketRoute } from '../../http/web-sockets.ts';
import type { BarHub } from '../../market-data/bar-hub.ts';
import { parseTimeframe, timeframeText } from '../../market-data/timeframe.ts';
import { marketOf, SYMBOL_PATTERN } from '../../trading/intake/market-symbol.ts';
import type { ScriptsErrorCode } from './errors.ts';
import { refusal, type ScriptsRefusal } from './refusal.ts';
import { FanOut } from './stream-fan-out.ts';
import { errorFrame, PONG_FRAME, statusFrame, type Topic } from './stream-frames.ts';
import { createTopics, type TopicSeat, type Topics, topicName } from './stream-topics.ts';

/** As many as charts fit a screen. */
const MAX_TOPICS = 10;
/** Thousands of frames: who has not taken them by then reads no more. */
const MAX_BUFFERED_BYTES = 1024 * 1024;
const MAX_MESSAGE_BYTES = 4096;
const TRY_LATER = 1013;

export const STREAM_DOC = {
  path: '/api/stream',
  summary: 'Live bars of any market over a WebSocket',
  description: 'Name the first market as ?symbol=&interval=, or send {action:"subscribe", symbol, interval}.',
  tags: ['Market data'],
};

export interface MarketStreamOptions {
  readonly hub: BarHub;
  readonly monotonicMs: () => number;
  readonly maxTopics?: number;
  readonly maxBufferedBytes?: number;
}

export function createMarketStream(options: MarketStreamOptions): SocketRoute {
  const { hub, monotonicMs, maxBufferedBytes = MAX_BUFFERED_BYTES } = options;
  const topics = createTopics({ ...options, fanOut: new FanOut(monotonicMs) });
  return {
    service: 'scripts',
    path: '/api/stream',
    maxMessageBytes: MAX_MESSAGE_BYTES,
    open(socket, { query, clientAddress }) {
      const client = new StreamClient({ socket, topics, clientAddress, source: hub.label, maxBufferedBytes });
      const [symbol, interval] = [query.get('symbol'), query.get('interval')];
      if (symbol !== null || interval !== null) client.receive({ action: 'subscribe', symbol, interval });
      return { onText: (text) => client.receive(fieldsOf(text)), onClose: () => client.leaveAll() };
    },
  };
}

interface ClientParts {
  readonly socket: KitSocket;
  readonly topics: Topics;
  readonly clientAddress: string;
  readonly source: string;
  readonly maxBufferedBytes: number;
}

class StreamClient {
  readonly #parts: ClientParts;
  readonly #seats = new Map<string, { readonly topic: Topic; readonly seat: TopicSeat }>();

  constructor(parts: ClientParts) {
    this.#parts = parts;
  }

  /** Undefined for a message that is no JSON object. */
  receive(fields: Readonly<Record<string, unknown>> | undefined): void {
    try {
      if (fields === undefined)
        throw refusal('INVALID_BODY', 'The message is not a JSON object. Send one like {"action":"ping"}.');
      this.#act(fields);
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      const { code, message } = thrown as ScriptsRefusal;
      this.#send(errorFrame(code, message, fields === undefined ? {} : askedOf(fields)));
    }
  }

  leaveAll(): void {
    for (const { topic, seat } of this.#seats.values()) this.#parts.topics.leave(topic, seat);
    this.#seats.clear();
  }

  #act({ action, symbol, interval }: Readonly<Record<string, unknown>>): void {
    if (action === 'ping') this.#send(PONG_FRAME);
    else if (action === 'subscribe') this.#subscribe(symbol, interval);
    else if (action !== 'unsubscribe')
      throw refusal('INVALID_ACTION', 'action: is not known here, send "subscribe", "unsubscribe" or "ping"');
    else if (isMissing(symbol) && isMissing(interval))
      for (const { topic } of [...this.#seats.values()]) this.#unsubscribe(topic);
    else this.#unsubscribe(this.#topic(symbol, interval).topic);
  }

  /** A second time it says again how things are: whoever asks may have missed it. */
  #subscribe(symbol: unknown, interval: unknown): void {
    const { topics, clientAddress } = this.#parts;
    const { topic, timeframeMs } = this.#topic(symbol, interval);
    const name = topicName(topic);
    const before = this.#seats.get(name);
    if (before !== undefined) topics.leave(topic, before.seat);
    else if (this.#seats.size >= MAX_TOPICS)
      throw refusal(
        'TOO_MANY_SUBSCRIPTIONS',
        `One connection follows at most ${MAX_TOPICS} markets. Unsubscribe from one, or open another connection.`,
      );
    const seat: TopicSeat = {
      isLeft: false,
      send: (frame) => this.#send(frame),
      onEnded: () => void (this.#seats.get(name)?.seat === seat && this.#seats.delete(name)),
    };
    this.#seats.set(name, { topic, seat });
    const fault = topics.enter(topic, timeframeMs, seat, clientAddress);
    if (fault === undefined) return;
    this.#seats.delete(name);
    throw refusal('UNAVAILABLE', fault);
  }

  #unsubscribe(topic: Topic): void {
    const name = topicName(topic);
    const present = this.#seats.get(name);
    if (present !== undefined) this.#parts.topics.leave(topic, present.seat);
    this.#seats.delete(name);
    this.#send(statusFrame('unsubscribed', topic));
  }

  #topic(symbol: unknown, interval: unknown): { readonly topic: Topic; readonly timeframeMs: number } {
    const market = typeof symbol === 'string' && SYMBOL_PATTERN.test(symbol) ? marketOf(symbol) : undefined;
    if (!market) throw faultOf('symbol', symbol, 'INVALID_SYMBOL', 'BTCUSDT');
    const timeframeMs = timeframeOf(interval);
    if (timeframeMs === undefined) throw faultOf('interval', interval, 'INVALID_INTERVAL', '1m, 4h, 1d or 1w');
    return { topic: { symbol: market, interval: timeframeText(timeframeMs), source: this.#parts.source }, timeframeMs };
  }

  /** A client that does not read is let go; nobody waits for it. */
  #send(frame: Buffer): void {
    const { socket, maxBufferedBytes } = this.#parts;
    if (socket.bufferedBytes <= maxBufferedBytes) {
      socket.sendText(frame);
      return;
    }
    this.leaveAll();
    socket.close(TRY_LATER, 'this connection reads too slowly; connect again, and follow fewer markets');
  }
}

const isMissing = (value: unknown): boolean => value === undefined || value === null;

const faultOf = (field: string, value: unknown, code: ScriptsErrorCode, examples: string): ScriptsRefusal =>
  refusal(code, `${field}: ${isMissing(value) ? 'is missing' : `is no ${field}`}, send one such as ${examples}`);

function timeframeOf(interval: unknown): number | undefined {
  if (typeof interval !== 'string') return undefined;
  try {
    return parseTimeframe(interval);
  } catch {
    return undefined;
  }
}

/** What the client called the market it asked for, as far as it is short enough to be said again. */
function askedOf({ symbol, interval }: Readonly<Record<string, unknown>>): object {
  const short = (value: unknown): unknown => (typeof value === 'string' && value.length <= 20 ? value : undefined);
  return { symbol: short(symbol), interval: short(interval) };
}

function fieldsOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

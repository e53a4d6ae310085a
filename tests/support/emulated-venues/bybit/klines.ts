// Bybit's bars, which it calls klines: by pages, newest first, and by topics of its public stream.

import { parseTimeframe } from '../../../../src/market-data/timeframe.ts';
import { BarStreams } from '../bar-streams.ts';
import type { MatchingMarket } from '../matching-market.ts';
import { PriceHistory } from '../price-history.ts';
import { messageOf } from '../read-message.ts';
import type { VenueStream } from '../venue-server.ts';
import type { Parameters } from './parameters.ts';
import { BybitRefusal } from './ret-codes.ts';

const USUAL_PAGE = 200;
const MAX_PAGE = 1_000;
const INTERVALS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    1: '1m',
    3: '3m',
    5: '5m',
    15: '15m',
    30: '30m',
    60: '1h',
    120: '2h',
    240: '4h',
    360: '6h',
    720: '12h',
    D: '1d',
    W: '1w',
  }).map(([interval, timeframe]) => [interval, parseTimeframe(timeframe)]),
);

interface Operation {
  readonly op?: string;
  readonly req_id?: string;
  readonly args?: readonly string[];
}

export class Klines {
  readonly #market: MatchingMarket;
  readonly #history: PriceHistory;
  readonly #streams: BarStreams;

  constructor(market: MatchingMarket) {
    this.#market = market;
    this.#history = new PriceHistory(market);
    this.#streams = new BarStreams(market, this.#history);
  }

  list(parameters: Parameters): object {
    parameters.checkCategory();
    const { symbol } = parameters.spec(this.#market.specs);
    const timeframeMs = INTERVALS.get(parameters.text('interval') ?? '');
    if (timeframeMs === undefined) throw new BybitRefusal(10001, 'Invalid period!');
    const limit = Math.min(parameters.integer('limit') ?? USUAL_PAGE, MAX_PAGE);
    const toMs = (parameters.integer('end') ?? this.#market.nowMs()) + 1;
    const fromMs = parameters.integer('start') ?? toMs - limit * timeframeMs;
    const bars = this.#history.bars(symbol, timeframeMs, fromMs, toMs).reverse().slice(0, limit);
    const list = bars.map(({ time, open, high, low, close, volume }) =>
      [time, open, high, low, close, volume, 0].map(String),
    );
    return { symbol, list };
  }

  heard(stream: VenueStream, text: string): void {
    const { op = '', req_id, args = [] } = messageOf<Operation>(text);
    const about = { conn_id: 'emulated-public', op, ...(req_id === undefined ? {} : { req_id }) };
    if (op === 'ping') {
      stream.reply(JSON.stringify({ success: true, ret_msg: 'pong', ...about }));
      return;
    }
    const unknown = args.find((topic) => this.#topic(topic) === undefined);
    const refusal = op !== 'subscribe' ? 'error:invalid op' : `error:handler not found,topic:${unknown}`;
    const success = op === 'subscribe' && unknown === undefined;
    stream.reply(JSON.stringify({ success, ret_msg: success ? '' : refusal, ...about }));
    if (success) for (const topic of args) this.#follow(stream, topic);
  }

  closed(stream: VenueStream): void {
    this.#streams.drop(stream);
  }

  #topic(topic: string): { symbol: string; interval: string; timeframeMs: number } | undefined {
    const [, interval = '', symbol = ''] = /^kline\.(\w+)\.(\w+)$/.exec(topic) ?? [];
    const timeframeMs = INTERVALS.get(interval);
    return timeframeMs === undefined || !this.#market.specs.has(symbol) ? undefined : { symbol, interval, timeframeMs };
  }

  #follow(stream: VenueStream, topic: string): void {
    const { symbol, interval, timeframeMs } = this.#topic(topic)!;
    this.#streams.follow(stream, symbol, timeframeMs, (bar) => {
      const [open, close, high, low, volume] = [bar.open, bar.close, bar.high, bar.low, bar.volume].map(String);
      const ts = this.#market.nowMs();
      const row = { start: bar.time, end: bar.time + timeframeMs - 1, interval, open, close, high, low, volume };
      const data = [{ ...row, turnover: '0', confirm: bar.closed, timestamp: ts }];
      return JSON.stringify({ topic, type: 'snapshot', ts, data });
    });
  }
}

// Binance's bars, which it calls klines: by pages and by one stream for a market and an interval.

import type { LiveBar } from '../../../../src/market-data/bar-feed.ts';
import { barStart, parseTimeframe } from '../../../../src/market-data/timeframe.ts';
import type { MatchingMarket } from '../matching-market.ts';
import { PriceHistory } from '../price-history.ts';
import type { VenueStream } from '../venue-server.ts';
import { refuse } from './errors.ts';
import type { Parameters } from './parameters.ts';
import { specOf } from './request-order.ts';

const INTERVALS = ['1m', '3m', '5m', '15m', '30m', '1h', '2h', '4h', '6h', '8h', '12h', '1d', '1w'];
const STREAM = /^\/market\/ws\/(\w+)@kline_(\w+)$/;

/** Heavier the longer the page. */
export function klineWeight(parameters: Parameters): number {
  const limit = parameters.integer('limit') ?? 500;
  return limit < 100 ? 1 : limit < 500 ? 2 : limit <= 1000 ? 5 : 10;
}

export class Klines {
  readonly #market: MatchingMarket;
  readonly #history: PriceHistory;
  readonly #streams = new Set<VenueStream>();
  /** The start of the bar that a stream was told last. */
  readonly #told = new Map<VenueStream, number>();

  constructor(market: MatchingMarket) {
    this.#market = market;
    this.#history = new PriceHistory(market);
    market.listen((event) => {
      if (event.type === 'price') for (const stream of this.#streams) this.#push(stream, event.symbol);
    });
  }

  list(parameters: Parameters): unknown {
    const { symbol } = specOf(this.#market, parameters);
    const interval = parameters.requiredText('interval');
    if (!INTERVALS.includes(interval)) throw refuse('-1120');
    const timeframeMs = parseTimeframe(interval);
    const limit = parameters.limit(500, 1500);
    const toMs = (parameters.integer('endTime') ?? this.#market.nowMs()) + 1;
    const fromMs = parameters.integer('startTime') ?? barStart(toMs - 1, timeframeMs) - (limit - 1) * timeframeMs;
    const bars = this.#history.bars(symbol, timeframeMs, fromMs, toMs).slice(0, limit);
    return bars.map(({ time, open, high, low, close, volume }) => [
      time,
      ...[open, high, low, close, volume].map(String),
      time + timeframeMs - 1,
      '0',
      volume,
      '0',
      '0',
      '0',
    ]);
  }

  isStream(path: string): boolean {
    return STREAM.test(path);
  }

  add(stream: VenueStream): void {
    this.#streams.add(stream);
  }

  remove(stream: VenueStream): void {
    this.#streams.delete(stream);
    this.#told.delete(stream);
  }

  /** The bar that the price belongs to, and before it the one that it has ended. */
  #push(stream: VenueStream, symbol: string): void {
    const [, name = '', interval = ''] = STREAM.exec(stream.path) ?? [];
    if (name.toUpperCase() !== symbol || !INTERVALS.includes(interval)) return;
    const timeframeMs = parseTimeframe(interval);
    const nowMs = this.#market.nowMs();
    const start = barStart(nowMs, timeframeMs);
    const told = this.#told.get(stream) ?? start;
    for (const bar of this.#history.bars(symbol, timeframeMs, told, nowMs + 1))
      stream.reply(
        JSON.stringify({ e: 'kline', E: nowMs, s: symbol, k: klineText(bar, symbol, interval, timeframeMs) }),
      );
    this.#told.set(stream, start);
  }
}

function klineText(bar: LiveBar, symbol: string, interval: string, timeframeMs: number): object {
  const [o, c, h, l, v] = [bar.open, bar.close, bar.high, bar.low, bar.volume].map(String);
  return { t: bar.time, T: bar.time + timeframeMs - 1, s: symbol, i: interval, o, c, h, l, v, x: bar.closed };
}

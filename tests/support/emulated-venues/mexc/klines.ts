// MEXC's bars: by pages in columns, in seconds and contracts, and by a stream that never says which bar is over.

import { parseTimeframe } from '../../../../src/market-data/timeframe.ts';
import { toNumber } from '../../../../src/trading/decimal.ts';
import { BarStreams } from '../bar-streams.ts';
import type { MatchingMarket } from '../matching-market.ts';
import { PriceHistory } from '../price-history.ts';
import { messageOf } from '../read-message.ts';
import type { VenueStream } from '../venue-server.ts';
import type { Contracts } from './contracts.ts';
import { MexcRefusal } from './error-codes.ts';
import type { Parameters } from './parameters.ts';

const MAX_ROWS = 2_000;
const INTERVALS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    Min1: '1m',
    Min5: '5m',
    Min15: '15m',
    Min30: '30m',
    Min60: '1h',
    Hour4: '4h',
    Hour8: '8h',
    Day1: '1d',
  }).map(([interval, timeframe]) => [interval, parseTimeframe(timeframe)]),
);

interface Message {
  readonly method?: string;
  readonly param?: { readonly symbol?: string; readonly interval?: string };
}

export class Klines {
  readonly #market: MatchingMarket;
  readonly #contracts: Contracts;
  readonly #history: PriceHistory;
  readonly #streams: BarStreams;

  constructor(market: MatchingMarket, contracts: Contracts) {
    this.#market = market;
    this.#contracts = contracts;
    this.#history = new PriceHistory(market);
    this.#streams = new BarStreams(market, this.#history);
  }

  /** Of a longer stretch the latest come. */
  columns(parameters: Parameters): object {
    const { symbol, contractSize } = this.#contracts.find(parameters.text('symbol'));
    const timeframeMs = INTERVALS.get(parameters.text('interval') ?? 'Min1');
    if (timeframeMs === undefined) throw new MexcRefusal(600);
    const toMs = (parameters.integer('end') ?? Math.floor(this.#market.nowMs() / 1000)) * 1000 + 1;
    const start = parameters.integer('start');
    const fromMs = start === undefined ? toMs - MAX_ROWS * timeframeMs : start * 1000;
    const bars = this.#history.bars(symbol, timeframeMs, fromMs, toMs).slice(-MAX_ROWS);
    return {
      time: bars.map(({ time }) => time / 1000),
      open: bars.map(({ open }) => open),
      close: bars.map(({ close }) => close),
      high: bars.map(({ high }) => high),
      low: bars.map(({ low }) => low),
      vol: bars.map(({ volume }) => Math.round(volume / toNumber(contractSize))),
      amount: bars.map(() => 0),
    };
  }

  /** False: it was not for bars. */
  heard(stream: VenueStream, text: string): boolean {
    const { method, param = {} } = messageOf<Message>(text);
    if (method !== 'sub.kline') return false;
    const say = (channel: string, data: string): void =>
      stream.reply(JSON.stringify({ channel, data, ts: this.#market.nowMs() }));
    const timeframeMs = INTERVALS.get(param.interval ?? '');
    const spec = [...this.#market.specs.values()].find(({ symbol }) => this.#contracts.nameOf(symbol) === param.symbol);
    if (spec === undefined || timeframeMs === undefined) say('rs.error', `Contract [${param.symbol}] not exists`);
    else {
      say('rs.sub.kline', 'success');
      this.#follow(stream, spec.symbol, param.interval!, timeframeMs);
    }
    return true;
  }

  closed(stream: VenueStream): void {
    this.#streams.drop(stream);
  }

  #follow(stream: VenueStream, symbol: string, interval: string, timeframeMs: number): void {
    const name = this.#contracts.nameOf(symbol);
    const contractSize = toNumber(this.#market.spec(symbol).contractSize);
    this.#streams.follow(stream, symbol, timeframeMs, ({ time, open, high, low, close, volume }) => {
      const q = Math.round(volume / contractSize);
      const data = { symbol: name, interval, t: time / 1000, o: open, c: close, h: high, l: low, q, a: 0 };
      return JSON.stringify({ channel: 'push.kline', data, symbol: name, ts: this.#market.nowMs() });
    });
  }
}

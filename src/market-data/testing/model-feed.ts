// A feed over a market made of plain numbers: what is true is known, and everything that can go wrong does so on request.

import type { Timers } from '../../timing/timers.ts';
import { type BarFeed, type FeedListener, FeedRefusal, type LiveBar } from '../bar-feed.ts';
import type { Bar } from '../price-source.ts';

export const MINUTE_MS = 60_000;

export interface ModelFeed extends BarFeed {
  /** How many bars of a minute are closed; the next one is forming. */
  closedCount: number;
  /** So many calls of history reject. */
  failures: number;
  /** So many calls of history do not know the newest bar yet. */
  lags: number;
  historyDelayMs: number;
  /** Times at which there is no bar, because nothing was traded. */
  readonly silent: Set<number>;
  readonly calls: { market: string; timeframeMs: number; fromMs: number; toMs: number }[];
  readonly upstreams: number;
  readonly followed: number;
  isConnected: boolean;
  /** A bar as it is known when so many are closed. */
  bar(index: number): LiveBar;
  /** The names of all there are; they have the same bars. */
  readonly markets: Set<string>;
  emit(bar: LiveBar, market?: string): void;
  /** The forming bar, then its end, then the next one's start. */
  closeOne(heard?: { closed?: boolean; forming?: boolean }): void;
  lose(reason?: string): void;
  restore(): void;
}

export const MODEL_MARKET = 'BTCUSDT';

const finalBar = (index: number): Bar => ({
  time: index * MINUTE_MS,
  open: index,
  high: index + 2,
  low: index - 1,
  close: index + 1,
  volume: 10,
});

export function createModelFeed(timers: Timers, startCount: number): ModelFeed {
  const listeners = new Map<FeedListener, string>();
  const forming = (index: number): Bar => ({ ...finalBar(index), close: index + 0.5, volume: 3 });
  const known = (count: number, fromMs: number, toMs: number): Bar[] => {
    const bars: Bar[] = [];
    for (let index = Math.max(0, Math.ceil(fromMs / MINUTE_MS)); index <= count; index += 1) {
      if (index * MINUTE_MS >= toMs) break;
      if (!model.silent.has(index)) bars.push(index < count ? finalBar(index) : forming(index));
    }
    return bars;
  };
  let upstreams = 0;

  const model: ModelFeed = {
    label: 'binance',
    timeframesMs: [MINUTE_MS],
    closedCount: startCount,
    failures: 0,
    lags: 0,
    historyDelayMs: 0,
    silent: new Set(),
    markets: new Set([MODEL_MARKET]),
    calls: [],
    isConnected: true,
    get upstreams() {
      return upstreams;
    },
    get followed() {
      return listeners.size;
    },
    marketNames: async () => [...model.markets],
    async bars(market, timeframeMs, fromMs, toMs) {
      model.calls.push({ market, timeframeMs, fromMs, toMs });
      const { historyDelayMs } = model;
      if (historyDelayMs > 0) await new Promise<void>((resolve) => timers.after(historyDelayMs, resolve));
      if (!model.markets.has(market)) throw new FeedRefusal(`there is no market ${market}`);
      if (model.failures > 0) {
        model.failures -= 1;
        throw new Error('the venue does not answer');
      }
      const lag = model.lags > 0 ? 1 : 0;
      model.lags -= lag;
      const bars = known(model.closedCount, fromMs, toMs);
      return lag === 1 ? bars.filter((bar) => bar.time < model.closedCount * MINUTE_MS) : bars;
    },
    follow(market, _timeframeMs, listener) {
      upstreams += 1;
      listeners.set(listener, market);
      timers.after(0, () => listener.onState(model.isConnected ? 'live' : 'reconnecting'));
      return { close: () => void listeners.delete(listener) };
    },
    close: () => listeners.clear(),
    bar: (index) => ({
      ...(index < model.closedCount ? finalBar(index) : forming(index)),
      closed: index < model.closedCount,
    }),
    emit(bar, market = MODEL_MARKET) {
      for (const [listener, followed] of [...listeners]) if (followed === market) listener.onBar(bar);
    },
    closeOne({ closed = true, forming: hasForming = true } = {}) {
      model.closedCount += 1;
      if (!model.isConnected) return;
      if (closed) model.emit(model.bar(model.closedCount - 1));
      if (hasForming) model.emit(model.bar(model.closedCount));
    },
    lose(reason) {
      model.isConnected = false;
      for (const listener of [...listeners.keys()]) listener.onState('reconnecting', reason);
    },
    restore() {
      model.isConnected = true;
      for (const listener of [...listeners.keys()]) listener.onState('live');
    },
  };
  return model;
}

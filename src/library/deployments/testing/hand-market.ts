// A market of one timeframe whose bars a test closes by hand: told live, told late, told twice, or not told at all.

import type { MarketBar, MarketBars, MarketListener } from '../ports.ts';

export const MINUTE_MS = 60_000;
/** On a minute. */
export const FIRST_BAR_MS = 1_700_000_040_000;
export const MARKET = 'BTCUSDT';

/** Always the same for one time. */
export function barAt(timeMs: number): MarketBar {
  const index = (timeMs - FIRST_BAR_MS) / MINUTE_MS;
  const close = 100 + ((Math.imul(index, 2_654_435_761) >>> 8) % 13);
  return { time: timeMs, open: 100, high: 120, low: 90, close, volume: 1 };
}

export interface HandMarketOptions {
  readonly timeframeMs?: number;
  /** Always the same for one time. */
  readonly barAt?: (timeMs: number) => MarketBar;
}

export interface HandMarket extends MarketBars {
  readonly timeframeMs: number;
  /** Start of the bar that is forming. */
  readonly formingMs: number;
  /** The forming bar closes and the next begins; `told` says whether the stream says so. */
  closeBar(told?: boolean): void;
  /** The stream tells of a closed bar, perhaps again or late. */
  tell(timeMs: number): void;
  /** The forming bar, as it stands when nothing is said. */
  tick(bar?: MarketBar): void;
  state(state: 'live' | 'reconnecting'): void;
  refuse(message: string): void;
  /** While set, history cannot be read. */
  fault: Error | undefined;
  readonly followers: number;
  readonly asked: number;
  /** As the end of the process that listened. */
  forgetFollowers(): void;
}

export function createHandMarket(closedBars = 1500, options: HandMarketOptions = {}): HandMarket {
  const { timeframeMs = MINUTE_MS, barAt: made = barAt } = options;
  const firstBarMs = Math.ceil(FIRST_BAR_MS / timeframeMs) * timeframeMs;
  let formingMs = firstBarMs + closedBars * timeframeMs;
  let asked = 0;
  const listeners = new Set<MarketListener>();
  const tell = (timeMs: number, closed: boolean): void => {
    for (const listener of [...listeners]) listener.onBar({ ...made(timeMs), closed });
  };
  const market: HandMarket = {
    timeframeMs,
    fault: undefined,
    get formingMs() {
      return formingMs;
    },
    get followers() {
      return listeners.size;
    },
    get asked() {
      return asked;
    },
    async bars(name, wantedMs, fromMs, toMs) {
      asked += 1;
      if (market.fault !== undefined) throw market.fault;
      if (name !== MARKET || wantedMs !== timeframeMs)
        throw Object.assign(new Error(`there is no market ${name}`), { name: 'FeedRefusal' });
      const found: MarketBar[] = [];
      const first = Math.max(firstBarMs, Math.ceil(fromMs / timeframeMs) * timeframeMs);
      for (let time = first; time < toMs && time <= formingMs; time += timeframeMs) found.push(made(time));
      return found;
    },
    follow(_name, _timeframeMs, listener) {
      listeners.add(listener);
      queueMicrotask(() => listener.onState('live'));
      return { close: () => void listeners.delete(listener) };
    },
    closeBar(told = true) {
      const closedMs = formingMs;
      formingMs += timeframeMs;
      if (told) tell(closedMs, true);
    },
    tell: (timeMs) => tell(timeMs, true),
    tick: (bar = made(formingMs)) => {
      for (const listener of [...listeners]) listener.onBar({ ...bar, closed: false });
    },
    state: (state) => {
      for (const listener of [...listeners]) listener.onState(state);
    },
    refuse: (message) => {
      for (const listener of [...listeners]) listener.onRefused?.('full', message);
      listeners.clear();
    },
    forgetFollowers: () => listeners.clear(),
  };
  return market;
}

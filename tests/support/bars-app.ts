// The endpoints of bars on an app without a socket: over the simulated market at a moment that stands still, or over a market
// of plain numbers with a store, whose every request to the venue is noted.

import { createSimulatedFeed } from '../../src/adapters/market-data/simulated/simulated-feed.ts';
import { createSimulatedMarket } from '../../src/adapters/market-data/simulated/simulated-market.ts';
import { createInternalGate } from '../../src/http/internal-auth.ts';
import { createFixture } from '../../src/http/testing/app-fixture.ts';
import { createBarArchive } from '../../src/market-data/bar-archive.ts';
import type { BarFeed } from '../../src/market-data/bar-feed.ts';
import type { BarStore } from '../../src/market-data/bar-store.ts';
import { MarketBars } from '../../src/market-data/market-bars.ts';
import { createMemoryBarStore } from '../../src/market-data/testing/memory-bar-store.ts';
import { createModelFeed, MINUTE_MS } from '../../src/market-data/testing/model-feed.ts';
import { mountBars } from '../../src/services/gateway/bars.ts';
import { GATEWAY_ERRORS, gatewayShape } from '../../src/services/gateway/errors.ts';
import { createHandClock } from '../../src/timing/testing/hand-clock.ts';
import { checkAnswersOf } from './checked-app.ts';

/** A Wednesday, half a minute past noon. */
export const NOON_MS = Date.UTC(2026, 0, 7, 12);

interface Parts {
  readonly feed: BarFeed;
  readonly store: BarStore | undefined;
  readonly nowMs: () => number;
}

export function marketBarsOf({ feed, store, nowMs }: Parts): MarketBars {
  const archive = createBarArchive({ feed, store, log: { warn: () => {} } });
  return new MarketBars({ feed, archive, store, nowMs });
}

export function simulatedBars(nowMs = (): number => NOON_MS + 30_000): MarketBars {
  const { timers } = createHandClock(0);
  const feed = createSimulatedFeed({ market: createSimulatedMarket({ seed: 7, nowMs }), nowMs, timers });
  return marketBarsOf({ feed, store: undefined, nowMs });
}

/** A venue with so many closed minutes since 1970, and the archive of what was asked of it. */
export function modelBars(closedCount = 1000, given: BarStore | 'none' = createMemoryBarStore()) {
  const store = given === 'none' ? undefined : given;
  const clock = createHandClock(closedCount * MINUTE_MS + 30_000);
  const feed = createModelFeed(clock.timers, closedCount);
  return { clock, feed, store, bars: marketBarsOf({ feed, store, nowMs: clock.nowMs }) };
}

export function openBarsApp(bars: MarketBars, nowMs = (): number => NOON_MS + 30_000) {
  const { app } = createFixture({ service: 'gateway', errors: GATEWAY_ERRORS, shape: gatewayShape });
  checkAnswersOf(app);
  const faults: unknown[] = [];
  const deps = { bars: async () => bars, nowMs, onFault: (error: unknown) => faults.push(error) };
  mountBars(app, deps, createInternalGate({ token: undefined }));
  const call = async (path: string, peer = '127.0.0.1') => {
    const response = await app.request(path, { headers: { host: 'localhost' } }, { peer });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  const get = (path: string, query: Record<string, string | number> = {}, peer?: string) => {
    const entries = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
    return call(`${path}?${new URLSearchParams(entries)}`, peer);
  };
  return { call, get, faults };
}

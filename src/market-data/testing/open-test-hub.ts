// A hub over a market of plain numbers, with a clock and a store in the test's hand, and listeners that write down what they hear.

import { createHandClock } from '../../timing/testing/hand-clock.ts';
import { createBarArchive } from '../bar-archive.ts';
import type { FeedState, LiveBar } from '../bar-feed.ts';
import { type BarHubOptions, createBarHub } from '../bar-hub.ts';
import { createMemoryBarStore } from './memory-bar-store.ts';
import { createModelFeed, MINUTE_MS, MODEL_MARKET } from './model-feed.ts';

/** Bars closed before a test begins. */
export const BEFORE = 1000;

export interface Heard {
  readonly states: FeedState[];
  readonly bars: LiveBar[];
  readonly refusals: string[];
  /** States and bars as they came: `live`, `1000…` for forming, `1000` for closed. */
  readonly story: string[];
  close(): void;
}

export function openTestHub(choice: Partial<Pick<BarHubOptions, 'maxChannels' | 'maxListeners'>> = {}) {
  const clock = createHandClock(BEFORE * MINUTE_MS + 20_000);
  const feed = createModelFeed(clock.timers, BEFORE);
  const warnings: string[] = [];
  const log = { warn: (_fields: object, message: string) => void warnings.push(message) };
  const store = createMemoryBarStore();
  const archive = createBarArchive({ feed, store, log });
  const hub = createBarHub({
    feed,
    archive,
    log,
    nowMs: clock.nowMs,
    timers: clock.timers,
    random: () => 1,
    ...choice,
  });

  const listen = (market = MODEL_MARKET, timeframeMs = MINUTE_MS): Heard => {
    const states: FeedState[] = [];
    const bars: LiveBar[] = [];
    const refusals: string[] = [];
    const story: string[] = [];
    const { close } = hub.follow(market, timeframeMs, {
      onState(state) {
        states.push(state);
        story.push(state);
      },
      onBar(bar) {
        bars.push(bar);
        story.push(`${bar.time / timeframeMs}${bar.closed ? '' : '…'}`);
      },
      onRefused: (kind, message) => void refusals.push(`${kind}: ${message}`),
    });
    return { states, bars, refusals, story, close };
  };
  /** Minutes pass on the clock and in the market alike. */
  const closeOne = async (heard?: Parameters<typeof feed.closeOne>[0]): Promise<void> => {
    await clock.advance(MINUTE_MS);
    feed.closeOne(heard);
    await clock.settle();
  };
  return { clock, feed, store, archive, hub, warnings, listen, closeOne };
}

// What a shared stream says when words are lost, when its holder falls silent, and when somebody comes late.

import { describe, expect, test } from 'vitest';
import { createHandClock } from '../timing/testing/hand-clock.ts';
import { type BarFeed, FeedRefusal } from './bar-feed.ts';
import type { BarRelay } from './bar-relay.ts';
import { shareFeed } from './shared-feed.ts';
import { createModelFeed, MINUTE_MS, MODEL_MARKET } from './testing/model-feed.ts';

const BEFORE = 10;

/** A relay in memory, whose words can be lost and which can be away. */
function createModelRelay() {
  const leases = new Map<string, string>();
  const ears = new Set<(text: string) => void>();
  const model = {
    isAway: false,
    isDeaf: false,
    leases,
    say: (text: string) => {
      for (const hear of ears) hear(text);
    },
  };
  const relay: BarRelay = {
    claim(stream, holder) {
      if (model.isAway) return undefined;
      if (leases.has(stream)) return false;
      leases.set(stream, holder);
      return true;
    },
    tell(stream, holder, text) {
      if (model.isAway) return undefined;
      if (leases.get(stream) !== holder) return false;
      if (!model.isDeaf) model.say(text);
      return true;
    },
    release(stream, holder) {
      if (leases.get(stream) === holder) leases.delete(stream);
    },
    listen(_stream, onText) {
      ears.add(onText);
      return { close: () => void ears.delete(onText) };
    },
  };
  return Object.assign(model, { relay });
}

function openMarket() {
  const clock = createHandClock(0);
  const feed = createModelFeed(clock.timers, BEFORE);
  const model = createModelRelay();
  const follow = (chosen: BarFeed = feed) => {
    const story: string[] = [];
    const shared = shareFeed({
      ...{ feed: chosen, relay: model.relay, source: 'model', timers: clock.timers, monotonicMs: clock.nowMs },
    });
    const stream = shared.follow(MODEL_MARKET, MINUTE_MS, {
      onState: (state) => void story.push(state),
      onBar: (bar) => void story.push(`${bar.time / MINUTE_MS}${bar.closed ? '' : '…'}`),
    });
    return { story, close: () => stream.close(), shared };
  };
  return { clock, feed, model, follow };
}

async function openTwo() {
  const market = openMarket();
  const holder = market.follow();
  await market.clock.advance(10);
  const other = market.follow();
  await market.clock.advance(1000);
  return { ...market, holder, other };
}

describe('a follower', () => {
  test('hears every word once, and beats tell it nothing new', async () => {
    const { clock, feed, holder, other } = await openTwo();
    feed.closeOne();
    await clock.advance(5000);
    expect(holder.story).toEqual(['live', '10', '11…']);
    expect(other.story).toEqual(holder.story);
    expect(feed.followed).toBe(1);
  });

  test('that comes late is told the last bar with the next beat', async () => {
    const { clock, feed, follow } = await openTwo();
    feed.closeOne();
    const late = follow();
    await clock.advance(1000);
    expect(late.story).toEqual(['live', '11…']);
  });

  test('that missed a word says so before the next', async () => {
    const { clock, feed, model, other } = await openTwo();
    model.isDeaf = true;
    feed.closeOne();
    model.isDeaf = false;
    feed.closeOne();
    await clock.settle();
    expect(other.story).toEqual(['live', 'reconnecting', 'live', '11', '12…']);
  });

  test('says that nothing is known after three seconds of silence, and goes on where words come again', async () => {
    const { clock, feed, model, other } = await openTwo();
    model.isDeaf = true;
    await clock.advance(2000);
    expect(other.story).toEqual(['live']);
    await clock.advance(2000);
    expect(other.story).toEqual(['live', 'reconnecting']);
    model.isDeaf = false;
    feed.closeOne();
    expect(other.story).toEqual(['live', 'reconnecting', 'live', '10', '11…']);
  });

  test.each(['', '{}', '[1', 'null', '{"holder":"x","number":1,"state":"gone"}'])('does not mind %j', async (text) => {
    const { model, other } = await openTwo();
    model.say(text);
    model.say('{"holder":"x","number":1,"state":"live","bar":{"time":1}}');
    expect(other.story).toEqual(['live']);
  });
});

test('a holder that closes its stream leaves it to the next', async () => {
  const { clock, feed, model, holder, other } = await openTwo();
  holder.close();
  expect([feed.followed, model.leases.size]).toEqual([0, 0]);
  await clock.advance(1000);
  expect(feed.followed).toBe(1);
  expect(other.story).toEqual(['live', 'reconnecting', 'live']);
});

test('while nobody can be asked each has its own upstream; then one of them goes on with its own', async () => {
  const { clock, feed, model, holder, other } = await openTwo();
  model.isAway = true;
  await clock.advance(1000);
  expect(feed.followed).toBe(2);
  expect(holder.story).toEqual(['live']);
  expect(other.story).toEqual(['live', 'reconnecting', 'live']);
  model.leases.clear();
  model.isAway = false;
  await clock.advance(2000);
  expect([feed.followed, feed.upstreams]).toEqual([1, 2]);
});

test('a venue that takes no further stream leaves it to another process', async () => {
  const { clock, feed, model, follow } = openMarket();
  const full: BarFeed = {
    ...feed,
    follow() {
      throw new Error('at most 250 streams at once');
    },
  };
  const first = follow(full);
  await clock.settle();
  expect(first.story).toEqual(['reconnecting']);
  expect(model.leases.size).toBe(0);
  const second = follow();
  await clock.advance(10);
  feed.closeOne();
  expect(first.story).toEqual(['reconnecting', 'live', '10', '11…']);
  expect(second.story).toEqual(['live', '10', '11…']);
});

test('a timeframe that the venue has not is refused at once', () => {
  const { feed, follow } = openMarket();
  const { shared } = follow();
  feed.follow = () => {
    throw new FeedRefusal('no such timeframe');
  };
  expect(() => shared.follow(MODEL_MARKET, 7, { onState: () => {}, onBar: () => {} })).toThrow(FeedRefusal);
});

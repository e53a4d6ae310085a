// The hub of live bars: one upstream for all who listen, limits, and timeframes made of smaller ones.

import { describe, expect, test } from 'vitest';
import { FeedRefusal, type LiveBar } from './bar-feed.ts';
import { MINUTE_MS } from './testing/model-feed.ts';
import { BEFORE, openTestHub } from './testing/open-test-hub.ts';

const closedTimes = (bars: readonly LiveBar[]): number[] =>
  bars.filter(({ closed }) => closed).map(({ time }) => time / MINUTE_MS);

describe('a listener', () => {
  test('hears the state at once, then the forming bar, then that it is live, but never before follow has returned', async () => {
    const { clock, listen } = openTestHub();
    const heard = listen();
    expect(heard.story).toEqual([]);
    await clock.advance(0);
    expect(heard.story).toEqual(['connecting', `${BEFORE}…`, 'live']);
  });

  test('hears the forming bar as it changes and its end once', async () => {
    const { clock, feed, listen, closeOne } = openTestHub();
    const heard = listen();
    await clock.advance(0);
    feed.emit(feed.bar(BEFORE));
    await closeOne();
    expect(heard.story.slice(3)).toEqual([`${BEFORE}…`, `${BEFORE}`, `${BEFORE + 1}…`]);
    expect(heard.bars.at(-2)).toEqual({ ...feed.bar(BEFORE), closed: true });
  });

  test('that comes later hears the present state and the forming bar, and shares the upstream', async () => {
    const { clock, feed, listen, closeOne } = openTestHub();
    listen();
    await closeOne();
    const late = listen();
    await clock.settle();
    expect(late.story).toEqual(['live', `${BEFORE + 1}…`]);
    expect(feed.upstreams).toBe(1);
  });

  test('that has left hears nothing more', async () => {
    const { clock, listen, closeOne } = openTestHub();
    const [gone, other] = [listen(), listen()];
    await clock.advance(0);
    gone.close();
    const before = gone.story.length;
    await closeOne();
    expect(gone.story).toHaveLength(before);
    expect(closedTimes(other.bars)).toEqual([BEFORE]);
  });

  test('that left before it was called is never called', async () => {
    const { clock, listen } = openTestHub();
    const heard = listen();
    heard.close();
    await clock.advance(0);
    expect(heard.story).toEqual([]);
  });

  test('that throws is heard of in the log, and the others are served', async () => {
    const { clock, hub, warnings, listen, closeOne } = openTestHub();
    hub.follow('BTCUSDT', MINUTE_MS, {
      onState: () => {},
      onBar() {
        throw new Error('a fault of the listener');
      },
    });
    const other = listen();
    await clock.advance(0);
    await closeOne();
    expect(closedTimes(other.bars)).toEqual([BEFORE]);
    expect(warnings).toContain('a listener of live bars failed; the others were served');
  });
});

describe('the upstream', () => {
  test('is one for a thousand listeners', async () => {
    const { clock, feed, hub, listen, closeOne } = openTestHub();
    const all = Array.from({ length: 1000 }, () => listen());
    await clock.advance(0);
    await closeOne();
    expect(feed.upstreams).toBe(1);
    expect(hub.size).toEqual({ channels: 1, listeners: 1000 });
    for (const heard of all) expect(closedTimes(heard.bars)).toEqual([BEFORE]);
  });

  test('is kept for thirty seconds after the last listener has left, and then closed', async () => {
    const { clock, feed, listen } = openTestHub();
    const first = listen();
    await clock.advance(0);
    first.close();
    await clock.advance(29_999);
    expect(feed.followed).toBe(1);
    const second = listen();
    await clock.advance(60_000);
    expect([feed.followed, feed.upstreams]).toEqual([1, 1]);
    second.close();
    await clock.advance(30_000);
    expect(feed.followed).toBe(0);
  });

  test('is closed with the hub, and nobody is called any more', async () => {
    const { clock, feed, hub, listen } = openTestHub();
    const heard = listen();
    await clock.advance(0);
    hub.close();
    const before = heard.story.length;
    feed.closeOne();
    await clock.advance(120_000);
    expect([feed.followed, clock.waiting]).toEqual([0, 0]);
    expect(heard.story).toHaveLength(before);
    expect(hub.size.channels).toBe(0);
  });
});

describe('what cannot be followed', () => {
  test.each([1, 3])(
    'an unknown market is refused once, to each listener, and costs no upstream (%im)',
    async (minutes) => {
      const { clock, feed, hub, listen } = openTestHub();
      const all = [listen('NOSUCH', minutes * MINUTE_MS), listen('NOSUCH', minutes * MINUTE_MS)];
      await clock.advance(60_000);
      for (const heard of all) expect(heard.refusals).toEqual(['market: there is no market NOSUCH']);
      expect(feed.followed).toBe(0);
      expect(hub.size).toEqual({ channels: 0, listeners: 0 });
    },
  );

  test.each([
    [new FeedRefusal('no such thing here'), 'market: no such thing here'],
    [new Error('200 streams at most'), 'full: 200 streams at most'],
  ])('an upstream that cannot be had at all is told in its own words: %s', async (error, words) => {
    const { clock, feed, hub, listen } = openTestHub();
    feed.follow = () => {
      throw error;
    };
    const heard = listen();
    await clock.advance(0);
    expect(heard.refusals).toEqual([words]);
    expect(hub.size).toEqual({ channels: 0, listeners: 0 });
  });

  test('a timeframe that no bars of the venue fit into is refused in words', async () => {
    const { clock, listen } = openTestHub();
    const heard = listen('BTCUSDT', 90_000);
    await clock.settle();
    expect(heard.refusals[0]).toMatch(/^timeframe: binance has no bars of this timeframe/);
  });

  test('one market more than the limit is refused; one nobody listens to makes room', async () => {
    const { clock, listen } = openTestHub({ maxChannels: 2 });
    const [first] = [listen('BTCUSDT', MINUTE_MS), listen('BTCUSDT', 2 * MINUTE_MS)];
    await clock.advance(0);
    const refused = listen('BTCUSDT', 3 * MINUTE_MS);
    await clock.settle();
    expect(refused.refusals[0]).toMatch(/^full: too many markets/);
    const same = listen('BTCUSDT', 2 * MINUTE_MS);
    first.close();
    const last = listen('BTCUSDT', 3 * MINUTE_MS);
    await clock.advance(0);
    expect([same.refusals, last.refusals]).toEqual([[], []]);
  });

  test('one listener more than the limit is refused until another leaves', async () => {
    const { clock, listen } = openTestHub({ maxListeners: 1 });
    const first = listen();
    const second = listen();
    await clock.settle();
    expect(second.refusals[0]).toMatch(/^full: too many listen/);
    first.close();
    const third = listen();
    await clock.advance(0);
    expect(third.refusals).toEqual([]);
    expect(third.states).toContain('live');
  });

  test('nothing can be followed after the hub is closed', async () => {
    const { clock, hub, listen } = openTestHub();
    hub.close();
    const heard = listen();
    await clock.settle();
    expect(heard.refusals[0]).toContain('about to stop');
  });
});

describe('a timeframe the venue has not', () => {
  test('is made of one it has, over the same single upstream, from the middle of a bar on', async () => {
    const { clock, feed, hub, listen, closeOne } = openTestHub();
    const minutes = listen();
    const heard = listen('BTCUSDT', 3 * MINUTE_MS);
    await clock.advance(0);
    for (let i = 0; i < 6; i += 1) await closeOne();
    expect(feed.upstreams).toBe(1);
    expect(hub.size.listeners).toBe(2);
    expect(closedTimes(minutes.bars)).toHaveLength(6);
    const closed = heard.bars.filter(({ closed: isClosed }) => isClosed);
    // 999 to 1001, and 1002 to 1004: the first had begun before anybody listened.
    expect(
      closed.map(({ time, open, high, low, close, volume }) => [time / MINUTE_MS, open, high, low, close, volume]),
    ).toEqual([
      [999, 999, 1003, 998, 1002, 30],
      [1002, 1002, 1006, 1001, 1005, 30],
    ]);
    expect(heard.bars.at(-1)).toMatchObject({ time: 1005 * MINUTE_MS, open: 1005, volume: 13, closed: false });
  });

  test('survives an outage without a gap', async () => {
    const { clock, feed, listen, closeOne } = openTestHub();
    const heard = listen('BTCUSDT', 3 * MINUTE_MS);
    await clock.advance(0);
    feed.lose();
    for (let i = 0; i < 10; i += 1) await closeOne();
    feed.restore();
    await clock.settle();
    await closeOne();
    expect(closedTimes(heard.bars)).toEqual([999, 1002, 1005, 1008]);
    expect(heard.states).toEqual(['connecting', 'live', 'reconnecting', 'live']);
  });
});

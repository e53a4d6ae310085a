// One market in one timeframe: whatever happens upstream, every closed bar comes exactly once and in order.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases } from '../../tests/support/thorough.ts';
import type { LiveBar } from './bar-feed.ts';
import { toLargerBars } from './larger-bars.ts';
import { MINUTE_MS, MODEL_MARKET } from './testing/model-feed.ts';
import { BEFORE, openTestHub } from './testing/open-test-hub.ts';

const closedTimes = (bars: readonly LiveBar[]): number[] =>
  bars.filter(({ closed }) => closed).map(({ time }) => time / MINUTE_MS);

describe('bars that come again or out of order', () => {
  test('are dropped', async () => {
    const { clock, feed, listen, closeOne } = openTestHub();
    const heard = listen();
    await clock.advance(0);
    await closeOne();
    const before = heard.story.length;
    feed.emit(feed.bar(BEFORE));
    feed.emit({ ...feed.bar(BEFORE), closed: false });
    feed.emit(feed.bar(BEFORE - 7));
    await clock.settle();
    expect(heard.story).toHaveLength(before);
  });
});

describe('a missed bar', () => {
  test('is fetched before anything newer is passed on, without a change of state', async () => {
    const { clock, feed, listen, closeOne } = openTestHub();
    const heard = listen();
    await clock.advance(0);
    await closeOne({ closed: false, forming: false });
    await closeOne({ closed: false });
    expect(closedTimes(heard.bars)).toEqual([BEFORE, BEFORE + 1]);
    expect(heard.bars[1]).toEqual({ ...feed.bar(BEFORE), closed: true });
    expect(heard.states).toEqual(['connecting', 'live']);
  });

  test('that history cannot give yet is asked for with growing pauses, while the state is reconnecting', async () => {
    const { clock, feed, listen, closeOne } = openTestHub();
    const heard = listen();
    await clock.advance(0);
    feed.failures = 3;
    await closeOne({ closed: false });
    expect(heard.states).toEqual(['connecting', 'live', 'reconnecting']);
    expect(closedTimes(heard.bars)).toEqual([]);
    const asked = feed.calls.length;
    await clock.advance(500);
    expect(feed.calls.length).toBe(asked + 1);
    await clock.advance(999);
    expect(feed.calls.length).toBe(asked + 1);
    await clock.advance(1);
    expect(feed.calls.length).toBe(asked + 2);
    await clock.advance(2000);
    expect(closedTimes(heard.bars)).toEqual([BEFORE]);
    expect(heard.story.slice(-4)).toEqual([`${BEFORE}`, `${BEFORE + 1}…`, 'live', `${BEFORE + 1}…`]);
  });

  test('is not thought final while history does not show a later one', async () => {
    const { clock, feed, listen, closeOne } = openTestHub();
    const heard = listen();
    await clock.advance(0);
    feed.lags = 2;
    await closeOne({ closed: false });
    expect(closedTimes(heard.bars)).toEqual([]);
    await clock.advance(5000);
    expect(heard.bars.filter(({ closed }) => closed)).toEqual([{ ...feed.bar(BEFORE), closed: true }]);
  });

  test('is taken at history’s word after some tries, for a venue whose history has no forming bar', async () => {
    const { clock, feed, listen, closeOne } = openTestHub();
    const heard = listen();
    await clock.advance(0);
    feed.lags = 1000;
    await closeOne({ closed: false });
    await clock.advance(10_000);
    expect(closedTimes(heard.bars)).toEqual([BEFORE]);
    expect(heard.states.at(-1)).toBe('live');
  });

  test('that never was, because the market was silent, holds nothing up', async () => {
    const { clock, feed, listen, closeOne } = openTestHub();
    const heard = listen();
    await clock.advance(0);
    for (const index of [BEFORE + 1, BEFORE + 2]) feed.silent.add(index);
    await closeOne({ forming: false });
    await closeOne({ closed: false, forming: false });
    await closeOne({ closed: false });
    await closeOne();
    expect(closedTimes(heard.bars)).toEqual([BEFORE, BEFORE + 3]);
  });

  test('does not come from a live bar far in the future that history knows nothing of: that one is dropped', async () => {
    const { clock, feed, warnings, listen, closeOne } = openTestHub();
    const heard = listen();
    await clock.advance(0);
    feed.emit({ ...feed.bar(BEFORE), time: (BEFORE + 500) * MINUTE_MS });
    await clock.advance(10 * MINUTE_MS);
    expect(warnings).toContain('history knows nothing of a live bar; the bar was dropped');
    for (let i = 0; i < 12; i += 1) await closeOne();
    expect(closedTimes(heard.bars)).toEqual(Array.from({ length: 12 }, (_, i) => BEFORE + i));
    expect(heard.states.at(-1)).toBe('live');
  });
});

describe('an outage', () => {
  test('shows as reconnecting, and as live once every missed bar was passed on', async () => {
    const { clock, feed, listen, closeOne } = openTestHub();
    const heard = listen();
    await clock.advance(0);
    feed.lose('the connection was closed');
    for (let i = 0; i < 5; i += 1) await closeOne();
    expect(heard.story.slice(3)).toEqual(['reconnecting']);
    feed.restore();
    await clock.settle();
    const missed = Array.from({ length: 5 }, (_, i) => `${BEFORE + i}`);
    expect(heard.story.slice(4)).toEqual([...missed, `${BEFORE + 5}…`, 'live']);
  });

  test('stays reconnecting while history fails, though the upstream is back; what comes meanwhile waits', async () => {
    const { clock, feed, listen, closeOne } = openTestHub();
    const heard = listen();
    await clock.advance(0);
    feed.lose();
    await closeOne();
    feed.failures = 1000;
    feed.restore();
    for (let i = 0; i < 150; i += 1) await closeOne();
    expect(heard.story.slice(3)).toEqual(['reconnecting']);
    feed.failures = 0;
    await clock.advance(30_000);
    expect(closedTimes(heard.bars)).toEqual(Array.from({ length: 151 }, (_, i) => BEFORE + i));
    expect(heard.states.at(-1)).toBe('live');
  });

  test('that begins while bars are being fetched does not end before history was read again', async () => {
    const { clock, feed, listen, closeOne } = openTestHub();
    const heard = listen();
    await clock.advance(0);
    feed.historyDelayMs = 100;
    feed.lose();
    await closeOne();
    feed.restore();
    feed.lose();
    await clock.advance(100);
    await closeOne();
    feed.restore();
    await clock.advance(99);
    expect(heard.states).toEqual(['connecting', 'live', 'reconnecting']);
    await clock.advance(1);
    expect(heard.story.slice(-3)).toEqual([`${BEFORE + 1}`, `${BEFORE + 2}…`, 'live']);
  });

  test('of a night is caught up with in one request', async () => {
    const { clock, feed, listen } = openTestHub();
    const heard = listen();
    await clock.advance(0);
    feed.lose();
    feed.closedCount += 600;
    await clock.advance(600 * MINUTE_MS);
    const asked = feed.calls.length;
    feed.restore();
    await clock.settle();
    expect(closedTimes(heard.bars)).toHaveLength(600);
    expect(feed.calls.length).toBe(asked + 1);
  });

  test('before the first bar loses nothing of what was forming when the listener came', async () => {
    const { clock, feed, listen, closeOne } = openTestHub();
    feed.isConnected = false;
    const heard = listen();
    await clock.advance(0);
    await closeOne();
    await closeOne();
    feed.restore();
    await clock.settle();
    expect(closedTimes(heard.bars)).toEqual([BEFORE, BEFORE + 1]);
  });

  test('of history alone at the start does not keep live bars back', async () => {
    const { clock, feed, listen, closeOne } = openTestHub();
    feed.failures = 1000;
    const heard = listen();
    await clock.advance(3000);
    expect(heard.story).toEqual(['connecting']);
    await closeOne();
    expect(heard.story).toEqual(['connecting', 'live', `${BEFORE}`, `${BEFORE + 1}…`]);
  });
});

describe('a clock that is wrong', () => {
  test.each([-30, -3, -1, 1, 3, 30])('by %i minutes loses and repeats nothing', async (minutes) => {
    const { clock, feed, listen, closeOne } = openTestHub();
    clock.jump(minutes * MINUTE_MS);
    const heard = listen();
    await clock.advance(0);
    await closeOne();
    feed.lose();
    await closeOne();
    await closeOne();
    feed.restore();
    await closeOne();
    const times = closedTimes(heard.bars);
    const newest = BEFORE + 3;
    expect(times.slice(-4)).toEqual([BEFORE, BEFORE + 1, BEFORE + 2, newest]);
    expect(times).toEqual(times.map((_, i) => newest - times.length + 1 + i));
  });
});

type Step =
  | { readonly kind: 'close'; readonly closed: boolean; readonly forming: boolean }
  | { readonly kind: 'again'; readonly back: number; readonly closed: boolean }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'history'; readonly failures: number; readonly lags: number; readonly delayMs: number }
  | { readonly kind: 'lose' | 'restore' | 'listen' | 'tick' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('close' as const), closed: fc.boolean(), forming: fc.boolean() }),
  },
  fc.record({ kind: fc.constant('again' as const), back: fc.nat(5), closed: fc.boolean() }),
  fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(100, 700, 3000, 40_000) }),
  fc.record({
    kind: fc.constant('history' as const),
    failures: fc.nat(4),
    lags: fc.nat(2),
    delayMs: fc.constantFrom(0, 0, 150, 5000),
  }),
  fc.record({ kind: fc.constantFrom('lose' as const, 'restore' as const, 'listen' as const, 'tick' as const) }),
);

describe('any sequence of losses, repeats, delays and failures', () => {
  test('gives every listener each closed bar exactly once, in order, without gaps, as it truly was', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const { clock, feed, hub, listen, closeOne } = openTestHub();
        const all = [listen()];
        const larger = listen(MODEL_MARKET, 3 * MINUTE_MS);
        const act: { readonly [K in Step['kind']]: (taken: Extract<Step, { kind: K }>) => unknown } = {
          close: (taken) => closeOne(taken),
          again: ({ back, closed }) => feed.emit({ ...feed.bar(feed.closedCount - back), closed: closed && back > 0 }),
          pass: ({ ms }) => clock.advance(ms),
          history: ({ failures, lags, delayMs }) => Object.assign(feed, { failures, lags, historyDelayMs: delayMs }),
          lose: () => feed.lose(),
          restore: () => feed.restore(),
          listen: () => all.push(listen()),
          tick: () => feed.isConnected && feed.emit(feed.bar(feed.closedCount)),
        };
        for (const taken of steps) {
          await (act[taken.kind] as (taken: Step) => unknown)(taken);
          await clock.settle();
        }
        Object.assign(feed, { failures: 0, lags: 0, historyDelayMs: 0 });
        feed.restore();
        await clock.advance(2 * MINUTE_MS);
        await closeOne();
        await closeOne();
        await clock.advance(5 * MINUTE_MS);
        for (const { bars, states } of all) {
          const closed = bars.filter((bar) => bar.closed);
          const first = (closed[0] as LiveBar).time / MINUTE_MS;
          expect(closed).toEqual(
            Array.from({ length: feed.closedCount - first }, (_, i) => ({ ...feed.bar(first + i), closed: true })),
          );
          for (const [i, bar] of bars.entries()) expect(bar.time).toBeGreaterThanOrEqual(bars[i - 1]?.time ?? 0);
          expect(states.at(-1)).toBe('live');
        }
        const closedLarger = larger.bars.filter((bar) => bar.closed);
        const firstMs = closedLarger[0]?.time ?? Number.POSITIVE_INFINITY;
        const truth = Array.from({ length: feed.closedCount - BEFORE + 10 }, (_, i) => feed.bar(BEFORE - 10 + i));
        const whole = toLargerBars(truth, 3 * MINUTE_MS).filter(
          ({ time }) => time >= firstMs && time / MINUTE_MS + 3 <= feed.closedCount,
        );
        expect(closedLarger).toEqual(whole.map((bar) => ({ ...bar, closed: true })));
        expect(closedTimes((all[0] as (typeof all)[number]).bars)[0]).toBeLessThanOrEqual(BEFORE);
        hub.close();
      }),
      { numRuns: cases(600) },
    );
  });
});

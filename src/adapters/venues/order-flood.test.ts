// The limits of each venue in a flood of entries: the venue never counts more than it allows, wherever between sending and answer a
// request arrives; almost all of what it allows is used; and what closes a position goes within a second.

import { describe, expect, test } from 'vitest';
import { createHandClock } from '../../timing/testing/hand-clock.ts';
import { DIALECT as BINANCE, ORDER } from './binance/dialect.ts';
import { DIALECT as BYBIT } from './bybit/dialect.ts';
import { DIALECT as MEXC } from './mexc/dialect.ts';
import { RequestLimits } from './request-limits.ts';

const LANES = 50;
const LATENCIES_MS = [20, 35, 20, 90, 25];
/** At odd moments, so that every part of a window is met. */
const CLOSE_EVERY_MS = 1_730;

const VENUES = [
  { dialect: BINANCE, cost: ORDER, forMs: 58_000, least: 0.94 },
  { dialect: BYBIT, cost: { requests: 1, orders: 1 }, forMs: 60_000, least: 0.91 },
  { dialect: MEXC, cost: { orders: 1 }, forMs: 60_000, least: 0.91 },
] as const;

describe.each(VENUES)('$dialect.title', ({ dialect, cost, forMs, least }) => {
  async function flood(hasCloses: boolean) {
    const clock = createHandClock(0);
    const { nowMs: monotonicMs, timers } = clock;
    const { title, limits: rules } = dialect;
    const limits = new RequestLimits({ title, limits: rules, maxWaitMs: 15_000, monotonicMs, timers });
    const arrivals: number[] = [];
    let isOver = false;
    const send = async (isUrgent: boolean): Promise<void> => {
      const answered = await limits.take(cost, { isUrgent });
      const latencyMs = LATENCIES_MS[arrivals.length % LATENCIES_MS.length] ?? 0;
      // Now early, now late within its time on the way.
      arrivals.push(clock.nowMs() + (arrivals.length % 3 === 0 ? latencyMs : 0));
      await new Promise<void>((done) => void timers.after(latencyMs, done));
      answered();
    };
    const lane = async (): Promise<void> => {
      while (!isOver) await send(false).catch(() => new Promise<void>((done) => void timers.after(250, done)));
    };
    for (let index = 0; index < LANES; index += 1) void lane();
    const waits: number[] = [];
    for (let atMs = 0; atMs < forMs; atMs += CLOSE_EVERY_MS) {
      await clock.advance(CLOSE_EVERY_MS);
      const beganMs = clock.nowMs();
      const took = limits.take(cost, { isUrgent: true });
      void took.then((answered) => {
        if (hasCloses) waits.push(clock.nowMs() - beganMs);
        arrivals.push(clock.nowMs());
        timers.after(20, answered);
      });
    }
    isOver = true;
    await clock.advance(2_000);
    return { arrivals: arrivals.sort((one, other) => one - other), waits };
  }

  const ofOrders = dialect.limits.filter(({ name }) => name.startsWith('orders'));

  test('a flood of entries is served at nearly the allowed rate, and never above it', async () => {
    const { arrivals } = await flood(false);
    for (const { most, windowMs } of ofOrders)
      for (const [index, atMs] of arrivals.entries()) {
        const before = arrivals[index - most];
        if (before !== undefined) expect(atMs - before).toBeGreaterThanOrEqual(windowMs);
      }
    const count = arrivals.filter((atMs) => atMs <= forMs).length;
    const allowed = Math.min(...ofOrders.map(({ most, windowMs }) => (Math.floor(forMs / windowMs) + 1) * most));
    expect(count / allowed).toBeGreaterThanOrEqual(least);
  });

  test('what closes a position waits for less than a second', async () => {
    const { waits } = await flood(true);
    expect(waits.length).toBeGreaterThan(10);
    expect(Math.max(...waits)).toBeLessThan(1_000);
  });
});

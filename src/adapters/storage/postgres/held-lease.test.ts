// A lease by its holder's own clocks, which no timer and no database has to confirm.

import { beforeEach, expect, test, vi } from 'vitest';
import { createHandClock, type HandClock } from '../../../timing/testing/hand-clock.ts';
import { LATE_AT_MOST_MS, LEASE_MS } from '../../../trading/leases.ts';
import { HeldLease, type Moment } from './held-lease.ts';

let clock: HandClock;
let late: string[];
/** By how much the time of day is ahead of the other clock. */
let aheadMs: number;
beforeEach(() => {
  clock = createHandClock(0);
  aheadMs = 0;
  late = [];
});

const held = (renew: () => Promise<boolean>): HeldLease => {
  const { nowMs, timers } = clock;
  const now = (): Moment => ({ monotonicMs: nowMs(), wallMs: nowMs() + aheadMs });
  const claim = { name: 'desk', token: 7, wasReleased: true, sentAt: now() };
  return new HeldLease({
    ...claim,
    renew,
    release: async () => undefined,
    leave: async () => undefined,
    onLate: () => void late.push('late'),
    now,
    timers,
  });
};

test('is over at its time, also before any timer has gone off, as in a process that was held up', () => {
  const lease = held(async () => true);
  clock.jump(LEASE_MS - 1);
  expect(lease.remainingMs()).toBe(1);
  clock.jump(1);
  expect(lease.remainingMs()).toBe(0);
});

test('is over where the machine was suspended for so long, although its other clock stood still, until a renewal says more', async () => {
  const lease = held(async () => true);
  await clock.advance(500);
  aheadMs = LEASE_MS;
  expect(lease.remainingMs()).toBe(0);
  await clock.advance(500);
  expect(lease.remainingMs()).toBe(LEASE_MS);
  expect(late).toEqual([]);
});

test('is not longer because somebody has set the clock back', async () => {
  const lease = held(async () => true);
  aheadMs = -3_600_000;
  clock.jump(LEASE_MS - 1);
  expect(lease.remainingMs()).toBe(1);
  clock.jump(1);
  expect(lease.remainingMs()).toBe(0);
});

test('counts from before the renewal was sent, however late its answer comes', async () => {
  let answer = (_: boolean): void => {};
  const lease = held(() => new Promise((resolve) => (answer = resolve)));
  await clock.advance(3500);
  expect(lease.remainingMs()).toBe(500);
  answer(true);
  await clock.settle();
  expect(lease.remainingMs()).toBe(LEASE_MS - 2500);
});

test('is not renewed in time, but its row is still there: it goes on, counted from before that renewal was sent', async () => {
  const answers: ((isHeld: boolean) => void)[] = [];
  const lease = held(() => new Promise((resolve) => void answers.push(resolve)));
  await clock.advance(LEASE_MS - 1);
  expect(lease.remainingMs()).toBe(1);
  await clock.advance(2000);
  expect(lease.remainingMs()).toBe(0);
  // Sent so long ago that by itself it says nothing of now.
  answers[0]?.(true);
  await clock.settle();
  expect(lease.remainingMs()).toBe(0);
  await clock.advance(250);
  expect(answers).toHaveLength(2);
  await clock.advance(500);
  answers[1]?.(true);
  await clock.settle();
  expect(lease.remainingMs()).toBe(LEASE_MS - 500);
  expect(late).toEqual(['late']);
});

test.each([true, false])('a process that wakes when its time is over asks before anything else: %s', async (isHeld) => {
  const lease = held(async () => isHeld);
  let end: string | undefined;
  void lease.ended.then((how) => (end = how));
  clock.jump(10 * LEASE_MS);
  expect(lease.remainingMs()).toBe(0);
  await clock.advance(1000);
  expect(end).toBe(isHeld ? undefined : 'taken');
  expect(lease.remainingMs()).toBe(isHeld ? LEASE_MS : 0);
});

test('is lost where nobody can say for half a minute whether somebody else has it', async () => {
  const lease = held(async () => Promise.reject(new Error('away')));
  let end: string | undefined;
  void lease.ended.then((how) => (end = how));
  await clock.advance(LEASE_MS + LATE_AT_MOST_MS - 1);
  expect(end).toBeUndefined();
  expect(late).toEqual(['late']);
  await clock.advance(1);
  expect(end).toBe('lost');
  expect(clock.waiting).toBe(0);
});

test('an answer that comes after its end changes nothing', async () => {
  let answer = (_: boolean): void => {};
  const lease = held(() => new Promise((resolve) => (answer = resolve)));
  await clock.advance(LEASE_MS + LATE_AT_MOST_MS);
  expect(await lease.ended).toBe('lost');
  answer(true);
  await clock.settle();
  expect(lease.remainingMs()).toBe(0);
  expect(clock.waiting).toBe(0);
});

test('one that was late and is on time again has the whole time anew to be late', async () => {
  let isAway = true;
  const lease = held(async () => (isAway ? Promise.reject(new Error('away')) : true));
  for (let times = 0; times < 3; times += 1) {
    isAway = true;
    await clock.advance(LEASE_MS + LATE_AT_MOST_MS - 500);
    expect(lease.remainingMs()).toBe(0);
    isAway = false;
    await clock.advance(250);
    expect(lease.remainingMs()).toBeGreaterThan(0);
    await clock.advance(1000);
  }
  expect(late).toHaveLength(3);
});

test('one that is given back while it is late stays so', async () => {
  const lease = held(async () => Promise.reject(new Error('away')));
  await clock.advance(LEASE_MS + 1);
  await lease.release();
  expect(await lease.ended).toBe('released');
  await clock.advance(LATE_AT_MOST_MS);
  expect(clock.waiting).toBe(0);
});

test('ends at once where the database says that somebody else has it', async () => {
  const lease = held(async () => false);
  await clock.advance(1000);
  expect(await lease.ended).toBe('taken');
});

test('a renewal that fails is tried again before the time is over', async () => {
  const renew = vi.fn(async () => true);
  renew.mockRejectedValueOnce(new Error('away')).mockRejectedValueOnce(new Error('away'));
  const lease = held(renew);
  await clock.advance(1500);
  expect(renew).toHaveBeenCalledTimes(3);
  expect(lease.remainingMs()).toBe(LEASE_MS);
});

// A lease by its holder's own clock, which no timer and no database has to confirm.

import { beforeEach, expect, test, vi } from 'vitest';
import { createHandClock, type HandClock } from '../../../timing/testing/hand-clock.ts';
import { LEASE_MS } from '../../../trading/leases.ts';
import { HeldLease } from './held-lease.ts';

let clock: HandClock;
beforeEach(() => {
  clock = createHandClock(0);
});

const held = (renew: () => Promise<boolean>): HeldLease => {
  const { nowMs: monotonicMs, timers } = clock;
  const claim = { name: 'desk', token: 7, wasReleased: true, sentAtMs: monotonicMs() };
  return new HeldLease({
    ...claim,
    renew,
    release: async () => undefined,
    leave: async () => undefined,
    monotonicMs,
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

test('counts from before the renewal was sent, however late its answer comes', async () => {
  let answer = (_: boolean): void => {};
  const lease = held(() => new Promise((resolve) => (answer = resolve)));
  await clock.advance(3500);
  expect(lease.remainingMs()).toBe(500);
  answer(true);
  await clock.settle();
  expect(lease.remainingMs()).toBe(LEASE_MS - 2500);
});

test('is not won back by a renewal that is answered after its end', async () => {
  let answer = (_: boolean): void => {};
  const lease = held(() => new Promise((resolve) => (answer = resolve)));
  await clock.advance(LEASE_MS);
  expect(await lease.ended).toBe('lost');
  answer(true);
  await clock.settle();
  expect(lease.remainingMs()).toBe(0);
});

test('ends at once where the database says that somebody else has it', async () => {
  const lease = held(async () => false);
  await clock.advance(1000);
  expect(await lease.ended).toBe('lost');
});

test('a renewal that fails is tried again before the time is over', async () => {
  const renew = vi.fn(async () => true);
  renew.mockRejectedValueOnce(new Error('away')).mockRejectedValueOnce(new Error('away'));
  const lease = held(renew);
  await clock.advance(1500);
  expect(renew).toHaveBeenCalledTimes(3);
  expect(lease.remainingMs()).toBe(LEASE_MS);
});

// Leave to connect: so many at once, then one after the other, and never more in any stretch of time.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ConnectGate } from './connect-gate.ts';
import { pacingOf } from './market-data/feed-options.ts';

const LOG = { info() {}, warn() {} };
const usual = { nowMs: Date.now, monotonicMs: Date.now, random: Math.random, log: LOG };

const gateOf = (connectBurst: number, connectEveryMs: number, monotonicMs: () => number): ConnectGate =>
  new ConnectGate(pacingOf({ ...usual, pacing: { connectBurst, connectEveryMs } }), monotonicMs);

it('lets a burst through at once and the rest one by one', () => {
  const gate = gateOf(3, 100, () => 1_000);
  expect(Array.from({ length: 6 }, () => gate.admitMs())).toEqual([0, 0, 0, 100, 200, 300]);
});

it('gives a burst again after a rest', () => {
  let nowMs = 0;
  const gate = gateOf(2, 100, () => nowMs);
  gate.admitMs();
  gate.admitMs();
  nowMs = 200;
  expect([gate.admitMs(), gate.admitMs(), gate.admitMs()]).toEqual([0, 0, 100]);
});

it('never lets more than the burst and one each time through, in any stretch', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 150 }), { maxLength: 60 }), (steps) => {
      let nowMs = 0;
      const gate = gateOf(4, 50, () => nowMs);
      const leaves = steps.map((step) => {
        nowMs += step;
        return nowMs + gate.admitMs();
      });
      for (const [i, fromMs] of leaves.entries())
        for (const [j, toMs] of leaves.entries())
          if (j > i) expect(j - i + 1).toBeLessThanOrEqual(4 + 1 + Math.floor((toMs - fromMs) / 50));
    }),
  );
});

it('stays below what venues allow by default: 300 connections in five minutes', () => {
  const { connectBurst, connectEveryMs } = pacingOf(usual);
  expect(connectBurst + 300_000 / connectEveryMs).toBeLessThan(300);
});

// The last call of TradingView: which calls count, and how seldom they are written.

import { beforeEach, describe, expect, test } from 'vitest';
import { createHandClock } from '../../timing/testing/hand-clock.ts';
import { TRADINGVIEW_ADDRESSES } from './allowlist.ts';
import { TRADINGVIEW_CALL, TradingviewCalls } from './tradingview-calls.ts';

const [FIRST, SECOND] = TRADINGVIEW_ADDRESSES;
let clock: ReturnType<typeof createHandClock>;
let written: unknown[];
let troubles: string[];
let isDiskFull: boolean;
let calls: TradingviewCalls;
beforeEach(() => {
  [clock, written, troubles, isDiskFull] = [createHandClock(1000), [], [], false];
  calls = new TradingviewCalls({
    read: () => (written.length === 0 ? undefined : JSON.stringify(written.at(-1))),
    write: async (name, value) => {
      if (isDiskFull) throw new Error('disk full');
      expect(name).toBe(TRADINGVIEW_CALL);
      written.push(JSON.parse(value));
    },
    nowMs: clock.nowMs,
    timers: clock.timers,
    onTrouble: (what) => void troubles.push(what),
  });
});

describe('a call', () => {
  test.each(TRADINGVIEW_ADDRESSES)('from %s counts, and is written after its answer', async (address) => {
    calls.note(address);
    expect(written).toEqual([]);
    await clock.advance(0);
    expect(written).toEqual([{ atMs: 1000, address }]);
  });

  test.each(['127.0.0.1', '52.89.214.239', '', `${FIRST}:443`])('from %j does not', async (address) => {
    calls.note(address);
    await clock.advance(120_000);
    expect(written).toEqual([]);
  });

  test('is written once a minute at most, and always the last', async () => {
    calls.note(FIRST);
    await clock.advance(0);
    for (let second = 0; second < 59; second += 1) {
      await clock.advance(1000);
      calls.note(second === 58 ? SECOND : FIRST);
    }
    expect(written).toHaveLength(1);
    await clock.advance(1000);
    expect(written.slice(1)).toEqual([{ atMs: 60_000, address: SECOND }]);
    await clock.advance(600_000);
    expect(written).toHaveLength(2);
  });

  test('that waits is written at the end', async () => {
    calls.note(FIRST);
    await calls.write();
    await calls.write();
    expect(written).toHaveLength(1);
  });

  test('that cannot be written is told, and the next one is tried a minute later', async () => {
    isDiskFull = true;
    calls.note(FIRST);
    await clock.advance(0);
    expect(troubles).toEqual(['the last call of TradingView was not written down']);
    isDiskFull = false;
    calls.note(FIRST);
    await clock.advance(60_000);
    expect(written).toHaveLength(1);
  });
});

test('tells the last call at once, and after a restart that of before', () => {
  expect(calls.last()).toBeUndefined();
  written.push({ atMs: 7, address: '52.32.178.7' });
  expect(calls.last()).toEqual({ atMs: 7, address: '52.32.178.7' });
  calls.note('52.89.214.238');
  expect(calls.last()).toEqual({ atMs: 1000, address: '52.89.214.238' });
});

// Tests of bars that come once more.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { BarReplay } from './bar-replay.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function replayOf(count: number) {
  const added: boolean[] = [];
  const replay = new BarReplay({ count: () => count, onChange: (_, isAdded) => added.push(isAdded) });
  return { replay, added };
}

it('steps bar by bar, and no further than there are', () => {
  const { replay, added } = replayOf(5);
  replay.step();
  expect(added).toEqual([]);
  replay.begin(3.4);
  replay.step();
  replay.step();
  replay.step();
  expect(replay.state).toMatchObject({ isOn: true, shown: 5, isPlaying: false });
  expect(added).toEqual([false, true, true, false]);
});

it('plays at its speed, pauses at the end, and ends', () => {
  const { replay } = replayOf(20);
  replay.begin(1);
  replay.setSpeed(10);
  replay.play();
  vi.advanceTimersByTime(500);
  expect(replay.state.shown).toBe(6);
  replay.setSpeed(30);
  vi.advanceTimersByTime(300);
  expect(replay.state.shown).toBeGreaterThan(12);
  vi.advanceTimersByTime(2000);
  expect(replay.state).toMatchObject({ shown: 20, isPlaying: false });
  replay.end();
  vi.advanceTimersByTime(2000);
  expect(replay.state.isOn).toBe(false);
});

it('shows the same bars when the past has grown', () => {
  const { replay } = replayOf(50);
  replay.begin(10);
  replay.moveBy(25);
  expect(replay.state.shown).toBe(35);
});

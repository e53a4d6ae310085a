// Again and again: in its period, also when the work fails to keep quiet, and not once more when it was ended.

import { expect, it } from 'vitest';
import { every } from './every.ts';
import { createHandClock } from './testing/hand-clock.ts';

it('works once a period, and not at once', async () => {
  const clock = createHandClock(0);
  const times: number[] = [];
  every(1000, () => times.push(clock.nowMs()), clock.timers);
  await clock.advance(999);
  expect(times).toEqual([]);
  await clock.advance(2001);
  expect(times).toEqual([1000, 2000, 3000]);
});

it('stops for good, also from inside the work', async () => {
  const clock = createHandClock(0);
  let times = 0;
  const stop = every(
    1000,
    () => {
      times += 1;
      if (times === 2) stop();
    },
    clock.timers,
  );
  await clock.advance(5000);
  expect(times).toBe(2);
  expect(clock.waiting).toBe(0);
});

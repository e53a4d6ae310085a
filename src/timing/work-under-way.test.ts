// Work under way: waited for however it ends, but not for ever.

import { expect, it, vi } from 'vitest';
import { createHandClock } from './testing/hand-clock.ts';
import { WorkUnderWay } from './work-under-way.ts';

it('resolves with the last of the work, also of work that fails', async () => {
  const underWay = new WorkUnderWay();
  const { timers, settle, waiting } = createHandClock(0);
  const slow = Promise.withResolvers<void>();
  const failing = underWay.track(Promise.reject(new Error('broken')));
  void underWay.track(slow.promise);
  const ended = vi.fn();
  const settled = underWay.settled(1000, timers).then(ended);
  await expect(failing).rejects.toThrow('broken');
  await settle();
  expect(ended).not.toHaveBeenCalled();
  slow.resolve();
  await settled;
  expect(waiting).toBe(0);
});

it('gives up when the time is up', async () => {
  const underWay = new WorkUnderWay();
  const { timers, advance } = createHandClock(0);
  void underWay.track(new Promise(() => {}));
  const ended = vi.fn();
  const settled = underWay.settled(1000, timers).then(ended);
  await advance(999);
  expect(ended).not.toHaveBeenCalled();
  await advance(1);
  await settled;
});

it('forgets what has ended', async () => {
  const underWay = new WorkUnderWay();
  const { timers } = createHandClock(0);
  for (let times = 0; times < 3; times++) await underWay.track(Promise.resolve(times));
  await expect(underWay.settled(0, timers)).resolves.toBeUndefined();
});

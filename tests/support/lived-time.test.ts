// The clock of tests counts what the product waits, and not what the machine holds up.

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { timed } from './lived-time.ts';

it('counts a wait', async () => {
  const { result, elapsedMs, livedMs } = await timed(() => sleep(300, 'waited'));
  expect(result).toBe('waited');
  expect(elapsedMs).toBeGreaterThanOrEqual(299);
  expect(livedMs).toBeGreaterThan(20);
  expect(livedMs).toBeLessThanOrEqual(elapsedMs);
});

it('does not count a loop that cannot turn', async () => {
  const { elapsedMs, livedMs } = await timed(async () => {
    await sleep(10);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    await sleep(10);
  });
  expect(elapsedMs).toBeGreaterThanOrEqual(299);
  expect(elapsedMs - livedMs).toBeGreaterThan(200);
});

it('passes a fault on', async () => {
  await expect(timed(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
});

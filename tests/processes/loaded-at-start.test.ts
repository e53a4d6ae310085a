// What each of the two processes loads to start: every file costs every start, and what waits until it is used costs none.

import { expect, it } from 'vitest';
import { MAIN, watchLoadedFiles } from '../support/loaded-files.ts';
import { startProcess } from '../support/process.ts';

/** Large, and needed only by those who have set them up, or when they are first used. */
const LATER = ['viem', '@napi-rs/canvas', 'ai', '@ai-sdk/', 'mailauth', 'postal-mime', 'grammy', 'ioredis', 'rolldown'];

it('neither process loads at its start what it may never need', async () => {
  const files = watchLoadedFiles();
  const running = await startProcess({ program: MAIN, env: { ...files.env, LOG_LEVEL: 'error' } });
  expect(await running.stop()).toBe(0);
  const loadedBy = files.by;
  for (const process of ['main.ts', 'script-process.ts']) {
    const loaded = loadedBy(process);
    expect(loaded.length).toBeGreaterThan(100);
    const tooEarly = LATER.filter((name) =>
      loaded.some((url) => url.includes(`/node_modules/${name}${name.endsWith('/') ? '' : '/'}`)),
    );
    expect(tooEarly).toEqual([]);
  }
  // Nothing of trading's own services: they are in the other process.
  const strangers =
    /\/src\/(wallet|agent|services\/gateway\/(index|webhook|agent|wallet|query|email-signal)\b)|htmlparser2/;
  expect(loadedBy('script-process.ts').filter((url) => strangers.test(url))).toEqual([]);
});

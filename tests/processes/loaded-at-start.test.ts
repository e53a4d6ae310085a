// What each of the two processes loads to start: every file costs every start, and what waits until it is used costs none.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { freshDataDir, startProcess } from '../support/process.ts';

/** The sources themselves: of a build only chunks would be seen, which hold what the same imports reach. */
const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** Writes down the name of every file that a process loads, one file for each process. */
const recorder = (folder: string) => `
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { basename } from 'node:path';
import { isMainThread } from 'node:worker_threads';
const record = ${JSON.stringify(`${folder}/`)} + basename(process.argv[1] ?? '') + '.txt';
if (isMainThread) registerHooks({ load(url, context, next) {
  if (url.startsWith('file:')) appendFileSync(record, url + '\\n');
  return next(url, context);
} });
`;

/** Large, and needed only by those who have set them up, or when they are first used. */
const LATER = ['viem', '@napi-rs/canvas', 'ai', '@ai-sdk/', 'mailauth', 'postal-mime', 'grammy', 'ioredis', 'rolldown'];

it('neither process loads at its start what it may never need', async () => {
  const folder = freshDataDir();
  const hook = join(folder, 'recorder.mjs');
  writeFileSync(hook, recorder(folder));
  const running = await startProcess({
    program: MAIN,
    env: { NODE_OPTIONS: `--import ${pathToFileURL(hook)}`, LOG_LEVEL: 'error' },
  });
  expect(await running.stop()).toBe(0);
  const loadedBy = (process: string) => readFileSync(join(folder, `${process}.txt`), 'utf8').split('\n');
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

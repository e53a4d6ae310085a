// Whoever stands in for a service manager judges how a process has ended: what it may do by itself is no finding, anything else is one.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { SupervisedProcess } from '../support/chaos/supervised-process.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import { freshDataDir } from '../support/process.ts';

const SERVED = 'the gateway is listening on http://127.0.0.1:1';
const DATABASE_AWAY = 'PostgreSQL at 127.0.0.1:1 cannot be reached';

/** What a life says, and the code with which it ends by itself; without one it waits for somebody to end it. */
interface Life {
  readonly says: string;
  readonly code?: number;
}

/** One life after the other in place of the program; Node runs it before it comes to that. */
const inPlaceOfProgram = (counter: string, lives: readonly Life[]): string => `
  import { appendFileSync, readFileSync, writeSync } from 'node:fs';
  const { says, code } = ${JSON.stringify(lives)}[existingLives()];
  writeSync(1, says);
  appendFileSync(${JSON.stringify(counter)}, '.');
  if (code !== undefined) process.exit(code);
  await new Promise(() => setInterval(() => {}, 1000));
  function existingLives() {
    try {
      return readFileSync(${JSON.stringify(counter)}).length;
    } catch {
      return 0;
    }
  }`;

/** What is found about these lives, of which the last one is ended in that way. */
async function foundAbout(lives: readonly Life[], end: 'die' | 'stop'): Promise<string[]> {
  const folder = freshDataDir();
  const [hook, counter] = [join(folder, 'lives.mjs'), join(folder, 'lives')];
  writeFileSync(hook, inPlaceOfProgram(counter, lives));
  const env = { NODE_OPTIONS: `--import ${pathToFileURL(hook)}` };
  const supervised = new SupervisedProcess({ env, onStart: () => {} });
  closeAtEnd(() => supervised.end('die'));
  supervised.start();
  await expect.poll(() => existsSync(counter) && readFileSync(counter).length).toBe(lives.length);
  await supervised.end(end);
  return supervised.takeFindings().map(({ words }) => words);
}

it('a process that ends by itself, or in another way than it was told, is a finding with its words', async () => {
  const lives = [
    { says: 'nobody knows why', code: 3 },
    { says: 'nobody asked for it', code: 0 },
    // It had a database when it began, so it must not end for want of it.
    { says: `${SERVED}, and ${DATABASE_AWAY}`, code: 1 },
    { says: `${SERVED} and does not stop in order` },
  ];
  expect(await foundAbout(lives, 'stop')).toEqual([
    'a process ended by itself with 3: nobody knows why',
    'a process ended by itself with 0: nobody asked for it',
    `a process ended by itself with 1: ${SERVED}, and ${DATABASE_AWAY}`,
    `a process ended when it was told to stop with SIGTERM: ${SERVED} and does not stop in order`,
  ]);
});

it('a process that ends where it must, or as it was told, is none', async () => {
  const lives = [
    { says: `${SERVED}; the desk belongs to another process now`, code: 1 },
    { says: DATABASE_AWAY, code: 1 },
  ];
  expect(await foundAbout([...lives, { says: SERVED }], 'die')).toEqual([]);
  // It is stopped before it has come to the program.
  expect(await foundAbout([{ says: '' }], 'stop')).toEqual([]);
});

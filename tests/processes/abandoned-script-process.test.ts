// A script process whose trading process has ended during a start ends too, without a word: the other has said what there was to say.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { closeAtEnd } from '../support/close-at-end.ts';

const FILE = new URL('../../src/composition/script-process.ts', import.meta.url);

test.each<[when: string, leave: (child: ChildProcess) => void]>([
  ['before it can be asked for settings', (child) => child.disconnect()],
  ['while it is asked for them', (child) => void child.once('message', () => child.disconnect())],
])('left %s', async (_, leave) => {
  const child = fork(FILE, {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  closeAtEnd(async () => void child.kill('SIGKILL'));
  const said = Promise.all([child.stdout, child.stderr].map((stream) => text(stream as Readable)));
  // Its `close` does not come after a disconnect from here.
  const ended = once(child, 'exit');
  leave(child);
  expect(await said).toEqual(['', '']);
  expect(await ended).toEqual([0, null]);
});

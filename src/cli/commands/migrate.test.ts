// What `signalbox migrate` shows on a terminal while it moves, and when its owner interrupts it.

import { expect, test } from 'vitest';
import type { LocalIo } from '../command.ts';
import { migrate } from './migrate.ts';

test('whoever interrupts it is told that it goes on when it is run again', async () => {
  const written: string[] = [];
  let interrupt = (): void => {};
  const screen = {
    columns: 80,
    write: (text: string) => void written.push(text),
    onInterrupt(work: () => void) {
      interrupt = work;
      return () => {};
    },
  };
  const killed = migrate.local({ words: [], flags: {}, lists: {}, switches: new Set(), env: {} }, {
    screen,
    async migrate({ onProgress }) {
      onProgress?.({ step: 'copied', done: 1, of: 2 });
      interrupt();
      throw new Error('killed');
    },
  } as Partial<LocalIo> as LocalIo);
  await expect(killed).rejects.toThrow('killed');
  expect(written.join('')).toMatch(/Copying 50%.*Interrupted\. Run it again: it goes on where it was\.\n/s);
});

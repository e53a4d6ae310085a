// A process that saves one script again and again and says so after each save, until it is killed or has won often enough.

import { createInterface } from 'node:readline';
import { openScriptStorage } from './open-storage.ts';

/** What revision N holds: two of the three say so, and the length makes a commit take several pages. */
export const contentOf = (revision: number): string => `${revision}:${'x'.repeat(20_000)}:${revision}`;
export const USER = 'c'.repeat(32);
export const ID = 'x';

async function saveInALoop(dataDir: string, wins: number): Promise<void> {
  const { scripts } = openScriptStorage({ dataDir });
  let known = (await scripts.read(USER, ID))?.revision ?? 0;
  for (let won = 0; won < wins; ) {
    const text = { name: 'loop', content: contentOf(known + 1) };
    const precondition = known === 0 ? 'absent' : known;
    const outcome = await scripts.write(USER, { id: ID, text, atMs: Date.now(), precondition });
    if (outcome.kind === 'too-many' || outcome.kind === 'no-room') throw new Error('one script is not too many');
    known = outcome.kind === 'written' ? outcome.record.revision : outcome.remoteRevision;
    if (outcome.kind !== 'written') continue;
    won += 1;
    // Said before the next one is saved, also where the listener is too busy to hear it at once.
    await new Promise((resolve) => process.stdout.write(`${known}\n`, resolve));
  }
}

const [, , dataDir, wins] = process.argv;
if (import.meta.main && dataDir !== undefined) {
  console.log('ready');
  // Those that are to race start together, at a word.
  createInterface({ input: process.stdin }).once('line', () => {
    void saveInALoop(dataDir, Number(wins)).then(() => process.exit(0));
  });
}

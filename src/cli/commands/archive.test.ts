// What `signalbox archive` says of the room that rows have left, by where the journal is.

import { expect, test } from 'vitest';
import { run } from '../testing/fake-host.ts';

const RUN = { before: 1, isRunning: false, trades: 2, rows: 14, months: ['2025-03'], fault: null };

const said = async (changes: object, running = true): Promise<string> => {
  const result = { folder: '/data/archive', archivedBefore: 1, files: [], lastRun: RUN, ...changes };
  const answer = { status: 200, body: { success: true, requestId: 'r-1', result } };
  return (await run(['archive', '--before', '365d'], { answer, running })).out;
};

test('of a journal in files it names the file, which does not shrink while Signalbox runs', async () => {
  expect(await said({ database: 'sqlite' })).toContain(
    '(2025-03); each was read back before it was deleted.\n' +
      'The room that they had in signalbox.db is used again for new rows; the file itself does not shrink while Signalbox runs.',
  );
  expect(await said({ database: 'sqlite' }, false)).toContain('the file itself does not shrink.');
});

test('of a journal in PostgreSQL it says so, and names no file that is not there', async () => {
  const words = await said({ database: 'postgresql' });
  expect(words).toContain('The room that they had in PostgreSQL is used again');
  expect(words).not.toContain('signalbox.db');
});

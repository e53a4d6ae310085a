// Several who write one file in one process: a step that waits is not in the way of another connection's.

import { expect, test } from 'vitest';
import type { Sql } from '../sql/sql.ts';
import { openBars } from './bars/bars.ts';
import { openStrangers } from './strangers/open-strangers.ts';
import { testFolder } from './testing/open-test-storage.ts';

const BEAT =
  'INSERT INTO heartbeat (id, beats) VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET beats = heartbeat.beats + 1';
const HOUR = { fromMs: 0, toMs: 3_600_000 };
const BAR = { time: 0, open: 1, high: 1, low: 1, close: 1, volume: 1 };

test('a second opening and the bars write while a step is under way, each in its turn', async () => {
  const folder = testFolder();
  const [one, other] = [openStrangers(folder), openStrangers(folder)];
  const bars = openBars({ path: one.name, source: 'binance' });
  const begun: string[] = [];
  const others: Promise<unknown>[] = [];
  const step = (name: string, meanwhile: () => void) => async (sql: Sql) => {
    begun.push(name);
    await sql.run(BEAT);
    meanwhile();
    // Long enough for everybody else to begin, if nothing held them.
    await new Promise((resolve) => setImmediate(resolve));
    begun.push(`${name} ends`);
  };
  await one.inOneStep(
    step('one', () => {
      others.push(other.inOneStep(step('other', () => {})));
      others.push(bars.write('X', 60_000, HOUR, [BAR]));
      others.push(one.inOneStep(step('again', () => {})));
    }),
  );
  await Promise.all(others);
  expect(begun).toEqual(['one', 'one ends', 'other', 'other ends', 'again', 'again ends']);
  expect(await other.reads.get('SELECT beats FROM heartbeat')).toEqual({ beats: 3 });
  expect((await bars.read('X', 60_000, HOUR)).bars).toEqual([BAR]);
  await bars.close();
  await one.close();
  await other.close();
  folder.remove();
});

test('what was handed in before the end is written, and what comes after is refused in words', async () => {
  const folder = testFolder();
  const db = openStrangers(folder);
  const written = db.inOneStep((sql) => sql.run(BEAT));
  const closed = db.close();
  await expect(db.inOneStep((sql) => sql.run(BEAT))).rejects.toThrow('storage is closed');
  expect(await written).toBe(1);
  await closed;
  await db.close();
  folder.remove();
});

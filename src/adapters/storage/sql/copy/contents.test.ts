// What a table holds as a checksum: also of a table without a key, in which a row may be there twice.

import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import type { Row } from '../sql.ts';
import { type Contents, contentsOf } from './contents.ts';
import type { ReadSide, Table } from './sides.ts';

const COLUMNS = ['label', 'place'];
const TABLE: Table = {
  name: 'marks',
  columns: COLUMNS.map((name) => ({ name, kind: 'text' })),
  key: COLUMNS,
  refersTo: [],
  numbered: undefined,
};

function contentsWith(...labels: readonly string[]): Promise<Contents> {
  const db = new DatabaseSync(':memory:');
  onTestFinished(() => db.close());
  db.exec('CREATE TABLE marks (label TEXT, place TEXT)');
  for (const label of labels) db.prepare('INSERT INTO marks VALUES (?, ?)').run(label, 'somewhere');
  const side: ReadSide = {
    name: 'memory',
    tables: async () => [TABLE],
    all: async (text, ...values) => db.prepare(text).all(...values) as Row[],
    reference: (table) => table,
    lastNumber: async () => undefined,
  };
  return contentsOf(side, TABLE);
}

test('a row that is there twice counts twice, and two of one row are not two of another', async () => {
  const doubled = await contentsWith('a', 'a');
  expect(doubled.rows).toBe(2);
  expect(doubled).not.toEqual(await contentsWith('b', 'b'));
  expect((await contentsWith('a', 'a', 'a')).checksum).not.toBe((await contentsWith('a')).checksum);
  expect(doubled).toEqual(await contentsWith('a', 'a'));
});

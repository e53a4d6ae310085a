// The policy beside the real database: its tables, columns and functions are those that exist, no more and no fewer.

import type { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { columnsOf, FUNCTIONS, isReadable, READABLE, VIEWS, viewOf, WRITABLE } from '../../sql/query/policy.ts';
import { sameCase } from '../../sql/same-case.ts';
import { openMigrated } from '../database.ts';
import { TRADING } from '../database-files.ts';

let db: DatabaseSync;
beforeAll(() => {
  db = openMigrated(':memory:', TRADING.migrations);
});
afterAll(() => db.close());

it.each(Object.entries(READABLE))('%s has exactly the columns that the migrations made', (table, columns) => {
  const made = db.prepare('SELECT name FROM pragma_table_info(?)').all(table);
  expect(columns).toEqual(made.map(({ name }) => name));
});

it('every view is known by what it is made of', () => {
  const views = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name").all();
  expect(Object.keys(VIEWS).sort()).toEqual(views.map(({ name }) => name));
});

it('what may be written is a table without triggers', () => {
  expect(db.prepare('SELECT type FROM sqlite_schema WHERE name = ?').get(WRITABLE)).toEqual({ type: 'table' });
  expect(db.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE type = 'trigger'").get()).toEqual({ n: 0 });
});

it('every function on the list exists', () => {
  const known = new Set(
    db
      .prepare('SELECT name FROM pragma_function_list')
      .all()
      .map(({ name }) => name),
  );
  expect([...FUNCTIONS].filter((name) => !known.has(name))).toEqual([]);
});

it('functions that could do harm exist, and are not on the list', () => {
  const known = new Set(
    db
      .prepare('SELECT name FROM pragma_function_list')
      .all()
      .map(({ name }) => name),
  );
  const harmful = 'load_extension zeroblob randomblob printf format char unistr unhex sqlite_version last_insert_rowid';
  for (const name of harmful.split(' '))
    expect([name, known.has(name), FUNCTIONS.has(name)]).toEqual([name, true, false]);
});

it('names are the same in any case of ASCII, and names of JavaScript are none of ours', () => {
  expect(['TRADES', 'Trades', 'trades'].map(isReadable)).toEqual([true, true, true]);
  // The Kelvin sign becomes a k in Unicode, but not for SQLite.
  expect(sameCase('\u212aA')).toBe('\u212aa');
  for (const name of ['constructor', '__proto__', 'toString']) {
    expect([isReadable(name), columnsOf(name), viewOf(name)]).toEqual([false, [], undefined]);
  }
  expect(viewOf(null)).toBeUndefined();
  expect(viewOf('FILLS')).toBe(VIEWS.fills);
});

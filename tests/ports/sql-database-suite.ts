// What every engine promises to the stores that are written over it.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SqlDatabase } from '../../src/adapters/storage/sql/sql.ts';
import { StorageError } from '../../src/errors/storage-error.ts';

export interface OpenedDatabase {
  readonly database: SqlDatabase;
  /** The same data, opened once more beside it. */
  another(): Promise<SqlDatabase>;
}

/**
 * It has a table `items`: seq (numbered by itself), label (text, unique), amount (not whole), bytes, count (whole, not null,
 * 0 when left out).
 */
export function describeSqlDatabase(engine: string, open: () => Promise<OpenedDatabase>): void {
  describe(`a database on ${engine}`, () => {
    let opened: OpenedDatabase;
    let database: SqlDatabase;
    beforeEach(async () => {
      opened = await open();
      database = opened.database;
    });
    afterEach(() => database.close());

    const labels = async (): Promise<unknown[]> =>
      (await database.reads.all('SELECT label FROM items ORDER BY label')).map(({ label }) => label);
    const add = (...all: readonly string[]): Promise<void> =>
      database.inOneStep(async (sql) => {
        for (const label of all) await sql.run('INSERT INTO items (label) VALUES (?)', label);
      });

    test('gives back what a step has stored, and how many rows it changed', async () => {
      const changed = await database.inOneStep(async (sql) => {
        await sql.run("INSERT INTO items (label) VALUES ('a'), ('b'), ('c')");
        return sql.run("UPDATE items SET count = 5 WHERE label <> 'b'");
      });
      expect(changed).toBe(2);
      expect(await database.reads.all('SELECT label, count FROM items ORDER BY label')).toEqual([
        { label: 'a', count: 5 },
        { label: 'b', count: 0 },
        { label: 'c', count: 5 },
      ]);
      expect(await database.reads.get('SELECT label FROM items WHERE count = 7')).toBeUndefined();
    });

    test('places of values: in order, by number, and more than once; not in texts, names and comments', async () => {
      await add('a');
      const row = await database.reads.get(
        `SELECT CAST(? AS TEXT) AS "first", CAST(?1 AS TEXT) AS again, CAST(? AS TEXT) AS "next", '?2''?' AS quoted, label AS "it?"
         -- really?
         FROM items /* why? */ WHERE label = ?3`,
        ...['one', 'two', 'a'],
      );
      expect(row).toEqual({ first: 'one', again: 'one', next: 'two', quoted: "?2'?", 'it?': 'a' });
    });

    test('values come back as they went: whole, broken and negative numbers, texts, bytes, nothing', async () => {
      const bytes = Uint8Array.from([0, 1, 92, 255]);
      const text = 'quote \' " backslash \\ newline \n 👍 ? $1';
      await database.inOneStep(async (sql) => {
        await sql.run('INSERT INTO items (label, amount, bytes, count) VALUES (?, ?, ?, ?)', text, 0.1, bytes, -3);
        await sql.run(
          'INSERT INTO items (label, amount, bytes, count) VALUES (?, ?, ?, ?)',
          '',
          null,
          null,
          2 ** 53 - 1,
        );
        await sql.run('INSERT INTO items (label, count) VALUES (?, ?)', 'big', 1_700_000_000_000n);
      });
      expect(await database.reads.all('SELECT label, amount, bytes, count FROM items ORDER BY seq')).toEqual([
        { label: text, amount: 0.1, bytes, count: -3 },
        { label: '', amount: null, bytes: null, count: 2 ** 53 - 1 },
        { label: 'big', amount: null, bytes: null, count: 1_700_000_000_000 },
      ]);
    });

    test('sums, counts and truths are numbers', async () => {
      await add('a', 'b');
      expect(
        await database.reads.get(
          `SELECT count(*) AS "all", sum(count + 2) AS total, max(count) AS most, sum(amount) AS absent,
             EXISTS (SELECT 1 FROM items WHERE label = 'a') AS "hasA", sum(CASE WHEN label = 'a' THEN 1 ELSE 0 END) AS "ofA"
           FROM items`,
        ),
      ).toEqual({ all: 2, total: 4, most: 0, absent: null, hasA: 1, ofA: 1 });
    });

    test('a whole number that JavaScript cannot hold is refused, not rounded', async () => {
      await database.inOneStep((sql) => sql.run('INSERT INTO items (label, count) VALUES (?, ?)', 'a', 2n ** 53n + 1n));
      await expect(database.reads.all('SELECT count FROM items')).rejects.toThrow(StorageError);
    });

    test('functions that both engines have: lists from JSON, instr, iif', async () => {
      await add('a', 'b', 'c');
      const listed = 'SELECT label FROM items WHERE label IN (SELECT value FROM json_each(?)) ORDER BY label';
      expect(await database.reads.all(listed, JSON.stringify(['c', 'a', "x'"]))).toEqual([
        { label: 'a' },
        { label: 'c' },
      ]);
      const numbered = 'SELECT label FROM items WHERE count IN (SELECT CAST(value AS BIGINT) FROM json_each(?))';
      expect(await database.reads.all(numbered, JSON.stringify([7]))).toEqual([]);
      expect(await database.reads.all(numbered, JSON.stringify([0, 7]))).toHaveLength(3);
      expect(
        await database.reads.get(
          `SELECT instr(label, 'b') AS at, iif(count = 0, 1, 2) AS one FROM items WHERE instr(label, ?) > 0`,
          'b',
        ),
      ).toEqual({ at: 1, one: 1 });
    });

    test('texts are ordered by their code points', async () => {
      await add('b', 'B', 'ä', 'a', 'A.', 'A');
      expect(await labels()).toEqual(['A', 'A.', 'B', 'a', 'b', 'ä']);
    });

    test('a new row tells its number, and a conflict takes the row that is there', async () => {
      const upsert =
        'INSERT INTO items (label) VALUES (?) ON CONFLICT (label) DO UPDATE SET count = items.count + 1 RETURNING seq, count';
      const first = await database.inOneStep((sql) => sql.get(upsert, 'a'));
      const again = await database.inOneStep((sql) => sql.get(upsert, 'a'));
      expect(first).toEqual({ seq: expect.any(Number), count: 0 });
      expect(again).toEqual({ seq: first?.seq, count: 1 });
      const ignored = 'INSERT INTO items (label) VALUES (?) ON CONFLICT DO NOTHING RETURNING seq';
      expect(await database.inOneStep((sql) => sql.get(ignored, 'a'))).toBeUndefined();
    });

    test('a step that throws leaves nothing, and the next one works', async () => {
      const broken = database.inOneStep(async (sql) => {
        await sql.run("INSERT INTO items (label) VALUES ('a')");
        throw new Error('no');
      });
      await expect(broken).rejects.toThrow(StorageError);
      await add('b');
      expect(await labels()).toEqual(['b']);
    });

    test('a statement that fails takes the whole step with it', async () => {
      await add('a');
      await expect(add('b', 'a')).rejects.toThrow(StorageError);
      await expect(database.reads.all('SELECT nowhere FROM items')).rejects.toThrow(/nowhere/);
      expect(await labels()).toEqual(['a']);
    });

    test('a step sees what it has written; reads see it only when it is done', async () => {
      await database.inOneStep(async (sql) => {
        await sql.run("INSERT INTO items (label) VALUES ('a')");
        expect(await sql.all('SELECT label FROM items')).toEqual([{ label: 'a' }]);
        expect(await labels()).toEqual([]);
      });
      expect(await labels()).toEqual(['a']);
    });

    test('steps go one after the other, also when all are asked for at once', async () => {
      await add('a');
      const count = async (): Promise<unknown> =>
        database.inOneStep(async (sql) => {
          const row = await sql.get("SELECT count FROM items WHERE label = 'a'");
          await sql.run("UPDATE items SET count = ? WHERE label = 'a'", Number(row?.count) + 1);
        });
      await Promise.all(Array.from({ length: 20 }, count));
      expect(await database.reads.get('SELECT count FROM items')).toEqual({ count: 20 });
    });

    test('statements of a step that nobody waited for belong to it all the same, in their order', async () => {
      await database.inOneStep(async (sql) => {
        const all = ['a', 'b', 'c'].map((label) => sql.run('INSERT INTO items (label) VALUES (?)', label));
        await Promise.all(all);
      });
      expect(await database.reads.all('SELECT label FROM items ORDER BY seq')).toEqual([
        { label: 'a' },
        { label: 'b' },
        { label: 'c' },
      ]);
    });

    test('what a step has answered is there for another one who opens it', async () => {
      await add('a');
      const other = await opened.another();
      expect(await other.reads.all('SELECT label FROM items')).toEqual([{ label: 'a' }]);
      await other.close();
    });

    test('closing waits for the steps that were asked for; later ones are refused in words', async () => {
      const last = add('a');
      await database.close();
      await last;
      await expect(add('b')).rejects.toThrow(StorageError);
      await expect(database.reads.all('SELECT 1 AS one')).rejects.toThrow(StorageError);
      ({ database } = { database: await opened.another() });
      expect(await labels()).toEqual(['a']);
    });
  });
}

// The first start on a folder of version 0.2.0: every row of the old databases is in the new ones, once, also when the process is
// killed at any step, and what cannot be moved is refused untouched.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Row } from '../sql/sql.ts';
import { openMigrated } from './database.ts';
import { MOVED, OWNER, STRANGERS, TRADING } from './database-files.ts';
import { moveDatabases, type OnMoveStep, unmovedDatabases } from './moved-databases.ts';
import { makeOldDatabases } from './testing/old-databases.ts';
import { type TestFolder, testFolder } from './testing/open-test-storage.ts';

const PROGRAM = fileURLToPath(new URL('./testing/move-and-die.ts', import.meta.url));
const OLD_NAMES = MOVED.map(({ name }) => name).sort();

let folder: TestFolder;
beforeEach(() => {
  folder = testFolder();
  makeOldDatabases(folder.dataDir);
});
afterEach(() => folder.remove());

const at = (name: string): string => join(folder.dataDir, name);
const moveAll = (dataDir = folder.dataDir, onStep: OnMoveStep = () => {}): void => {
  for (const into of [TRADING, OWNER, STRANGERS]) moveDatabases(dataDir, into, onStep);
};

function rowsOf(path: string, table: string): Row[] {
  const db = new DatabaseSync(path);
  try {
    return (db.prepare(`SELECT * FROM ${table} ORDER BY 1`).all() as Row[]).map((row) => ({ ...row }));
  } finally {
    db.close();
  }
}

/** What tables have besides now: what an older version told apart as an account was the mode of a main account. */
const LATER: Readonly<Record<string, (row: Row) => Row>> = {
  protections: ({ account, ...row }) => ({
    ...{ ...row, mode: account as string, account: 'main', strategy: '' },
    ...{ targets: null, break_even_after: null, max_hold_seconds: null, asked: null, fired_target: null },
    ...{ basis_price: null, basis_filled: null, basis_quantity: null, basis_tick: null, basis_since: null },
    ...{ targets_hit: 0, targets_closed: '0', named: null },
  }),
  pending_stops: (row) => ({
    ...{ ...row, trail: null, activation_price: null, targets: null, break_even_after: null, max_hold_seconds: null },
  }),
  drawdown_days: (row) => ({ ...row, mode: 'paper' }),
  deployments: (row) => ({
    ...{ ...row, script_type: 'indicator', mode: 'trade', order_message: null, position: null, drift: null },
    ...{ digest: null, imports: '[]', libraries: '[]', told_position: null, initial_capital: null, bars_from: null },
  }),
  deployment_events: (row) => ({ ...row, filled_order: null }),
  deployment_outbox: (row) => ({ ...row, target_kind: null }),
};

/** Every table of the old databases by the name it has now, with the columns it has now. */
const oldRows = (dataDir: string, suffix: string): Record<string, Row[]> =>
  Object.fromEntries(
    MOVED.flatMap(({ name, tables }) =>
      Object.entries(tables).map(([before, after]) => [
        after,
        rowsOf(join(dataDir, `${name}${suffix}`), before).map(LATER[after] ?? ((row) => row)),
      ]),
    ),
  );
const newRows = (dataDir: string): Record<string, Row[]> =>
  Object.fromEntries(
    MOVED.flatMap(({ into, tables }) =>
      Object.values(tables).map((after) => [after, rowsOf(join(dataDir, into.name), after)]),
    ),
  );

const filesOf = (dataDir: string): string[] => readdirSync(dataDir).sort();

function expectMoved(dataDir: string): void {
  const before = oldRows(dataDir, '.moved');
  for (const [table, rows] of Object.entries(before)) expect([table, rows.length > 0]).toEqual([table, true]);
  expect(newRows(dataDir)).toEqual(before);
  const targets = [...new Set(MOVED.map(({ into }) => into.name))];
  expect(filesOf(dataDir)).toEqual([...OLD_NAMES.map((name) => `${name}.moved`), ...targets].sort());
}

test('every row is moved, and the old files are kept under another name', () => {
  // Of a copy: to look into a database brings its log in.
  const copy = testFolder();
  cpSync(folder.dataDir, copy.dataDir, { recursive: true });
  const before = oldRows(copy.dataDir, '');
  copy.remove();
  writeFileSync(at('market.db'), 'a cache');
  moveAll();
  expectMoved(folder.dataDir);
  expect(newRows(folder.dataDir)).toEqual(before);
  expect(unmovedDatabases(folder.dataDir)).toEqual([]);
  const files = filesOf(folder.dataDir).map((name) => readFileSync(at(name), 'latin1'));
  moveAll();
  expect(
    filesOf(folder.dataDir)
      .map((name) => readFileSync(at(name), 'latin1'))
      .join() === files.join(),
  ).toBe(true);
});

test('killed at any step, the next start finishes without losing or doubling a row', () => {
  let steps = 0;
  const template = testFolder();
  cpSync(folder.dataDir, template.dataDir, { recursive: true });
  moveAll(folder.dataDir, () => {
    steps += 1;
  });
  expect(steps).toBe(6 * MOVED.length);
  for (let last = 1; last <= steps; last += 1) {
    const killed = testFolder();
    cpSync(template.dataDir, killed.dataDir, { recursive: true });
    const flags = ['--disable-warning=ExperimentalWarning'];
    const { signal } = spawnSync(process.execPath, [...flags, PROGRAM, killed.dataDir, String(last)]);
    expect([last, signal]).toEqual([last, 'SIGKILL']);
    moveAll(killed.dataDir);
    expectMoved(killed.dataDir);
    killed.remove();
  }
  template.remove();
});

test('numbers that were given once are not given again', () => {
  moveAll();
  const db = new DatabaseSync(at('scripts.db'));
  db.exec("INSERT INTO deployment_outbox VALUES (NULL, 'e1', 'd1', 5, 0, 0, NULL)");
  expect(db.prepare('SELECT max(id) AS id FROM deployment_outbox').get()).toEqual({ id: 13 });
  db.close();
});

test('a database whose rows meet others is refused, and nothing is changed', () => {
  const db = openMigrated(at('settings.db'), OWNER.migrations);
  db.exec("INSERT INTO model_calls VALUES (1, 1, 'r', 'chat', 'openai', 'm', 'ok', 0, 0, 0, 0, 0)");
  db.close();
  expect(() => moveDatabases(folder.dataDir, OWNER)).toThrow(/settings\.db has rows of its own.*agent\.db/);
  expect(existsSync(at('agent.db'))).toBe(true);
  expect(rowsOf(at('settings.db'), 'model_calls')).toHaveLength(1);
  expect(rowsOf(at('agent.db'), 'calls')).toHaveLength(2);
});

test('a database that is here again after it was moved is refused by its name', () => {
  moveAll();
  cpSync(at('agent.db.moved'), at('agent.db'));
  expect(() => moveAll()).toThrow(`${at('agent.db')}: here again`);
  expect(rowsOf(at('settings.db'), 'model_calls')).toHaveLength(2);
});

test('a database that another program reads is refused in words, and moved when that is closed', () => {
  const other = new DatabaseSync(at('agent.db'));
  other.exec('BEGIN');
  other.prepare('SELECT * FROM calls').all();
  expect(() => moveDatabases(folder.dataDir, OWNER)).toThrow(/agent\.db is locked by another program; close it/);
  other.close();
  moveAll();
  expectMoved(folder.dataDir);
});

test('a damaged database is refused and left alone', () => {
  writeFileSync(at('deployments.db'), 'no database at all '.repeat(500));
  moveDatabases(folder.dataDir, OWNER);
  expect(() => moveDatabases(folder.dataDir, STRANGERS)).toThrow(/deployments\.db is not a SQLite database/);
  expect(existsSync(at('deployments.db'))).toBe(true);
});

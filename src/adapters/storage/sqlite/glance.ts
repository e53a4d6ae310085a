// A look into the owner's file: what any process has changed is seen at once, and nobody has to be told.

import type { DatabaseSync } from 'node:sqlite';
import type { Glance } from '../sql/owner/glance.ts';
import { queries } from './database.ts';

export function glanceInto(db: DatabaseSync, path: string): Glance {
  const all = queries(db, path);
  return {
    rows: (table, where) =>
      where === undefined
        ? all(`SELECT * FROM ${table}`)
        : all(`SELECT * FROM ${table} WHERE ${where.column} = ?`, where.value),
    mark: async () => {},
    refresh: async () => {},
  };
}

/** For a folder that an older version may have left: a table that it did not have is empty. */
export function olderGlanceInto(db: DatabaseSync, path: string): Pick<Glance, 'rows'> {
  const all = queries(db, path);
  const { rows } = glanceInto(db, path);
  const has = (table: string): boolean => all('SELECT 1 FROM sqlite_master WHERE name = ?', table).length > 0;
  return { rows: (table, where) => (has(table) ? rows(table, where) : []) };
}

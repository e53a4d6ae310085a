// Which tables a copy carries: all that both databases have, those first that others refer to. A table or column that only one of them
// has stops the copy, so that none is forgotten.

import { StorageError } from '../../../../errors/storage-error.ts';
import type { ReadSide, Table } from './sides.ts';

/** How a file was migrated, what older versions had, and bars, which are a cache of each process. */
export const TABLES_OF_SQLITE: readonly string[] = [
  'migrations',
  'moved_databases',
  'sqlite_sequence',
  'bar_series',
  'bar_packs',
];
/** What is there because several processes write. */
export const TABLES_OF_POSTGRES: readonly string[] = [
  'migrations',
  'writer_marks',
  'controls_version',
  'leases',
  'desk_terms',
];

export async function carriedTables(from: ReadSide, to: ReadSide): Promise<readonly Table[]> {
  const source = (await from.tables()).map(withSortedColumns);
  const target = (await to.tables()).map(withSortedColumns);
  const difference = differenceOf(source, target) ?? differenceOf(target, source);
  if (difference !== undefined)
    throw new StorageError(
      `${from.name} and ${to.name} do not have the same tables (${difference}), so nothing can be copied between them; ` +
        'this copy of Signalbox was altered: reinstall it',
    );
  const numbered = new Map(target.map((table) => [table.name, table.numbered]));
  const shared = source.map((table) => ({ ...table, numbered: table.numbered && numbered.get(table.name) }));
  return inOrder(shared);
}

/** Both engines give the values of a row in the same order, whichever order their tables were made in. */
const withSortedColumns = (table: Table): Table => ({
  ...table,
  columns: [...table.columns].sort((a, b) => (a.name < b.name ? -1 : 1)),
});

const inWords = ({ name, columns, key }: Table): string[] => [
  `the key ${name} (${key.join(', ')})`,
  ...columns.map((column) => `${name}.${column.name}, a ${column.kind}`),
];

function differenceOf(some: readonly Table[], others: readonly Table[]): string | undefined {
  const there = new Set(others.flatMap(inWords));
  return some.flatMap(inWords).find((each) => !there.has(each));
}

function inOrder(tables: readonly Table[]): readonly Table[] {
  const ordered: Table[] = [];
  const add = (table: Table): void => {
    if (ordered.includes(table)) return;
    for (const name of table.refersTo) {
      const parent = tables.find((each) => each.name === name);
      if (parent !== undefined && parent !== table) add(parent);
    }
    ordered.push(table);
  };
  for (const table of [...tables].sort((a, b) => (a.name < b.name ? -1 : 1))) add(table);
  return ordered;
}

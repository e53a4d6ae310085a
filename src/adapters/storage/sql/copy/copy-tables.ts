// Copies the tables of one database into another of the same shape, page by page. How far each table is goes into the
// transaction of the page, so that whoever is killed loses no row and copies none twice: the next run goes on behind it.

import { StorageError } from '../../../../errors/storage-error.ts';
import { contentsOf } from './contents.ts';
import { keyOf, PAGE_LIMITS, type PageLimits, readPage } from './pages.ts';
import type { Page, ReadSide, Table, TableProgress, WriteSide } from './sides.ts';

export interface CopyOptions {
  readonly limits?: PageLimits;
  /** Told when a page is on disk. */
  readonly onPage?: (table: string, rows: number) => void;
}

const NOT_BEGUN: TableProgress = { after: undefined, rows: 0, isDone: false };

export async function copyTables(
  from: ReadSide,
  to: WriteSide,
  tables: readonly Table[],
  options: CopyOptions = {},
): Promise<void> {
  for (const table of tables) await copyTable(from, to, table, options);
  for (const table of tables) {
    const last = table.numbered === undefined ? undefined : await from.lastNumber(table);
    if (last !== undefined) await to.setLastNumber(table, last);
  }
}

async function copyTable(
  from: ReadSide,
  to: WriteSide,
  table: Table,
  { limits = PAGE_LIMITS, onPage = () => {} }: CopyOptions,
): Promise<void> {
  const found = await to.progressOf(table.name);
  let progress = found ?? NOT_BEGUN;
  for (let isFirst = found === undefined; !progress.isDone; isFirst = false) {
    const { rows, isEnd } = await readPage(from, table, progress.after, limits);
    const after = keyOf(table, rows.at(-1)) ?? progress.after;
    progress = { after, rows: progress.rows + rows.length, isDone: isEnd };
    await written(to, table, { rows, progress, isFirst });
    onPage(table.name, rows.length);
  }
}

async function written(to: WriteSide, table: Table, page: Page): Promise<void> {
  try {
    await to.write(table, page);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    throw new StorageError(`a page of ${table.name} could not be written: ${error.message}`, { cause: error });
  }
}

/** What was copied is not what is there: the whole copy is in doubt. */
export class DifferentContentError extends StorageError {}

/** Reads every row of both sides again. */
export async function assertSameContent(
  from: ReadSide,
  to: ReadSide,
  tables: readonly Table[],
  onRows?: (rows: number) => void,
): Promise<void> {
  for (const table of tables) {
    const [source, target] = [await contentsOf(from, table, onRows), await contentsOf(to, table)];
    if (source.rows === target.rows && source.checksum === target.checksum) continue;
    const rows =
      source.rows === target.rows
        ? `${source.rows} rows, but not with the same values`
        : `${source.rows} and ${target.rows} rows`;
    throw new DifferentContentError(`${table.name} has ${rows} in ${from.name} and in ${to.name}`);
  }
}

// Copies a whole instance between the two engines: the databases of a data folder into a PostgreSQL, and out of it into a folder.

import { existsSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileFaultInWords } from '../adapters/storage/durable-file.ts';
import type { Connection } from '../adapters/storage/postgres/connection.ts';
import { postgresReadSide, postgresWriteSide } from '../adapters/storage/postgres/copy-side.ts';
import {
  assertNoMoveUnderWay,
  doubtMove,
  endMove,
  isMoveUnderWay,
  type MoveSource,
} from '../adapters/storage/postgres/move-progress.ts';
import {
  assertNoInstance,
  beginSnapshot,
  openForCopies,
  prepareTarget,
} from '../adapters/storage/postgres/move-target.ts';
import { postgresFault } from '../adapters/storage/postgres/postgres-faults.ts';
import { type PostgresSchema, SCHEMAS } from '../adapters/storage/postgres/schemas.ts';
import { carriedTables } from '../adapters/storage/sql/copy/carried-tables.ts';
import {
  assertSameContent,
  type CopyOptions,
  copyTables,
  DifferentContentError,
} from '../adapters/storage/sql/copy/copy-tables.ts';
import type { ReadSide, Table, WriteSide } from '../adapters/storage/sql/copy/sides.ts';
import { openSqliteReadSide, openSqliteWriteSide } from '../adapters/storage/sqlite/copy-side.ts';
import { type DatabaseFile, OWNER, STRANGERS, TRADING } from '../adapters/storage/sqlite/database-files.ts';
import { StorageError } from '../errors/storage-error.ts';

/** A database of an instance in both of its forms. */
interface InstanceDatabase extends PostgresSchema {
  /** Below the data folder. */
  readonly path: string;
  readonly file: DatabaseFile;
}

/** The books first, because everybody waits for them. */
const DATABASES: readonly InstanceDatabase[] = [
  { ...SCHEMAS.trading, path: TRADING.name, file: TRADING },
  { ...SCHEMAS.owner, path: OWNER.name, file: OWNER },
  { ...SCHEMAS.strangers, path: STRANGERS.name, file: STRANGERS },
  { ...SCHEMAS.twinLive, path: join('twin', 'live', TRADING.name), file: TRADING },
  { ...SCHEMAS.twinTestnet, path: join('twin', 'testnet', TRADING.name), file: TRADING },
];

/** Those that a folder has, with their paths. */
export const databasesOf = (dataDir: string) =>
  DATABASES.map((each) => ({ ...each, path: join(dataDir, each.path) })).filter(({ path }) => existsSync(path));

export interface CopyProgress {
  readonly step: 'copied' | 'compared';
  readonly done: number;
  readonly of: number;
}

export interface CopiedDatabase {
  /** A file or a schema, as its engine calls it. */
  readonly name: string;
  readonly rows: number;
}

export interface CopiedInstance {
  /** Host, port and database of the PostgreSQL. */
  readonly where: string;
  readonly databases: readonly CopiedDatabase[];
  /** How many rows an earlier run had copied. */
  readonly rowsFoundThere: number;
}

export interface CopyToPostgresOptions extends CopyOptions {
  /** Nobody writes to it, its databases have today's shape and no logs beside them. */
  readonly dataDir: string;
  readonly url: string;
  readonly onProgress?: (progress: CopyProgress) => void;
  /** Called when everything is there and was compared, before the database may be used. */
  readonly beforeUse?: (where: string) => Promise<void>;
}

interface Pair {
  readonly from: ReadSide;
  readonly to: WriteSide;
  readonly tables: readonly Table[];
  readonly rows: number;
}

/** Interrupted, it goes on where it stopped when it is called again. */
export async function copyToPostgres(options: CopyToPostgresOptions): Promise<CopiedInstance> {
  const { dataDir, url, beforeUse } = options;
  const databases = databasesOf(dataDir);
  const sides = databases.map(({ path }) => openSqliteReadSide(path));
  let close = (): Promise<void> | void => {};
  try {
    const { connection, where } = await openForCopies(url);
    close = () => connection.close();
    const isGoneOn = await prepareTarget(url, { connection, where, schemas: databases }, await sourceIn(dataDir));
    const pairs: Pair[] = [];
    for (const [at, { schema }] of databases.entries())
      pairs.push(await pairOf(sides[at] as ReadSide, postgresWriteSide({ connection, where, schema })));
    const rowsFoundThere = isGoneOn ? await rowsIn(pairs) : 0;
    try {
      await copyPairs(pairs, options, rowsFoundThere);
      for (const side of sides) side.assertUnchanged();
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      const isDifferent = error instanceof DifferentContentError;
      if (isDifferent) await doubtMove(connection);
      const remedy = isDifferent
        ? 'run this again, it begins anew'
        : 'what is copied stays, and the next run goes on behind it';
      throw new StorageError(`${error.message}; ${remedy}`, { cause: error });
    }
    await beforeUse?.(where);
    await endMove(connection).catch((error) => {
      throw postgresFault(where, error);
    });
    return {
      where,
      databases: databases.map(({ schema }, at) => ({ name: schema, rows: pairs[at]?.rows ?? 0 })),
      rowsFoundThere,
    };
  } finally {
    for (const side of sides) side.close();
    await close();
  }
}

/** Whether a move into this PostgreSQL has not come to its end. */
export const isMoveUnfinished = (url: string): Promise<boolean> => lookInto(url, isMoveUnderWay);

/** Throws where a PostgreSQL holds an instance, or a part of one. */
export const assertEmptyPostgres = (url: string): Promise<void> =>
  lookInto(url, async (connection, where) => {
    await assertNoMoveUnderWay(connection, where);
    await assertNoInstance(connection, where);
  });

async function lookInto<T>(url: string, look: (connection: Connection, where: string) => Promise<T>): Promise<T> {
  const { connection, where } = await openForCopies(url);
  try {
    return await look(connection, where);
  } catch (error) {
    throw postgresFault(where, error);
  } finally {
    await connection.close();
  }
}

/** The first run of a desk's events has an id that no other instance has. */
async function sourceIn(dataDir: string): Promise<MoveSource> {
  const trading = openSqliteReadSide(join(dataDir, TRADING.name));
  try {
    const [first] = await trading.all('SELECT id FROM desk_event_epochs ORDER BY first_seq LIMIT 1');
    const stamps = databasesOf(dataDir).map(({ path, schema }) => {
      const { size, mtimeMs } = statSync(path);
      return `${schema} ${size} ${mtimeMs}`;
    });
    return { instance: String(first?.id), state: stamps.join('; ') };
  } finally {
    trading.close();
  }
}

async function pairOf(from: ReadSide, to: WriteSide): Promise<Pair> {
  const tables = await carriedTables(from, to);
  let rows = 0;
  for (const { name } of tables) {
    const [counted] = await from.all(`SELECT count(*) AS rows FROM ${from.reference(name)}`);
    rows += Number(counted?.rows);
  }
  return { from, to, tables, rows };
}

async function rowsIn(pairs: readonly Pair[]): Promise<number> {
  let rows = 0;
  for (const { to, tables } of pairs) for (const { name } of tables) rows += (await to.progressOf(name))?.rows ?? 0;
  return rows;
}

type PairOptions = CopyOptions & Pick<CopyToPostgresOptions, 'onProgress'>;

async function copyPairs(pairs: readonly Pair[], options: PairOptions, rowsFoundThere = 0): Promise<void> {
  const { onProgress, onPage, limits } = options;
  const of = pairs.reduce((sum, { rows }) => sum + rows, 0);
  let copied = rowsFoundThere;
  for (const { from, to, tables } of pairs)
    await copyTables(from, to, tables, {
      ...(limits && { limits }),
      onPage(table, rows) {
        copied += rows;
        onProgress?.({ step: 'copied', done: copied, of });
        onPage?.(table, rows);
      },
    });
  let compared = 0;
  for (const { from, to, tables } of pairs)
    await assertSameContent(from, to, tables, (rows) => {
      compared += rows;
      onProgress?.({ step: 'compared', done: compared, of });
    });
}

export interface CopyToFolderOptions extends PairOptions {
  readonly url: string;
  /** Gets the databases; it has none of them yet. */
  readonly folder: string;
  /** Without them the paper twins stay where they are. */
  readonly withTwins: boolean;
}

/** All of it is of one moment; whoever writes goes on writing. */
export async function copyToSqliteFolder(options: CopyToFolderOptions): Promise<CopiedInstance> {
  const { url, folder, withTwins } = options;
  const { connection, where } = await openForCopies(url);
  try {
    await beginSnapshot(connection, where);
    const copied: CopiedDatabase[] = [];
    for (const { schema, path, file } of DATABASES) {
      if (file === TRADING && path !== TRADING.name && !withTwins) continue;
      const from = postgresReadSide({ connection, where, schema });
      if ((await from.tables()).length === 0) continue;
      copied.push({ name: path, rows: await copyToFile(from, join(folder, path), file, options) });
    }
    if (!copied.some(({ name }) => name === TRADING.name))
      throw new StorageError(`PostgreSQL at ${where} holds no instance; correct DATABASE_URL`);
    return { where, databases: copied, rowsFoundThere: 0 };
  } finally {
    await connection.close();
  }
}

async function copyToFile(
  from: ReadSide,
  path: string,
  { migrations }: DatabaseFile,
  options: PairOptions,
): Promise<number> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw fileFaultInWords(error, path);
  });
  const to = openSqliteWriteSide(path, migrations);
  try {
    const pair = await pairOf(from, to);
    await copyPairs([pair], options);
    return pair.rows;
  } finally {
    await to.close();
  }
}

// Where rows are kept: in files of the data folder, or in the PostgreSQL of DATABASE_URL. Nobody else here chooses between the two, but
// strangers.ts for those of scripts.
//
// PostgreSQL's part is loaded where it is used: most instances never do.

import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type OwnerStores,
  ownerStoresOn,
  type SettingsStorage,
  storedSettings,
} from '../adapters/storage/sql/owner/settings.ts';
import type { UsageStorage } from '../adapters/storage/sql/owner/usage-ledger.ts';
import { QUERY_TABLES } from '../adapters/storage/sql/query/queries.ts';
import type { TradingStores } from '../adapters/storage/sql/trading/trading-stores.ts';
import { UnsettledAccounts } from '../adapters/storage/sql/trading/unsettled.ts';
import { openUsageStorage } from '../adapters/storage/sqlite/agent/usage-ledger.ts';
import { OWNER, TRADING } from '../adapters/storage/sqlite/database-files.ts';
import { hasDatabases, isDataFolder } from '../adapters/storage/sqlite/find-instance.ts';
import { assertDatabasesThere, excuseLogs } from '../adapters/storage/sqlite/folder-databases.ts';
import { lookInto } from '../adapters/storage/sqlite/look-into.ts';
import { markOf, movedTo } from '../adapters/storage/sqlite/moved-folder.ts';
import { openDataStorage } from '../adapters/storage/sqlite/open-data.ts';
import { createDataQueries } from '../adapters/storage/sqlite/query/queries.ts';
import { openSettingsStorage, readOwnerStores, readStoredSettings } from '../adapters/storage/sqlite/settings.ts';
import { StorageError } from '../errors/storage-error.ts';
import type { DataQueries } from '../trading/books/data-query.ts';
import type { ControlsCopy } from '../trading/intake/controls.ts';
import { DESK_LEASE, type Lease } from '../trading/leases.ts';
import { nowMs } from './clocks.ts';
import { noInstance } from './no-instance.ts';
import { assertRowsWhereTheyWere, type WhereRowsAre } from './where-rows-are.ts';

const postgres = {
  owner: () => import('../adapters/storage/postgres/owner.ts'),
  queries: () => import('../adapters/storage/postgres/query/open-queries.ts'),
  trading: () => import('../adapters/storage/postgres/trading.ts'),
  look: () => import('../adapters/storage/postgres/look-into.ts'),
};

/** What opens the databases of the owner of the desk. */
export const loadPostgres = () => Promise.all([postgres.owner(), postgres.trading()]);

export interface OwnerStorage {
  readonly settings: SettingsStorage;
  readonly usage: UsageStorage;
  /** What this process goes by, where others may change it. */
  readonly controlsCopy?: ControlsCopy;
}

/** A file is not made for a command; a database is there. */
export const isOwnerThere = ({ dataDir, databaseUrl }: WhereRowsAre): boolean =>
  databaseUrl !== undefined || existsSync(join(dataDir, OWNER.name));

export async function closeOwner({ settings, usage }: OwnerStorage): Promise<void> {
  await usage.close();
  await settings.close();
}

/** Each is closed by itself; which of the two comes last does not matter. */
export async function openOwner({ dataDir, databaseUrl }: WhereRowsAre): Promise<OwnerStorage> {
  if (databaseUrl === undefined)
    return { settings: openSettingsStorage(dataDir), usage: openUsageStorage({ dataDir }) };
  const { openOwnerStorage } = await postgres.owner();
  const { settings, usage, controls, close } = await openOwnerStorage(databaseUrl);
  let open = 2;
  const closeOne = async (): Promise<void> => {
    open -= 1;
    if (open === 0) await close();
  };
  return { settings: { ...settings, close: closeOne }, usage: { ...usage, close: closeOne }, controlsCopy: controls };
}

/** What the owner has decided, for whoever changes nothing; nothing where there is no database. */
export async function lookAtOwner({ dataDir, databaseUrl }: WhereRowsAre): Promise<OwnerStores> {
  if (databaseUrl === undefined) return readOwnerStores(dataDir);
  const { glanceAtOwner } = await postgres.look();
  return { ...ownerStoresOn(await glanceAtOwner(databaseUrl)), close: () => {} };
}

export async function lookAtSettings({ dataDir, databaseUrl }: WhereRowsAre): Promise<ReadonlyMap<string, string>> {
  if (databaseUrl === undefined) return readStoredSettings(dataDir);
  const { glanceAtOwner } = await postgres.look();
  return storedSettings(await glanceAtOwner(databaseUrl));
}

export interface TradingData extends TradingStores {
  readonly queries: DataQueries;
  commits(): number;
  close(): Promise<void>;
}

interface TradingPlace extends WhereRowsAre {
  readonly queryDatabaseUrl?: string | undefined;
}

export interface TradingDataParts {
  /** It cannot come back by itself, or belongs to another process now: whoever runs this one must restart it. */
  readonly onDeath: (error: Error) => void;
  /** Of whoever trades on a shared database: once it is lost nothing more is written. */
  readonly lease?: Lease | undefined;
}

export async function openTradingData(
  { dataDir, databaseUrl, queryDatabaseUrl }: TradingPlace,
  { onDeath, lease }: TradingDataParts,
): Promise<TradingData> {
  if (databaseUrl === undefined) {
    const data = await openDataStorage({ dataDir, nowMs, onDeath });
    return withQueries(data, createDataQueries(data));
  }
  const { openTradingStorage } = await postgres.trading();
  const data = await openTradingStorage({ url: databaseUrl, nowMs, lease, onDeath, onFenced: onDeath });
  return withQueries(data, lazyQueries(databaseUrl, queryDatabaseUrl));
}

const withQueries = (data: Omit<TradingData, 'queries'>, queries: DataQueries): TradingData => ({
  ...data,
  queries,
  async close() {
    await queries.close();
    await data.close();
  },
});

/** Opened when somebody first asks: whoever never does needs no role for it, and one that cannot be made stops no trade. */
function lazyQueries(url: string, queryUrl: string | undefined): DataQueries {
  let opened: Promise<DataQueries> | undefined;
  const open = async (): Promise<DataQueries> => {
    const { openPostgresQueries } = await postgres.queries();
    return openPostgresQueries({ url, ...(queryUrl !== undefined && { queryUrl }) });
  };
  return {
    tables: QUERY_TABLES,
    async run(query, params) {
      opened ??= open();
      try {
        return await (await opened).run(query, params);
      } catch (error) {
        await opened.catch(() => (opened = undefined));
        throw error;
      }
    },
    close: async () => (await opened?.catch(() => undefined))?.close(),
  };
}

type TwinMode = 'testnet' | 'live';
const twinSchema = (mode: TwinMode): string => `twin_${mode}`;

/** The books of the paper twins of a mode: a database of its own, in a folder of its own. */
export async function openTwinData(
  { dataDir, databaseUrl }: WhereRowsAre,
  mode: TwinMode,
  { onDeath, lease }: TradingDataParts,
): Promise<Omit<TradingData, 'queries'>> {
  if (databaseUrl === undefined) {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    return openDataStorage({ dataDir, nowMs, onDeath });
  }
  const { openTradingStorage } = await postgres.trading();
  const schema = twinSchema(mode);
  return openTradingStorage({ url: databaseUrl, schema, nowMs, lease, onDeath, onFenced: onDeath });
}

/** A command that only looks makes none. */
export async function isTwinThere({ dataDir, databaseUrl }: WhereRowsAre, mode: TwinMode): Promise<boolean> {
  if (databaseUrl === undefined) return existsSync(dataDir);
  const { lookInto: lookIntoPostgres } = await postgres.look();
  return (await lookIntoPostgres(databaseUrl, twinSchema(mode), async () => true)) ?? false;
}

export const unsettledAccounts = ({ dataDir, databaseUrl }: WhereRowsAre): UnsettledAccounts =>
  new UnsettledAccounts(async (look) => {
    if (databaseUrl === undefined) return lookInto(dataDir, TRADING, look);
    const { lookInto: lookIntoPostgres } = await postgres.look();
    return lookIntoPostgres(databaseUrl, 'trading', look);
  });

/** The address of the process that trades on a shared database; undefined where none does. */
export async function findDeskOwner({ databaseUrl }: Pick<WhereRowsAre, 'databaseUrl'>): Promise<string | undefined> {
  if (databaseUrl === undefined) return undefined;
  const { lookInto: lookIntoPostgres } = await postgres.look();
  const { HOLDER } = await import('../adapters/storage/postgres/leases.ts');
  const row = await lookIntoPostgres(databaseUrl, 'trading', (reads) => reads.get(HOLDER, DESK_LEASE));
  return row && String(row.address);
}

/** For a command that goes by the files of a data folder. */
export function assertInFiles(
  { databaseUrl }: Pick<WhereRowsAre, 'databaseUrl'>,
  command: string,
  instead: string,
): void {
  if (databaseUrl !== undefined)
    throw new Error(
      `"signalbox ${command}" goes by the files of a data folder, and with DATABASE_URL the rows are in PostgreSQL, so nothing was done. ${instead}.`,
    );
}

/** A database that has lost its tables must not get new ones without a word: the kill switch and all claims would be forgotten. */
export async function assertRowsThere({ dataDir, databaseUrl }: WhereRowsAre): Promise<void> {
  if (databaseUrl === undefined || movedTo(dataDir) === undefined) return;
  const { lookInto: lookIntoPostgres } = await postgres.look();
  if (await lookIntoPostgres(databaseUrl, 'trading', async () => true)) return;
  throw new StorageError(
    `the database of DATABASE_URL is empty, but the rows of ${dataDir} were there before. Restore it from a backup; or, to begin with ` +
      `empty books, remove ${markOf(dataDir)}`,
  );
}

/** Whoever would stand by knows the tables that it is to take over, or those that it will change. */
export async function assertTablesKnown({ databaseUrl }: Pick<WhereRowsAre, 'databaseUrl'>): Promise<void> {
  if (databaseUrl !== undefined) await (await postgres.look()).assertNotNewer(databaseUrl);
}

/** For a command that opens some of the databases: it makes none, so they must be there, and with all of their rows. */
export async function assertInstanceThere(place: WhereRowsAre, opened: readonly string[] = []): Promise<void> {
  const { dataDir, databaseUrl } = place;
  if (!isDataFolder(dataDir)) throw noInstance(dataDir);
  assertRowsWhereTheyWere(place);
  await assertRowsThere(place);
  if (databaseUrl !== undefined) return;
  assertDatabasesThere(dataDir);
  if (!hasDatabases(dataDir)) throw noInstance(dataDir);
  if (opened.length > 0) await excuseLogs(dataDir, opened);
}

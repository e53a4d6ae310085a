// Where the rows of strangers are: in the PostgreSQL of DATABASE_URL, or in a file of the data folder. Apart from storage.ts, because
// the script process loads nothing of the owner's and of trading.

import type { SqlDatabase, SqlReads } from '../adapters/storage/sql/sql.ts';
import { STRANGERS } from '../adapters/storage/sqlite/database-files.ts';
import { lookInto } from '../adapters/storage/sqlite/look-into.ts';
import { openStrangers } from '../adapters/storage/sqlite/strangers/open-strangers.ts';
import type { WhereRowsAre } from './where-rows-are.ts';

export type StrangersPlace = Pick<WhereRowsAre, 'dataDir'> & Partial<WhereRowsAre>;

/** Loaded only where it is used. */
const postgres = () => import('../adapters/storage/postgres/strangers.ts');

/** Made where there is none. */
export async function openStrangersAt({ dataDir, databaseUrl }: StrangersPlace): Promise<SqlDatabase> {
  return databaseUrl === undefined ? openStrangers({ dataDir }) : (await postgres()).openStrangers(databaseUrl);
}

/** Undefined where there are none: nothing is made for a look. */
export async function lookIntoStrangersAt<T>(
  { dataDir, databaseUrl }: StrangersPlace,
  look: (reads: SqlReads) => Promise<T>,
): Promise<T | undefined> {
  return databaseUrl === undefined
    ? lookInto(dataDir, STRANGERS, look)
    : (await postgres()).lookIntoStrangers(databaseUrl, look);
}

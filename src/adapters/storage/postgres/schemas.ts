// The schemas of an instance in a PostgreSQL, one for each database that it has as a file otherwise.

export interface PostgresSchema {
  readonly schema: string;
  /** The folder of its numbered SQL files. */
  readonly migrations: URL;
}

const sql = (folder: string): URL => new URL(`./migrations/${folder}/`, import.meta.url);

export const SCHEMAS = {
  trading: { schema: 'trading', migrations: sql('trading') },
  owner: { schema: 'owner', migrations: sql('owner') },
  strangers: { schema: 'strangers', migrations: sql('strangers') },
  /** The paper twins of live and of testnet accounts, in the tables of trading. */
  twinLive: { schema: 'twin_live', migrations: sql('trading') },
  twinTestnet: { schema: 'twin_testnet', migrations: sql('trading') },
} as const satisfies Readonly<Record<string, PostgresSchema>>;

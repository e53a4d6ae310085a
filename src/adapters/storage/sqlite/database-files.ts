// The databases of a data folder, one for each kind of owner: which file, which tables, and which files older versions had.

export interface DatabaseFile {
  readonly name: string;
  /** The folder of its numbered SQL files. */
  readonly migrations: URL;
}

const sql = (folder: string): URL => new URL(`./migrations/${folder}/`, import.meta.url);

/** What trades rely on. Written by the trading process. */
export const TRADING: DatabaseFile = { name: 'signalbox.db', migrations: sql('data') };
/** What the owner decides and pays for: settings, audit, webhook keys, the agent's use. Written by the trading process. */
export const OWNER: DatabaseFile = { name: 'settings.db', migrations: sql('settings') };
/** What strangers and their scripts fill: the library, keys, deployments, bars. Written by the script process. */
export const STRANGERS: DatabaseFile = { name: 'scripts.db', migrations: sql('scripts') };

/** A database that version 0.2.0 and before had by itself. */
export interface MovedDatabase extends DatabaseFile {
  readonly into: DatabaseFile;
  /** Its tables as they are called where they are now, those first that others refer to. */
  readonly tables: Readonly<Record<string, string>>;
  /** Its columns that have another name now, each as `table.column`. */
  readonly renamed?: Readonly<Record<string, string>>;
}

export const MOVED: readonly MovedDatabase[] = [
  {
    name: 'protection.db',
    migrations: sql('moved/protection'),
    into: TRADING,
    tables: { protections: 'protections', wishes: 'pending_stops', drawdown: 'drawdown_days' },
    // Its stops were told apart by what is called the mode now; all of them were of main accounts.
    renamed: { 'protections.account': 'mode' },
  },
  {
    name: 'wallet.db',
    migrations: sql('moved/wallet'),
    into: TRADING,
    tables: {
      entries: 'wallet_entries',
      attempts: 'wallet_attempts',
      claims: 'wallet_claims',
      spending: 'wallet_spending',
    },
  },
  { name: 'agent.db', migrations: sql('moved/agent'), into: OWNER, tables: { calls: 'model_calls' } },
  {
    name: 'script_keys.db',
    migrations: sql('moved/script-keys'),
    into: STRANGERS,
    tables: { key_values: 'key_values' },
  },
  {
    name: 'deployments.db',
    migrations: sql('moved/deployments'),
    into: STRANGERS,
    tables: {
      deployments: 'deployments',
      events: 'deployment_events',
      outbox: 'deployment_outbox',
      logs: 'deployment_logs',
    },
  },
];

/** Bars of venues, which were a cache in a file of their own: they are fetched again as they are asked for. */
export const RETIRED_CACHE = 'market.db';

// The owner's database as a schema of PostgreSQL.

import { type SettingsStorage, settingsStorageOn } from '../sql/owner/settings.ts';
import { type UsageStorage, usageStorageOn } from '../sql/owner/usage-ledger.ts';
import type { InOneStep, SqlDatabase } from '../sql/sql.ts';
import { PostgresGlance } from './glance.ts';
import { openPostgres } from './open-postgres.ts';
import { readPostgresAddress } from './postgres-address.ts';
import { SCHEMAS } from './schemas.ts';
import { Statements } from './statements.ts';

/**
 * One step at a time over all processes, as on SQLite: they wait for each other instead of getting into each other's way,
 * and the numbers of the audit are committed in their order, so that whoever copies it misses none. Reads do not wait.
 */
const TAKE_TURN = 'LOCK TABLE controls_version IN SHARE ROW EXCLUSIVE MODE';

/** Of what is read at a glance: a few thousand rows at most. */
const STATEMENT_MS = 2000;

export interface OwnerStorage {
  readonly settings: Omit<SettingsStorage, 'close'>;
  readonly usage: Omit<UsageStorage, 'close'>;
  /** Which version of the controls this process goes by. */
  readonly controls: Pick<PostgresGlance, 'version' | 'whenAtLeast' | 'refresh'>;
  close(): Promise<void>;
}

export async function openOwnerStorage(url: string): Promise<OwnerStorage> {
  const database = await openPostgres({ url, ...SCHEMAS.owner });
  try {
    const shared = { address: readPostgresAddress(url), schema: SCHEMAS.owner.schema, statements: new Statements() };
    const glance = await PostgresGlance.open({ ...shared, statementTimeoutMs: STATEMENT_MS });
    return {
      settings: settingsStorageOn({ ...database, inOneStep: inTurn(database) }, glance),
      usage: usageStorageOn(database),
      controls: glance,
      async close() {
        await database.close();
        await glance.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

const inTurn =
  (database: SqlDatabase): InOneStep =>
  (work) =>
    database.inOneStep(async (sql) => {
      await sql.run(TAKE_TURN);
      return work(sql);
    });

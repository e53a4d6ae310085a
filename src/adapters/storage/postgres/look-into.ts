// A look into a schema of PostgreSQL, beside a running instance as well as without one.

import { type AppliedMigration, readMigrations, unapplied } from '../migration-files.ts';
import type { Glance } from '../sql/owner/glance.ts';
import type { SqlReads } from '../sql/sql.ts';
import { PostgresGlance } from './glance.ts';
import { postgresReads } from './open-postgres.ts';
import { readPostgresAddress } from './postgres-address.ts';
import { SCHEMAS } from './schemas.ts';
import { Statements } from './statements.ts';

/** Of everything that is read at a glance: a few thousand rows at most. */
const STATEMENT_MS = 2000;

/** Undefined where the schema is not made yet: it is not made for a look. */
export async function lookInto<T>(
  url: string,
  schema: string,
  look: (reads: SqlReads) => Promise<T>,
): Promise<T | undefined> {
  const { reads, close } = postgresReads(url, schema);
  try {
    const found = await reads.get(
      'SELECT to_regclass(CAST(? AS TEXT)) IS NOT NULL AS "isThere"',
      `${schema}.migrations`,
    );
    return found?.isThere === 1 ? await look(reads) : undefined;
  } finally {
    await close();
  }
}

/** Throws in words where tables are of a version that this one does not know. Those that are older are left as they are. */
export async function assertNotNewer(url: string): Promise<void> {
  for (const { schema, migrations } of Object.values(SCHEMAS)) {
    const read = (reads: SqlReads) => reads.all('SELECT number, name, digest FROM migrations ORDER BY number');
    const applied = (await lookInto(url, schema, read)) ?? [];
    const name = `the schema ${schema} of ${readPostgresAddress(url).where}`;
    unapplied(readMigrations(migrations), applied as unknown as readonly AppliedMigration[], name);
  }
}

/** What the owner has decided, as it is now. */
export async function glanceAtOwner(url: string): Promise<Pick<Glance, 'rows'>> {
  const schema = 'owner';
  const glance = await lookInto(url, schema, async () => {
    const opened = await PostgresGlance.open({
      ...{ address: readPostgresAddress(url), schema, statements: new Statements(), statementTimeoutMs: STATEMENT_MS },
    });
    await opened.close();
    return opened;
  });
  return glance ?? { rows: () => [] };
}

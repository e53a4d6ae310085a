// The writer thread of a schema of PostgreSQL: the event loop pays as little for a commit as on SQLite.

import type { InOneStep } from '../sql/sql.ts';
import { createGroupCommit } from '../sql/trading/group-commit.ts';
import { serveWriter } from '../sql/trading/serve-writer.ts';
import { inEventOrder } from './desk-event-order.ts';
import { fenced } from './fence.ts';
import { openPostgres } from './open-postgres.ts';
import { readPostgresAddress } from './postgres-address.ts';
import { isOfTheWrite, postgresFault } from './postgres-faults.ts';
import type { WriterDatabase } from './writer.ts';

serveWriter(async ({ url, schema, migrations, fence, settleMs }: WriterDatabase) => {
  const { where } = readPostgresAddress(url);
  const database = await openPostgres({ url, schema, migrations: new URL(migrations), settleMs });
  const steps = fence === undefined ? database.inOneStep : fenced(database.inOneStep, fence);
  const inOneStep: InOneStep = (work) => steps((sql) => work(inEventOrder(sql)));
  const inWords = (error: unknown): Error => postgresFault(where, error);
  return { commit: createGroupCommit({ inOneStep, inWords, isOfTheWrite }), close: () => database.close() };
});

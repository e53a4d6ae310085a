// POST /query on PostgreSQL: the same promises as on SQLite, kept by the same tests.

import { beforeAll } from 'vitest';
import { describeAnswers } from '../query/answers-suite.ts';
import { describeAttacks } from '../query/attacks-suite.ts';
import { describeEvents } from '../query/events-suite.ts';
import { describeLimits } from '../query/limits-suite.ts';
import { describeStatements } from '../query/statements-suite.ts';
import { describeWrites } from '../query/writes-suite.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { queryOnPostgres } from '../support/query-on-postgres.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});

const ON_POSTGRES = queryOnPostgres(() => server);
describeStatements(ON_POSTGRES);
describeAnswers(ON_POSTGRES);
describeWrites(ON_POSTGRES);
describeAttacks(ON_POSTGRES);
describeEvents(ON_POSTGRES);
describeLimits(ON_POSTGRES);

// The query thread over PostgreSQL.

import { serveQueries } from '../../sql/query/serve-queries.ts';
import type { PostgresAddress } from '../postgres-address.ts';
import { prepareWrite, runRead } from './run-statement.ts';

serveQueries<PostgresAddress>({ runRead, prepareWrite });

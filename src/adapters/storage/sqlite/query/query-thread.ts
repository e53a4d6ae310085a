// The query thread over SQLite.

import { serveQueries } from '../../sql/query/serve-queries.ts';
import { runRead, runWrite } from './run-statement.ts';

serveQueries<string>({ runRead, prepareWrite: (job) => ({ run: () => runWrite(job) }) });

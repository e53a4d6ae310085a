// A look into the strangers' database of a folder.

import type { SqlReads } from '../../sql/sql.ts';
import { STRANGERS } from '../database-files.ts';
import { lookInto } from '../look-into.ts';

export const lookIntoStrangers = <T>(dataDir: string, look: (reads: SqlReads) => Promise<T>): Promise<T | undefined> =>
  lookInto(dataDir, STRANGERS, look);

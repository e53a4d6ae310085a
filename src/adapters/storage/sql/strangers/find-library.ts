// Whether a user has anything in the strangers' database: scripts, a draft, counted calls or deployments.

import type { SqlReads } from '../sql.ts';

const TABLES = ['libraries', 'drafts', 'usage', 'deployments'];

export async function hasLibrary(reads: SqlReads, userId: string): Promise<boolean> {
  for (const table of TABLES)
    if ((await reads.get(`SELECT 1 FROM ${table} WHERE user_id = ? LIMIT 1`, userId)) !== undefined) return true;
  return false;
}

// Whether what was decided by the controls is still right when it is written: in a database that several processes use, the
// owner may have turned a switch in another one. Who names no version, as on SQLite, is not asked for it, and asks nothing.

import type { Sql } from '../sql.ts';
import type { Batch } from './desk-event-mutations.ts';

/** The answer to a write that came too late; nothing of it is written. */
export const STALE_CONTROLS = 'stale-controls';

/** Read once in a transaction, which then sees the controls of one moment. */
export async function isStale(sql: Sql, version: number, batch: Batch): Promise<boolean> {
  batch.controlsVersion ??= sql.get('SELECT version FROM owner.controls_version').then((row) => Number(row?.version));
  return version < (await batch.controlsVersion);
}

// A probe that really writes; for databases with a table `heartbeat` that counts.

import { assertNoDamageFound } from '../found-damage.ts';
import type { SqlDatabase } from './sql.ts';

const BEAT = `INSERT INTO heartbeat (id, beats) VALUES (1, 1)
  ON CONFLICT (id) DO UPDATE SET beats = heartbeat.beats + 1`;

export async function beat({ name, inOneStep }: SqlDatabase): Promise<void> {
  assertNoDamageFound(name);
  await inOneStep((sql) => sql.run(BEAT));
}

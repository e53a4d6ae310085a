// A process that counts calls of one key until it is killed, eight at a time, and says on its output how many were promised.

import { writeSync } from 'node:fs';
import { openAnalysisKeys as openOnSqlite } from '../../sqlite/analysis-keys.ts';
import { openAnalysisKeys as openInFile } from '../analysis-keys.ts';

const AT_ONCE = 8;
const [kind = '', path = '', keyHash = ''] = process.argv.slice(2);
const store = kind === 'sqlite' ? openOnSqlite({ path }) : await openInFile({ path, nowMs: Date.now });

async function countForever(): Promise<never> {
  for (;;) {
    const end = await store.count(keyHash, { atS: 1, sinceS: 0, limit: undefined });
    // Not through a stream: what was promised must be out before the next step.
    if (end.counted) writeSync(1, '.');
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, countForever));

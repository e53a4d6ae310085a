// Where the instance listens that holds a data folder, for commands beside it.

import { readInstanceNote } from '../adapters/storage/sqlite/instance-lock.ts';
import { foregroundTimers } from '../timing/timers.ts';
import { wait } from '../timing/wait.ts';
import { unknownAddress } from './no-instance.ts';

/** It trades before it tells its address, at a take-over by seconds: whoever throws its kill switch then must not be sent away. */
const TELLS_WITHIN_MS = 10_000;
const PAUSE_MS = 100;

export async function holderAddress(dataDir: string, withinMs = TELLS_WITHIN_MS): Promise<string> {
  const deadlineMs = performance.now() + withinMs;
  for (;;) {
    const url = readInstanceNote(dataDir)?.url;
    if (url !== undefined) return url;
    if (performance.now() > deadlineMs) throw unknownAddress(dataDir);
    await wait(PAUSE_MS, { timers: foregroundTimers });
  }
}

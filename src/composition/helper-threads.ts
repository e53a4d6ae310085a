// Puts the engine's helper threads behind the event loop, so that the garbage of scripts never makes a signal wait.

import { readdirSync, readFileSync } from 'node:fs';
import { setPriority } from 'node:os';

const THREADS = '/proc/self/task';
/** As V8 calls those that collect garbage and compile for all isolates of the process. */
const HELPER = 'V8Worker';
/** As low as the threads of scripts: most of what the helpers do under load is theirs. */
const NICENESS = 15;

/** Only Linux has a priority for each thread; elsewhere, and where /proc is closed, everything stays as it is. */
export function putHelpersBehind(): void {
  if (process.platform !== 'linux') return;
  try {
    for (const thread of readdirSync(THREADS))
      if (readFileSync(`${THREADS}/${thread}/comm`, 'utf8').startsWith(HELPER)) setPriority(Number(thread), NICENESS);
  } catch {
    // A thread that just ended, or a /proc that hides: then they keep their priority.
  }
}

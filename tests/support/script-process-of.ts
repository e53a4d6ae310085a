// Finds the script process of a running Signalbox, for whoever wants to kill it or look at it.

import { readdirSync, readFileSync } from 'node:fs';
import type { RunningProcess } from './process.ts';

/** The one child of its process that runs that file; undefined between its end and its next start. */
export function scriptProcessOf({ child }: Pick<RunningProcess, 'child'>): number | undefined {
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const parent = /^PPid:\s(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1];
      const line = readFileSync(`/proc/${name}/cmdline`, 'utf8');
      if (Number(parent) === child.pid && /script-process\.[jt]s/.test(line)) return Number(name);
    } catch {
      // It has just ended.
    }
  }
  return undefined;
}

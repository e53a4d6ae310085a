// The script key of a command line: whose scripts, libraries and deployments a command is about.

import { type Args, UsageFault } from './command.ts';
import type { Connection } from './host.ts';

export function scriptKeyIn({ flags, env }: Pick<Args, 'flags' | 'env'>): string {
  const key = flags.key ?? env.SIGNALBOX_SCRIPT_KEY;
  if (!key)
    throw new UsageFault(
      '--key is missing; give a script key (pn_…), or set SIGNALBOX_SCRIPT_KEY. "signalbox keys create --scripts" makes one.',
    );
  // Anything else could not stand in a header.
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new UsageFault('--key is no script key; it begins with pn_ and has no blanks.');
}

/** The script worker, whose keys these are, is not served over the folder of a stopped instance. */
export function assertRunning({ running }: Connection, what: string): void {
  if (!running)
    throw new Error(`Signalbox is not running, and ${what} are kept by it; start it with "signalbox start"`);
}

// A script that is open follows what the list of scripts knows: what this page has sent and had no answer to is found there.

import { useEffect } from 'preact/hooks';
import type { OpenScript } from './open-script.ts';

/** `latest`: the newest revision that the list knows. */
export function useCatchUp(open: OpenScript, latest: number | undefined): void {
  const revision = open.script?.revision;
  useEffect(() => {
    if (latest !== undefined && revision !== undefined && latest > revision) void open.catchUp();
  }, [open, latest, revision]);
}

// The script storage for tests: in a folder of its own that is removed at the end, with a second way in and reopening.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PublicationLimits } from '../../../../../library/publication-store.ts';
import type { ScriptStoreLimits } from '../../../../../library/script-store.ts';
import { openScriptStorage, type ScriptStorage } from '../scripts.ts';

export interface TestScripts {
  readonly dataDir: string;
  readonly storage: ScriptStorage;
  another(): ScriptStorage;
  reopen(): ScriptStorage;
  close(): void;
}

export function openTestScripts(limits?: ScriptStoreLimits, publicationLimits?: PublicationLimits): TestScripts {
  const dataDir = mkdtempSync(join(tmpdir(), 'signalbox-scripts-'));
  const opened: ScriptStorage[] = [];
  const open = (): ScriptStorage => {
    const storage = openScriptStorage({
      dataDir,
      ...(limits === undefined ? {} : { limits }),
      ...(publicationLimits === undefined ? {} : { publicationLimits }),
    });
    opened.push(storage);
    return storage;
  };
  const closeAll = (): void => {
    for (const storage of opened.splice(0)) storage.close();
  };
  let storage = open();
  return {
    dataDir,
    get storage() {
      return storage;
    },
    another: open,
    reopen() {
      closeAll();
      storage = open();
      return storage;
    },
    close() {
      closeAll();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

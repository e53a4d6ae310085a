// The script storage for tests: in a folder of its own that is removed at the end, with a second way in and reopening.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PublicationLimits } from '../../../../../library/publication-store.ts';
import type { ScriptStoreLimits } from '../../../../../library/script-store.ts';
import { openScriptStorage, type ScriptStorage } from './open-storage.ts';

export interface TestScripts {
  readonly dataDir: string;
  readonly storage: ScriptStorage;
  another(): ScriptStorage;
  reopen(): Promise<ScriptStorage>;
  close(): Promise<void>;
}

export function openTestScripts(limits?: ScriptStoreLimits, publicationLimits?: PublicationLimits): TestScripts {
  const dataDir = mkdtempSync(join(tmpdir(), 'signalbox-scripts-'));
  const opened: ScriptStorage[] = [];
  const open = (): ScriptStorage => {
    const storage = openScriptStorage({ dataDir, limits, publicationLimits });
    opened.push(storage);
    return storage;
  };
  const closeAll = async (): Promise<void> => {
    for (const storage of opened.splice(0)) await storage.close();
  };
  let storage = open();
  return {
    dataDir,
    get storage() {
      return storage;
    },
    another: open,
    async reopen() {
      await closeAll();
      storage = open();
      return storage;
    },
    async close() {
      await closeAll();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

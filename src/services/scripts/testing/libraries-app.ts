// The script worker with published libraries and the real engine behind it, all in one thread, over a database of its own.

import { engineOf } from '../../../adapters/scripts/engine-calls.ts';
import { createJobRunner } from '../../../adapters/scripts/run-job.ts';
import { openTestScripts } from '../../../adapters/storage/sqlite/strangers/testing/open-test-scripts.ts';
import { StorageError } from '../../../errors/storage-error.ts';
import type { PublicationStore } from '../../../library/publication-store.ts';
import { createPublications } from '../../../library/publications.ts';
import type { Checked } from '../../../library/script-runner.ts';
import { openAnalysis } from '../../analysis/testing/analysis-app.ts';
import { openScriptsApp, type ScriptsApp, type ScriptsAppOptions, START_MS } from './scripts-app.ts';

export interface LibrariesApp extends ScriptsApp {
  /** From here on no published library can be read or written. */
  breakStorage(): void;
  close(): Promise<void>;
}

export function openLibrariesApp(more: ScriptsAppOptions = {}): LibrariesApp {
  const opened = openTestScripts();
  const { scripts, publications: stored } = opened.storage;
  let isBroken = false;
  const store = Object.fromEntries(
    Object.entries(stored).map(([name, call]) => [
      name,
      async (...args: unknown[]) => {
        if (isBroken) throw new StorageError('the disk is gone');
        return (call as (...all: unknown[]) => Promise<unknown>)(...args);
      },
    ]),
  ) as unknown as PublicationStore;
  const answer = createJobRunner('command');
  const publications = createPublications({
    ...{ store, scripts, nowMs: () => START_MS },
    checker: { check: async ({ caller: _, ...request }) => answer({ kind: 'check', ...request }) as Checked },
  });
  const { analysis } = openAnalysis(engineOf(answer));
  const app = openScriptsApp({ scriptStore: scripts, publications, serveRun: analysis.serveRun, ...more });
  return {
    ...app,
    breakStorage: () => {
      isBroken = true;
    },
    close: () => opened.close(),
  };
}

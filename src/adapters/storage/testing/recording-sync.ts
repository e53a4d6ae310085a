// A disk sync for tests that writes down what was asked for, and what stood in the file at that moment.

import { existsSync, readFileSync } from 'node:fs';
import type { DiskSync } from '../durable-file.ts';

export interface AskedSync {
  /** `file`, or the path of the folder. */
  readonly synced: string;
  readonly there: string | undefined;
}

export function recordingSync(path: string): { sync: DiskSync; asked: AskedSync[] } {
  const asked: AskedSync[] = [];
  const record = (synced: string): void => {
    asked.push({ synced, there: existsSync(path) ? readFileSync(path, 'utf8') : undefined });
  };
  return { sync: { file: async () => record('file'), folder: async (folder) => record(folder) }, asked };
}

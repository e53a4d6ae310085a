// Gives a test run one temporary folder for everything it makes, and removes it at the end, whatever became of the tests.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const PREFIX = 'signalbox-run-';

/** Whether a folder is that of one run, and gone when the run ends. */
export const isRunFolder = (folder: string): boolean => basename(folder).startsWith(PREFIX);

export default function makeTemporaryFolder(): () => void {
  const before = process.env.TMPDIR;
  // Called once for each project of the run: folders inside folders would make paths too long for a browser's sockets.
  if (before !== undefined && isRunFolder(before)) return () => {};
  const folder = mkdtempSync(join(tmpdir(), PREFIX));
  // The processes that run the tests inherit it.
  process.env.TMPDIR = folder;
  return () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    rmSync(folder, { recursive: true, force: true });
  };
}

// Replaces the text of a file whole or not at all: a new file beside it takes its place in one step.

import { chmodSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorText } from '../errors/error-text.ts';
import { fileFault } from './script-files.ts';

const PERMISSION_BITS = 0o7777;

/** Keeps the mode, and follows a link to the file it stands for. */
export function replaceFile(path: string, text: string): void {
  try {
    const target = realpathSync(path);
    const { mode } = statSync(target);
    const beside = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
    // Never into a file that is there already: somebody else may have put it in the way.
    writeFileSync(beside, '', { flag: 'wx', mode: 0o600 });
    try {
      writeFileSync(beside, text, { flush: true });
      // Apart from the opening, which the mask of the process would narrow.
      chmodSync(beside, mode & PERMISSION_BITS);
      renameSync(beside, target);
    } catch (error) {
      rmSync(beside, { force: true });
      throw error;
    }
  } catch (error) {
    const reason = errorText(error);
    throw fileFault(path, `it cannot be written (${reason}); check its permissions and those of its folder`);
  }
}

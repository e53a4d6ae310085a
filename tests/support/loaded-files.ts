// Writes down which files a process loads, as it loads them.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { freshDataDir } from './process.ts';

/** The sources themselves: of a build only chunks would be seen, which hold what the same imports reach. */
export const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** A file for each process, by the name of its program; threads load for themselves. */
const recorder = (folder: string) => `
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { basename } from 'node:path';
import { isMainThread } from 'node:worker_threads';
const record = ${JSON.stringify(`${folder}/`)} + basename(process.argv[1] ?? '') + '.txt';
if (isMainThread) registerHooks({ load(url, context, next) {
  if (url.startsWith('file:')) appendFileSync(record, url + '\\n');
  return next(url, context);
} });
`;

export interface LoadedFiles {
  /** To be given to the process. */
  readonly env: Readonly<Record<string, string>>;
  /** So far, by the name of its program, such as main.ts. */
  by(program: string): readonly string[];
}

export function watchLoadedFiles(): LoadedFiles {
  const folder = freshDataDir();
  const hook = join(folder, 'recorder.mjs');
  writeFileSync(hook, recorder(folder));
  return {
    env: { NODE_OPTIONS: `--import ${pathToFileURL(hook)}` },
    by: (program) =>
      readFileSync(join(folder, `${program}.txt`), 'utf8')
        .split('\n')
        .filter(Boolean),
  };
}

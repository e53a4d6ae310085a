// Builds a small C library of the tests with the machine's compiler, for processes that load it before libc (LD_PRELOAD).

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findCompiler } from './find-compiler.ts';

const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/signalbox/', import.meta.url));

const built = new Map<string, Promise<string>>();

/** The path of the library. Tests of one process that ask at the same time share one building of it. */
export function buildLibrary(source: URL): Promise<string> {
  const path = fileURLToPath(source);
  const library = built.get(path) ?? build(path);
  built.set(path, library);
  return library;
}

/** Built once per text of the source and processor; two processes that build at the same time end with the same file. */
async function build(source: string): Promise<string> {
  const digest = createHash('sha256').update(readFileSync(source)).digest('hex').slice(0, 16);
  const library = join(CACHE, `${basename(source, '.c')}-${process.arch}-${digest}.so`);
  if (existsSync(library)) return library;
  mkdirSync(CACHE, { recursive: true });
  const { program, args, env } = await findCompiler();
  const draft = `${library}.${process.pid}`;
  const options = ['-shared', '-fPIC', '-O1', '-pthread', '-o', draft, source, '-ldl'];
  await promisify(execFile)(program, [...args, ...options], { env });
  renameSync(draft, library);
  return library;
}

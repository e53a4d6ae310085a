// The engine as one file, with the code that V8 made of it: opened in a tenth of the time its sources take, and its first
// script compiles and runs twice as fast, because nothing has to be read and translated any more.
//
// A build (`npm run build`, part of `npm ci`) leaves three files in a folder:
//
//   engine.js    the sources in one, as a function of its exports, of require and of the file it counts as
//   engine.code  what V8 made of the functions that usual scripts need; for this processor, version of Node and its flags only
//   engine.json  which sources went in, how long and how old they were; written last
//
// It is used while every source is as it was. Otherwise, and when anything is missing, threads read the sources: slower,
// but the same in every other way. Code of another V8 is refused by V8 itself, and made again as functions are called.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';
import { areAsBuilt, type Stamp } from '../../builds/source-stamps.ts';

export type Engine = typeof import('./engine.ts');

export interface BuildList {
  /** Of the file and of its code: V8 takes it at our word that they belong together. */
  readonly engineSum: number;
  readonly codeSum: number;
  /** V8 tells code of another version from its own, but not that of another processor. */
  readonly processor: string;
  readonly sources: readonly Stamp[];
}

export const BUILD_FOLDER = new URL('../../../dist/engine/', import.meta.url);

/** The built engine, when there is one and it is of the present sources. */
export function openBuiltEngine(folder: URL = BUILD_FOLDER): Engine | undefined {
  const built = attempt(() => readBuilt(folder));
  return built && openEngine(engineScript(built.source, folder, built.code));
}

/** Its text, and the code that V8 made of it where that is for this machine. */
export function readBuilt(folder: URL): { readonly source: string; readonly code: Buffer | undefined } | undefined {
  const list: BuildList = JSON.parse(readFileSync(new URL('./engine.json', folder), 'utf8'));
  if (!areAsBuilt(list.sources)) return undefined;
  const source = readWhole(new URL('./engine.js', folder), list.engineSum).toString('latin1');
  const isForThisProcessor = list.processor === process.arch;
  const code = isForThisProcessor
    ? attempt(() => readWhole(new URL('./engine.code', folder), list.codeSum))
    : undefined;
  return { source, code };
}

function readWhole(file: URL, sum: number): Buffer {
  const bytes = readFileSync(file);
  if (crc32(bytes) !== sum) throw new Error('it is not as it was built');
  return bytes;
}

/** What cannot be read was not built, or is not ours to read. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

export const engineScript = (source: string, folder: URL, cachedData?: Buffer): Script =>
  new Script(source, { filename: fileURLToPath(new URL('./engine.js', folder)), cachedData });

export function openEngine(script: Script): Engine {
  const exports = {} as Engine;
  // It counts as this file: packages that it needs while it runs are found from here, wherever the build lies.
  script.runInThisContext()(exports, createRequire(import.meta.url), fileURLToPath(import.meta.url));
  return exports;
}

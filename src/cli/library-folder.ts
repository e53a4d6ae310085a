// A folder of libraries, as scripts of a command import them: publisher/Name/1.pine in it is publisher/Name/1.

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { importedSources } from '../library/imported-sources.ts';
import type { LibrarySource } from '../pine/index.ts';
import { importsOf, type LibraryName, libraryKey } from '../pine/light.ts';
import { type CommandFiles, fileFault } from './script-files.ts';

const VERSION_FILE = /^([1-9]\d{0,8})\.pine$/;

/**
 * The libraries that a script needs: those that are named one by one, and of the folder whatever it and they import, imports of
 * imports included. What is missing is left for the compiler to tell.
 */
export async function librariesOf(
  source: string,
  named: readonly LibrarySource[],
  folder: string | undefined,
  files: CommandFiles,
): Promise<readonly LibrarySource[]> {
  if (folder === undefined) return named;
  if (!isFolder(folder))
    throw fileFault(folder, 'there is no such folder; name the one with publisher/Name/1.pine in it');
  const given = new Set(named.map(libraryKey));
  const texts = [source, ...named.map((one) => one.source ?? '')];
  const imports = texts.flatMap(importsOf).filter((one) => !given.has(libraryKey(one)));
  const found = await importedSources(new LibraryFolder(folder, files), '', imports);
  // The compiler takes the last of two of one name.
  return [...found, ...named];
}

/** Only names that stand in an import get here, so that none can lead out of the folder. */
class LibraryFolder {
  readonly #path: string;
  readonly #files: CommandFiles;

  constructor(path: string, files: CommandFiles) {
    this.#path = path;
    this.#files = files;
  }

  async read(_user: string, { namespace, name, version }: LibraryName): Promise<{ source: string } | undefined> {
    const there = await this.versions(_user, namespace, name);
    if (!there.some((one) => one.version === version)) return undefined;
    const path = join(this.#path, namespace, name, `${version}.pine`);
    // To read a pipe would be to wait for somebody to write into it, perhaps for ever.
    if (!statSync(path, { throwIfNoEntry: false })?.isFile())
      throw fileFault(path, 'it is no regular file; put the library itself there');
    return { source: await this.#files.script(path) };
  }

  async versions(_user: string, namespace: string, name: string): Promise<LibraryName[]> {
    const folder = join(this.#path, namespace, name);
    if (!isFolder(folder)) return [];
    return readdirSync(folder).flatMap((file) => {
      const [, version] = VERSION_FILE.exec(file) ?? [];
      return version === undefined ? [] : [{ namespace, name, version: Number(version) }];
    });
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

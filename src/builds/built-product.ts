// The product in a few files instead of its hundreds of sources and those of its packages: it starts in little more than
// half the time.
//
// A build (`npm run build`, part of `npm ci`) puts them into a folder, with a list of the sources that went in and of
// what came out; a folder takes its place whole or not at all. It is used while every source is as it was and all that
// came out is there. Otherwise, and when there is none, the sources are run: slower to start, the same in every other way.

import { readFileSync, statSync } from 'node:fs';
import { areAsBuilt, type Stamp } from './source-stamps.ts';

export const PRODUCT_FOLDER = new URL('../../dist/product/', import.meta.url);
export const LIST = 'list.json';

export interface BuildList {
  readonly sources: readonly Stamp[];
  readonly files: readonly (readonly [name: string, bytes: number])[];
}

/** Where the built product begins; undefined when there is none of the present sources. */
export function findBuiltProduct(folder: URL = PRODUCT_FOLDER): URL | undefined {
  try {
    const { sources, files } = JSON.parse(readFileSync(new URL(LIST, folder), 'utf8')) as BuildList;
    const isWhole = files.every(([name, bytes]) => statSync(new URL(name, folder)).size === bytes);
    return isWhole && areAsBuilt(sources) ? new URL('main.js', folder) : undefined;
  } catch {
    // What cannot be read was not built, or is not ours to read.
    return undefined;
  }
}

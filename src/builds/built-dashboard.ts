// The dashboard as `npm run build` (part of `npm ci`) leaves it: the files a browser asks for, each in the encodings it may want.

import { readFileSync } from 'node:fs';

export const DASHBOARD_FOLDER = new URL('../../dist/dashboard/', import.meta.url);
export const DASHBOARD_LIST = 'list.json';

/** The best first. */
export const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];
export const ENDINGS: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' };

export interface ListedFile {
  /** What a browser asks for, such as /app/main-1a2b.js. */
  readonly path: string;
  readonly type: string;
  /** The digest of its content. */
  readonly digest: string;
  readonly encodings: readonly Encoding[];
}

export interface PageFile extends ListedFile {
  /**
   * Read once and kept: a build that replaces the folder does not take away what open pages have asked for. What every page begins
   * with is read at the start, so that it is never of another build than the list. Undefined where it was replaced before.
   */
  bytes(encoding?: Encoding): Uint8Array<ArrayBuffer> | undefined;
}

/** Below this are files whose names hold the digest of their content. */
export const APP = '/app/';

/** Undefined where none was built. */
export function openBuiltDashboard(folder: URL = DASHBOARD_FOLDER): ReadonlyMap<string, PageFile> | undefined {
  try {
    const list = JSON.parse(readFileSync(new URL(DASHBOARD_LIST, folder), 'utf8')) as readonly ListedFile[];
    const files = new Map(list.map((listed) => [listed.path, openFile(folder, listed)]));
    for (const file of files.values()) if (!file.path.startsWith(APP)) readWhole(file);
    for (const path of loadedBy(files.get('/'))) readWhole(files.get(path));
    return files;
  } catch {
    // What cannot be read was not built.
    return undefined;
  }
}

function readWhole(file: PageFile | undefined): void {
  for (const encoding of [undefined, ...(file?.encodings ?? [])]) file?.bytes(encoding);
}

/** The paths that stand in the page itself; everything else is loaded by those, and later. */
const loadedBy = (page: PageFile | undefined): readonly string[] =>
  [...new TextDecoder().decode(page?.bytes()).matchAll(/"(\/app\/[^"]+)"/g)].map(([, path]) => path ?? '');

function openFile(folder: URL, listed: ListedFile): PageFile {
  const kept = new Map<string, Uint8Array<ArrayBuffer>>();
  return {
    ...listed,
    bytes(encoding) {
      const name = `.${listed.path === '/' ? '/index.html' : listed.path}${encoding === undefined ? '' : ENDINGS[encoding]}`;
      const bytes = kept.get(name) ?? readIfThere(new URL(name, folder));
      if (bytes !== undefined) kept.set(name, bytes);
      return bytes;
    },
  };
}

function readIfThere(file: URL): Uint8Array<ArrayBuffer> | undefined {
  try {
    return new Uint8Array(readFileSync(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

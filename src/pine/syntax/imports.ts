// Which libraries a script imports, found in its text without a parser: cheap enough for an event loop.

/** What an import line names. */
export interface LibraryName {
  /** The publisher, before the first slash. */
  readonly namespace: string;
  readonly name: string;
  readonly version: number;
}

/** As it stands in an import: what tells one library from another. */
export const libraryKey = ({ namespace, name, version }: LibraryName): string => `${namespace}/${name}/${version}`;

/** What a script imports, imports of imports included; the best-known scripts import a handful. */
export const MAX_IMPORTED_LIBRARIES = 32;
/** Four libraries of the largest size; with its script that is less than a thread keeps compiled, so that it is compiled once. */
export const MAX_IMPORTED_CHARS = 1024 * 1024;

/** At the beginning of a statement only, so that comments and texts are none. Versions have no more digits than a number is exact with. */
const IMPORT = /(?:^|,)[ \t]*import[ \t]+([\w-]+)[ \t]*\/[ \t]*([\w-]+)[ \t]*\/[ \t]*(\d{1,15})(?!\w)/gm;

/** Each library once, in the order of the text; one more than may be imported at most, since a text can name thousands. What is no import to the parser may be among them, and is then never looked at. */
export function importsOf(source: string): LibraryName[] {
  const found = new Map<string, LibraryName>();
  for (const [, namespace = '', name = '', digits = ''] of source.matchAll(IMPORT)) {
    const library = { namespace, name, version: Number(digits) };
    found.set(libraryKey(library), library);
    if (found.size > MAX_IMPORTED_LIBRARIES) break;
  }
  return [...found.values()];
}

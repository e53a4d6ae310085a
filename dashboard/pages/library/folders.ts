// Scripts in folders: what stands before the last "/" of a name is its folder.

import type { ScriptSummary } from '../../server/script-library.ts';

export interface Folder {
  /** Empty for scripts outside of any. */
  readonly name: string;
  readonly scripts: readonly ScriptSummary[];
}

export const folderOf = (name: string): string => name.slice(0, Math.max(0, name.lastIndexOf('/'))).trim();
export const shortNameOf = (name: string): string => name.slice(name.lastIndexOf('/') + 1).trim() || name;

/** Those whose names have all words of the search, by folder; scripts outside of folders first, names in their order. */
export function inFolders(scripts: readonly ScriptSummary[], search: string): readonly Folder[] {
  const words = search.toLowerCase().split(/\s+/);
  const found = scripts.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
  const folders = Map.groupBy(found, ({ name }) => folderOf(name));
  return [...folders]
    .map(([name, inside]) => ({ name, scripts: inside.toSorted((a, b) => a.name.localeCompare(b.name)) }))
    .sort((a, b) => a.name.localeCompare(b.name));
}

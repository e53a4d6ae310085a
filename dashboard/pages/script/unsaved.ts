// What was written and not saved yet, kept in this browser: a page that is closed or a script that is left loses nothing.
//
// Every page that is open keeps its own text, so that two tabs with the same script do not write over each other. A page that opens
// the script takes over what another one kept last: after a reload, or when that tab was closed, it goes on there.

import { newKey } from '../../server/new-key.ts';
import type { Edit } from '../../server/script-library.ts';

interface Kept extends Edit {
  readonly keptAt?: number;
}

const PREFIX = 'signalbox.unsaved.';
/** This page, until it is loaded again. */
const PAGE = newKey();
export const NOT_KEPT = 'This browser keeps no more text: save soon.';

const nameOf = (id: string, page = PAGE): string => `${PREFIX}${id}/${page}`;

/** Also as they were named when all pages shared one. */
const namesOf = (id: string): readonly string[] =>
  Object.keys(localStorage).filter((name) => name === PREFIX + id || name.startsWith(nameOf(id, '')));

/** This page's own, or what another one kept last, which is this page's own from now on. */
export function unsavedOf(id: string): Edit | undefined {
  const own = keptAs(nameOf(id));
  if (own !== undefined) return own;
  const others = namesOf(id).map((name) => ({ name, kept: keptAs(name) }));
  const [last] = others.sort((a, b) => (b.kept?.keptAt ?? 0) - (a.kept?.keptAt ?? 0));
  if (last?.kept === undefined) return undefined;
  if (keepUnsaved(id, last.kept)) localStorage.removeItem(last.name);
  return last.kept;
}

/** This page's own text, or that there is none any more. False where the browser keeps no more. */
export function keepUnsaved(id: string, edit: Edit | undefined): boolean {
  try {
    const kept: Kept | undefined = edit && { content: edit.content, revision: edit.revision, keptAt: Date.now() };
    if (kept === undefined) localStorage.removeItem(nameOf(id));
    else localStorage.setItem(nameOf(id), JSON.stringify(kept));
    return true;
  } catch {
    return false;
  }
}

/** What any page has kept: a page that opens the script later takes nothing over. */
export function dropUnsaved(id: string): void {
  for (const name of [nameOf(id), ...namesOf(id)]) localStorage.removeItem(name);
}

/** Whether any page has some. */
export const isUnsaved = (id: string): boolean => localStorage.getItem(nameOf(id)) !== null || namesOf(id).length > 0;

function keptAs(name: string): Kept | undefined {
  try {
    return (JSON.parse(localStorage.getItem(name) ?? 'null') as Kept | null) ?? undefined;
  } catch {
    return undefined;
  }
}

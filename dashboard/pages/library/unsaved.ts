// What was written and not saved yet, kept in this browser: a page that is closed or a script that is left loses nothing.

import type { Edit } from '../../server/script-library.ts';

const PREFIX = 'signalbox.unsaved.';

export function unsavedOf(id: string): Edit | undefined {
  const kept = localStorage.getItem(PREFIX + id);
  if (kept === null) return undefined;
  try {
    return JSON.parse(kept) as Edit;
  } catch {
    return undefined;
  }
}

/** False where the browser keeps no more. */
export function keepUnsaved(id: string, edit: Edit | undefined): boolean {
  try {
    if (edit === undefined) localStorage.removeItem(PREFIX + id);
    else localStorage.setItem(PREFIX + id, JSON.stringify(edit));
    return true;
  } catch {
    return false;
  }
}

export const isUnsaved = (id: string): boolean => localStorage.getItem(PREFIX + id) !== null;

// A name to save under: what would be replaced without having been opened is replaced only after it was asked.

import { useState } from 'preact/hooks';
import { type SavedLayouts, SavedMeanwhile } from '../../server/layouts.ts';

export interface SaveAsOptions<Content extends object> {
  readonly store: SavedLayouts<Content>;
  /** What would be saved now; undefined where there is nothing to save. */
  readonly content: Content | undefined;
  readonly aboutOf: (content: Content) => string;
}

export interface SaveAs {
  readonly name: string;
  readonly setName: (name: string) => void;
  readonly canSave: boolean;
  /** What the button says. */
  readonly verb: 'Save' | 'Replace';
  save(): Promise<void>;
}

export function useSaveAs<Content extends object>({ store, content, aboutOf }: SaveAsOptions<Content>): SaveAs {
  const [name, setName] = useState('');
  const [taken, setTaken] = useState<SavedMeanwhile>();
  const wanted = name.trim();
  const replaced = taken?.savedName === wanted ? taken.revision : undefined;
  const save = async (): Promise<void> => {
    if (content === undefined) return;
    setTaken(undefined);
    try {
      await store.save({ name: wanted, about: aboutOf(content), content }, replaced);
    } catch (error) {
      if (error instanceof SavedMeanwhile) setTaken(error);
      throw error;
    }
    setName('');
  };
  return {
    ...{ name, setName, save, canSave: wanted !== '' && content !== undefined },
    verb: (replaced ?? 0) > 0 ? 'Replace' : 'Save',
  };
}

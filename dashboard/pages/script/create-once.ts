// A script is made once, however often Save is pressed: its id is chosen here and stays until it is certain that it was made.

import { newKey } from '../../server/new-key.ts';
import type { ScriptLibrary, StoredScript } from '../../server/script-library.ts';
import { isConflict } from './lost-saves.ts';

export type CreatingLibrary = Pick<ScriptLibrary, 'create' | 'read' | 'save'>;

export class CreateOnce {
  #id = newKey();

  async create(library: CreatingLibrary, name: string, content: string): Promise<StoredScript> {
    const made = await this.#createOrFind(library, name, content);
    this.#id = newKey();
    return made;
  }

  async #createOrFind(library: CreatingLibrary, name: string, content: string): Promise<StoredScript> {
    try {
      return await library.create(this.#id, name, content);
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
    // Nobody else has this id: an earlier try made it, and its answer was lost.
    const made = await library.read(this.#id);
    if (made.name === name && made.content === content) return made;
    if (made.name === name || made.content === content) return library.save({ ...made, name, content });
    // With another name and another text it is another script.
    this.#id = newKey();
    return library.create(this.#id, name, content);
  }
}

// A script is made once, however often Save is pressed: its id is chosen here and stays until it is certain that it was made, also
// when the page is loaded again. Each tab has its own: two that write a new script each make two.

import { newKey } from '../../server/new-key.ts';
import type { ScriptLibrary, StoredScript } from '../../server/script-library.ts';
import { isConflict } from './lost-saves.ts';

export type CreatingLibrary = Pick<ScriptLibrary, 'create' | 'read' | 'save'>;

export class CreateOnce {
  readonly #keptAs: string;
  #id: string;
  /** Whether the id may be that of a script which its owner has seen and worked on since, because the page was loaded again. */
  #isOfEarlierPage: boolean;

  /** `place` is where its text is written: a script of another place is another one. */
  constructor(place: string) {
    this.#keptAs = `signalbox.creating.${place}`;
    const kept = keptId(this.#keptAs);
    this.#id = kept ?? newKey();
    this.#isOfEarlierPage = kept !== undefined;
  }

  async create(library: CreatingLibrary, name: string, content: string): Promise<StoredScript> {
    keepId(this.#keptAs, this.#id);
    const made = await this.#createOrFind(library, name, content);
    this.#takeNewId();
    keepId(this.#keptAs, undefined);
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
    const isHalfTheSame = made.name === name || made.content === content;
    if (isHalfTheSame && !this.#isOfEarlierPage) return library.save({ ...made, name, content });
    // It is another script, and must not be written over the first.
    this.#takeNewId();
    keepId(this.#keptAs, this.#id);
    return library.create(this.#id, name, content);
  }

  #takeNewId(): void {
    this.#id = newKey();
    this.#isOfEarlierPage = false;
  }
}

function keptId(name: string): string | undefined {
  try {
    return sessionStorage.getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Where the browser keeps nothing, a second press finds the script, and only a page that was loaded again does not. */
function keepId(name: string, id: string | undefined): void {
  try {
    if (id === undefined) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, id);
  } catch {
    // It is said where texts are kept.
  }
}

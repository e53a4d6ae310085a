// One script while it is being edited.
//
// read ──► saved ──(typing)──► unsaved ──(save)──► saved
//                                 └──(somebody else saved)──► conflict ──► saved | unsaved
//
// What is unsaved is kept in this browser with the revision it began from, so that a later visit goes on there.

import { Refused } from '../../server/ask.ts';
import type { ScriptLibrary, StoredScript } from '../../server/script-library.ts';
import { refreshAnswers } from '../../server/use-answer.ts';
import { linkTo } from '../../ui/places.ts';
import { keepUnsaved, unsavedOf } from './unsaved.ts';

export interface FoundConflict {
  /** Undefined where it was deleted. */
  readonly theirs: StoredScript | undefined;
}

const NOT_KEPT = 'This browser keeps no more text: save soon.';

export class OpenScript {
  /** As it was read, with the revision that a save goes over. */
  script: StoredScript | undefined;
  text = '';
  note: string | undefined;
  conflict: FoundConflict | undefined;
  isSaving = false;
  readonly #library: ScriptLibrary;
  readonly #id: string;
  readonly #onChange: () => void;

  constructor(library: ScriptLibrary, id: string, onChange: () => void) {
    this.#library = library;
    this.#id = id;
    this.#onChange = onChange;
  }

  get isDirty(): boolean {
    return this.script !== undefined && (this.text !== this.script.content || unsavedOf(this.#id) !== undefined);
  }

  async read(): Promise<void> {
    try {
      const read = await this.#library.read(this.#id);
      const kept = unsavedOf(this.#id);
      this.script = kept === undefined ? read : { ...read, revision: kept.revision };
      this.text = kept?.content ?? read.content;
    } catch (error) {
      const { status, message } = error as Refused;
      this.note = status === 404 ? 'There is no such script any more.' : message;
    }
    this.#onChange();
  }

  change(content: string): void {
    this.text = content;
    if (this.script === undefined) return;
    const { content: saved, revision } = this.script;
    const isKept = keepUnsaved(this.#id, content === saved ? undefined : { content, revision });
    this.note = isKept ? undefined : NOT_KEPT;
    this.#onChange();
  }

  async save(): Promise<void> {
    if (this.script !== undefined && !this.isSaving) await this.#write({ ...this.script, content: this.text });
  }

  /** The text that is not saved stays so. */
  async rename(name: string): Promise<void> {
    if (this.script === undefined) return;
    this.script = await this.#library.save({ ...this.script, name });
    const { content, revision } = this.script;
    if (this.text !== content) keepUnsaved(this.#id, { content: this.text, revision });
    refreshAnswers();
    this.#onChange();
  }

  async remove(): Promise<void> {
    if (this.script === undefined) return;
    await this.#library.remove(this.#id, this.script.revision);
    this.#leave();
  }

  /** Shows what is at the server by now beside what is written here. */
  async compare(): Promise<void> {
    try {
      this.conflict = { theirs: await this.#library.read(this.#id) };
    } catch (error) {
      if (error instanceof Refused && error.status === 404) this.conflict = { theirs: undefined };
      else this.note = (error as Refused).message;
    }
    this.#onChange();
  }

  /** Over theirs, or in the place of what was deleted. */
  async keepMine(): Promise<void> {
    if (this.script === undefined || this.conflict === undefined) return;
    const { theirs } = this.conflict;
    await this.#write({ ...this.script, ...theirs, content: this.text, revision: theirs?.revision ?? 0 });
  }

  takeTheirs(): void {
    const { theirs } = this.conflict ?? {};
    if (theirs === undefined) this.#leave();
    else this.#settle(theirs);
  }

  goOn(): void {
    this.conflict = undefined;
    this.#onChange();
  }

  async #write(wanted: StoredScript): Promise<void> {
    this.isSaving = true;
    this.#onChange();
    try {
      const saved = await this.#library.save(wanted);
      // What was typed while it was sent stays unsaved.
      const isBehind = this.text !== wanted.content;
      if (isBehind) this.#settleBehind(saved);
      else this.#settle(saved);
    } catch (error) {
      if (error instanceof Refused && error.code === 'CONFLICT') await this.compare();
      else this.note = `Not saved: ${(error as Refused).message}`;
    }
    this.isSaving = false;
    this.#onChange();
  }

  #settle(saved: StoredScript): void {
    this.text = saved.content;
    keepUnsaved(this.#id, undefined);
    this.#saved(saved);
  }

  #settleBehind(saved: StoredScript): void {
    keepUnsaved(this.#id, { content: this.text, revision: saved.revision });
    this.#saved(saved);
  }

  #saved(saved: StoredScript): void {
    this.script = saved;
    this.note = undefined;
    this.conflict = undefined;
    refreshAnswers();
    this.#onChange();
  }

  #leave(): void {
    keepUnsaved(this.#id, undefined);
    refreshAnswers();
    location.hash = linkTo('library');
  }
}

// One script while it is being edited.
//
// read ──► saved ──(typing)──► unsaved ──(save)──► saved
//                                 └──(somebody else saved)──► conflict ──► saved | unsaved
//
// One thing is done at a time: a name that is changed while a save is under way waits for it. What is unsaved is kept in this browser with the revision it began from, so that a later visit goes on there.

import { Refused } from '../../server/ask.ts';
import type { ScriptLibrary, StoredScript } from '../../server/script-library.ts';
import { refreshAnswers } from '../../server/use-answer.ts';
import { isConflict, isInDoubt, LostSaves } from './lost-saves.ts';
import { OneAtATime } from './one-at-a-time.ts';
import { keepUnsaved, NOT_KEPT, unsavedOf } from './unsaved.ts';

export interface FoundConflict {
  /** Undefined where it was deleted. */
  readonly theirs: StoredScript | undefined;
}

export interface OpenScriptOptions {
  readonly onChange: () => void;
  /** It was deleted, here or elsewhere, and nobody wants it back. */
  readonly onGone: () => void;
}

export class OpenScript {
  /** As it was read, with the revision that a save goes over. */
  script: StoredScript | undefined;
  text = '';
  note: string | undefined;
  conflict: FoundConflict | undefined;
  isSaving = false;
  readonly #library: Pick<ScriptLibrary, 'read' | 'remove' | 'save'>;
  readonly #writes = new OneAtATime();
  readonly #lost = new LostSaves();
  readonly #id: string;
  readonly #options: OpenScriptOptions;

  constructor(library: Pick<ScriptLibrary, 'read' | 'remove' | 'save'>, id: string, options: OpenScriptOptions) {
    this.#library = library;
    this.#id = id;
    this.#options = options;
  }

  get isDirty(): boolean {
    return this.script !== undefined && this.text !== this.script.content;
  }

  async read(): Promise<void> {
    try {
      const read = await this.#library.read(this.#id);
      const kept = unsavedOf(this.#id);
      // What another tab has saved since is met with the next save, unless it is the very same.
      const isBehind = kept !== undefined && kept.content !== read.content;
      this.script = isBehind ? { ...read, revision: kept.revision } : read;
      this.text = isBehind ? kept.content : read.content;
      if (!isBehind) keepUnsaved(this.#id, undefined);
    } catch (error) {
      const { status, message } = error as Refused;
      this.note = status === 404 ? 'There is no such script any more.' : message;
    }
    this.#options.onChange();
  }

  change(content: string): void {
    this.text = content;
    if (this.script === undefined) return;
    const { content: saved, revision } = this.script;
    const isKept = keepUnsaved(this.#id, content === saved ? undefined : { content, revision });
    this.note = isKept ? undefined : NOT_KEPT;
    this.#options.onChange();
  }

  async save(): Promise<void> {
    await this.#writes.run(async () => {
      if (this.script === undefined || !this.isDirty || this.conflict !== undefined) return;
      await this.#write({ ...this.script, content: this.text });
    });
  }

  /** The text that is not saved stays so. */
  async rename(name: string): Promise<void> {
    await this.#writes.run(async () => {
      if (this.script === undefined) return;
      this.script = await this.#library.save({ ...this.script, name });
      const { content, revision } = this.script;
      if (this.text !== content) keepUnsaved(this.#id, { content: this.text, revision });
      refreshAnswers();
      this.#options.onChange();
    });
  }

  async remove(): Promise<void> {
    await this.#writes.run(async () => {
      if (this.script === undefined) return;
      await this.#library.remove(this.#id, this.script.revision);
      this.#leave();
    });
  }

  /** Shows what is at the server by now beside what is written here. */
  async compare(): Promise<void> {
    try {
      this.conflict = { theirs: await this.#readTheirs() };
    } catch (error) {
      this.note = (error as Refused).message;
    }
    this.#options.onChange();
  }

  /** Over theirs, or in the place of what was deleted. */
  async keepMine(): Promise<void> {
    if (this.script === undefined || this.conflict === undefined) return;
    const wanted = { ...this.script, ...this.conflict.theirs, content: this.text };
    const revision = this.conflict.theirs?.revision ?? 0;
    await this.#writes.run(() => this.#write({ ...wanted, revision }));
  }

  takeTheirs(): void {
    const { theirs } = this.conflict ?? {};
    if (theirs === undefined) this.#leave();
    else this.#settle(theirs);
  }

  goOn(): void {
    this.conflict = undefined;
    this.#options.onChange();
  }

  async #write(wanted: StoredScript): Promise<void> {
    this.isSaving = true;
    this.#options.onChange();
    try {
      await this.#send(wanted);
    } catch (error) {
      this.note = `Not saved: ${(error as Refused).message}`;
    }
    this.isSaving = false;
    this.#options.onChange();
  }

  async #send(wanted: StoredScript): Promise<void> {
    try {
      this.#answered(await this.#library.save(wanted), wanted);
    } catch (error) {
      if (isInDoubt(error)) this.#lost.add(wanted.content);
      if (!isConflict(error)) throw error;
      await this.#meet(wanted);
    }
  }

  /** Another revision stands at the server: of this page, whose answer was lost, or of somebody else. */
  async #meet(wanted: StoredScript): Promise<void> {
    const theirs = await this.#readTheirs();
    if (theirs?.content === wanted.content) this.#answered(theirs, wanted);
    else if (theirs !== undefined && theirs.revision !== wanted.revision && this.#lost.has(theirs.content))
      await this.#send({ ...theirs, content: this.text });
    else this.conflict = { theirs };
  }

  /** Undefined where it was deleted. */
  async #readTheirs(): Promise<StoredScript | undefined> {
    try {
      return await this.#library.read(this.#id);
    } catch (error) {
      if (error instanceof Refused && error.status === 404) return undefined;
      throw error;
    }
  }

  #answered(saved: StoredScript, wanted: StoredScript): void {
    this.#lost.clear();
    // What was typed while it was sent stays unsaved.
    if (this.text !== wanted.content) this.#settleBehind(saved);
    else this.#settle(saved);
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
    this.#options.onChange();
  }

  #leave(): void {
    keepUnsaved(this.#id, undefined);
    refreshAnswers();
    this.#options.onGone();
  }
}

// One script while it is being edited.
//
// read ──► saved ──(typing)──► unsaved ──(save)──► saved
//   │                             └──(somebody else saved)──► conflict ──► saved | unsaved
//   └──(kept in this browser, and saved elsewhere since)─────────▲
//
// One thing is done at a time: a name that is changed while a save is under way waits for it. What is unsaved is kept in this
// browser with the revision it began from, so that a later visit goes on there. A save or a name whose answer was lost may stand
// at the server: what stands there is looked at before anything is sent over it.

import { Refused } from '../../server/ask.ts';
import type { ScriptLibrary, StoredScript } from '../../server/script-library.ts';
import { refreshAnswers } from '../../server/use-answer.ts';
import { isConflict, isInDoubt, LostSaves } from './lost-saves.ts';
import { OneAtATime } from './one-at-a-time.ts';
import { dropUnsaved, keepUnsaved, NOT_KEPT, unsavedOf } from './unsaved.ts';

export interface FoundConflict {
  /** Undefined where it was deleted. */
  readonly theirs: StoredScript | undefined;
}

/** What is to be different: its text, or its name. */
type Change = { readonly content: string } | { readonly name: string };

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
      const isUnsaved = kept !== undefined && kept.content !== read.content;
      this.script = isUnsaved ? { ...read, revision: kept.revision } : read;
      this.text = isUnsaved ? kept.content : read.content;
      if (!isUnsaved) keepUnsaved(this.#id, undefined);
      else if (kept.revision !== read.revision) this.conflict = { theirs: read };
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
      await this.#write(this.script, { content: this.text });
    });
  }

  /** The text that is not saved stays so. Rejects where it has not this name then, unless there is a conflict to be seen first. */
  async rename(name: string): Promise<void> {
    await this.#writes.run(async () => {
      if (this.script === undefined || this.script.name === name) return;
      await this.#send(this.script, { name });
      if (this.conflict?.theirs === undefined || this.isDirty) return this.#options.onChange();
      // Nothing is unsaved here: theirs is no choice, but what there is.
      const { name: found, revision } = this.conflict.theirs;
      this.takeTheirs();
      throw new Error(
        `Not renamed: it was saved elsewhere meanwhile, and is shown as it is now: “${found}”, revision ${revision}.`,
      );
    });
  }

  async remove(): Promise<void> {
    await this.#writes.run(async () => {
      if (this.script === undefined) return;
      try {
        await this.#library.remove(this.#id, this.script.revision);
      } catch (error) {
        // The answer of an earlier try was lost, or somebody else was faster: gone it is.
        if (!isMissing(error)) throw error;
      }
      this.#leave();
    });
  }

  /** Another revision stands at the server: one of this page, whose answer was lost, is taken over by itself. */
  async catchUp(): Promise<void> {
    await this.#writes.run(async () => {
      if (this.#lost.isEmpty || this.conflict !== undefined) return;
      const theirs = await this.#readTheirs().catch(() => undefined);
      if (theirs !== undefined && this.#lost.has(theirs)) this.#answered(theirs);
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
    const { theirs } = this.conflict;
    const base = { ...this.script, ...theirs, revision: theirs?.revision ?? 0 };
    await this.#writes.run(() => this.#write(base, { content: this.text }));
  }

  takeTheirs(): void {
    const { theirs } = this.conflict ?? {};
    if (theirs === undefined) this.#leave();
    else {
      this.text = theirs.content;
      this.#answered(theirs);
    }
  }

  goOn(): void {
    this.conflict = undefined;
    this.#options.onChange();
  }

  async #write(base: StoredScript, change: Change): Promise<void> {
    this.isSaving = true;
    this.#options.onChange();
    try {
      await this.#send(base, change);
    } catch (error) {
      this.note = `Not saved: ${(error as Refused).message}`;
    }
    this.isSaving = false;
    this.#options.onChange();
  }

  async #send(base: StoredScript, change: Change): Promise<void> {
    const wanted = { ...base, ...change };
    try {
      this.#answered(await this.#library.save(wanted));
    } catch (error) {
      if (isInDoubt(error)) this.#lost.add(wanted);
      if (!isConflict(error)) throw error;
      await this.#meet(wanted, change);
    }
  }

  /** Another revision stands at the server: of this page, whose answer was lost, or of somebody else. */
  async #meet(wanted: StoredScript, change: Change): Promise<void> {
    const theirs = await this.#readTheirs();
    const isDone = theirs?.content === wanted.content && (!('name' in change) || theirs.name === change.name);
    if (isDone) this.#answered(theirs);
    else if (theirs !== undefined && theirs.revision !== wanted.revision && this.#lost.has(theirs))
      await this.#send(theirs, change);
    else this.conflict = { theirs };
  }

  /** Undefined where it was deleted. */
  async #readTheirs(): Promise<StoredScript | undefined> {
    try {
      return await this.#library.read(this.#id);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** What was typed since it was sent stays unsaved. */
  #answered(saved: StoredScript): void {
    const { content, revision } = saved;
    keepUnsaved(this.#id, this.text === content ? undefined : { content: this.text, revision });
    this.#lost.clear();
    this.script = saved;
    this.note = undefined;
    this.conflict = undefined;
    refreshAnswers();
    this.#options.onChange();
  }

  #leave(): void {
    dropUnsaved(this.#id);
    refreshAnswers();
    this.#options.onGone();
  }
}

const isMissing = (error: unknown): boolean => error instanceof Refused && error.status === 404;

// The draft while it is being written: it saves itself a moment after the last key, over the revision it was read with.

import { Refused } from '../../server/ask.ts';
import type { Draft, ScriptLibrary } from '../../server/script-library.ts';

const BEGINNING = '//@version=6\nindicator("My script", overlay = true)\n\nplot(ta.ema(close, 20))\n';
const SAVE_AFTER_MS = 1_000;

export class OpenDraft {
  /** Undefined before it is read. */
  text: string | undefined;
  note: string | undefined;
  /** What another tab has saved meanwhile. */
  conflict: Draft | undefined;
  readonly #library: ScriptLibrary;
  readonly #onChange: () => void;
  #revision = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isUnsaved = false;

  constructor(library: ScriptLibrary, onChange: () => void) {
    this.#library = library;
    this.#onChange = onChange;
  }

  async read(): Promise<void> {
    try {
      const draft = await this.#library.draft();
      this.#revision = draft?.revision ?? 0;
      this.text = draft === undefined || draft.content === '' ? BEGINNING : draft.content;
    } catch (error) {
      this.note = (error as Refused).message;
    }
    this.#onChange();
  }

  change(text: string): void {
    this.text = text;
    this.#isUnsaved = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.save(), SAVE_AFTER_MS);
    this.#onChange();
  }

  async save(): Promise<void> {
    clearTimeout(this.#timer);
    if (!this.#isUnsaved || this.text === undefined) return;
    this.#isUnsaved = false;
    try {
      await this.#write(this.text);
      this.note = 'Draft saved';
    } catch (error) {
      this.#isUnsaved = true;
      if (error instanceof Refused && error.code === 'CONFLICT') this.conflict = await this.#library.draft();
      else this.note = `The draft is not saved: ${(error as Refused).message}`;
    }
    this.#onChange();
  }

  async keepMine(): Promise<void> {
    this.#settle();
    this.#isUnsaved = true;
    await this.save();
  }

  takeTheirs(): void {
    this.text = this.conflict?.content ?? BEGINNING;
    this.#isUnsaved = false;
    this.#settle();
  }

  /** Whatever is written next is saved over theirs. */
  goOn(): void {
    this.#settle();
  }

  /** It has become a script. */
  async clear(): Promise<void> {
    clearTimeout(this.#timer);
    this.#isUnsaved = false;
    await this.#write('');
  }

  async #write(content: string): Promise<void> {
    this.#revision = (await this.#library.saveDraft({ content, revision: this.#revision })).revision;
  }

  #settle(): void {
    this.#revision = this.conflict?.revision ?? this.#revision;
    this.conflict = undefined;
    this.#onChange();
  }
}

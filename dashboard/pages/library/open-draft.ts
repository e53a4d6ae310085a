// The draft while it is being written.
//
//   saved ──typing──► unsaved ──a moment after the last key──► saving ──► saved, or unsaved where more was typed meanwhile
//                        ▲                                       ├──no answer──► unsaved, and tried again by itself
//                        └──refused──────────────────────────────┤
//                                                                └──somebody else has saved──► conflict ──► saved | unsaved
//
// There is one save at a time, each over the revision of the one before it. What is not saved is kept in this browser until it is.

import { DRAFT_ID, type Draft, type Edit, type ScriptLibrary } from '../../server/script-library.ts';
import { isConflict, isInDoubt, LostSaves } from '../script/lost-saves.ts';
import { OneAtATime } from '../script/one-at-a-time.ts';
import { BEGINNING } from '../script/script-text.ts';
import { keepUnsaved, NOT_KEPT, unsavedOf } from '../script/unsaved.ts';

const SAVE_AFTER_MS = 1_000;
const TRY_AGAIN_MS = 5_000;

export class OpenDraft {
  /** Undefined before it is read. */
  text: string | undefined;
  note: string | undefined;
  /** What another tab has saved meanwhile. */
  conflict: Draft | undefined;
  readonly #library: Pick<ScriptLibrary, 'draft' | 'saveDraft'>;
  readonly #onChange: () => void;
  readonly #saves = new OneAtATime();
  readonly #lost = new LostSaves();
  #revision = 0;
  /** The text that needs no save. */
  #saved: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isLeft = false;

  constructor(library: Pick<ScriptLibrary, 'draft' | 'saveDraft'>, onChange: () => void) {
    this.#library = library;
    this.#onChange = onChange;
  }

  async read(): Promise<void> {
    try {
      const draft = await this.#library.draft();
      const kept = unsavedOf(DRAFT_ID);
      this.#saved = shownOf(draft);
      this.text = kept === undefined ? this.#saved : shownOf(kept);
      const isKept = kept !== undefined && this.text !== this.#saved;
      this.#revision = (isKept ? kept : draft)?.revision ?? 0;
      if (isKept) this.#saveIn(SAVE_AFTER_MS);
      else keepUnsaved(DRAFT_ID, undefined);
      this.note = undefined;
    } catch (error) {
      this.note = (error as Error).message;
      if (isInDoubt(error) && !this.#isLeft) this.#timer = setTimeout(() => void this.read(), TRY_AGAIN_MS);
    }
    this.#onChange();
  }

  change(text: string): void {
    this.text = text;
    this.note = this.#keep() ? undefined : NOT_KEPT;
    this.#saveIn(SAVE_AFTER_MS);
    this.#onChange();
  }

  /** Never rejects: what became of it is the note, or the conflict. */
  save(): Promise<void> {
    clearTimeout(this.#timer);
    return this.#saves.run(() => this.#save());
  }

  /** The page goes: what cannot be saved now is there at the next visit. */
  leave(): void {
    this.#isLeft = true;
    void this.save();
  }

  async keepMine(): Promise<void> {
    this.goOn();
    await this.save();
  }

  takeTheirs(): void {
    if (this.conflict === undefined) return;
    this.text = shownOf(this.conflict);
    this.#settled(this.conflict.revision, this.text);
    this.conflict = undefined;
    this.#onChange();
  }

  /** Whatever is written next is saved over theirs. */
  goOn(): void {
    this.#revision = this.conflict?.revision ?? this.#revision;
    this.conflict = undefined;
    this.#keep();
    this.#onChange();
  }

  /** It has become a script: whatever becomes of this, that one is saved. */
  async clear(): Promise<void> {
    this.text = '';
    keepUnsaved(DRAFT_ID, undefined);
    await this.save();
  }

  async #save(isSecondTry = false): Promise<void> {
    const { text } = this;
    if (text === undefined || text === this.#saved || this.conflict !== undefined) return;
    try {
      const { revision } = await this.#library.saveDraft({ content: text, revision: this.#revision });
      this.#settled(revision, text);
    } catch (error) {
      if (isInDoubt(error)) this.#lost.add({ content: text });
      if (isConflict(error) && !isSecondTry) await this.#meet();
      else this.#notSaved(error as Error);
    }
    this.#onChange();
  }

  /** Another revision stands at the server: of this page, whose answer was lost, or of somebody else. */
  async #meet(): Promise<void> {
    try {
      const theirs = await this.#library.draft();
      if (theirs !== undefined && theirs.content !== this.text && !this.#lost.has({ content: theirs.content })) {
        this.conflict = theirs;
        return;
      }
      this.#settled(theirs?.revision ?? 0, theirs?.content);
      await this.#save(true);
    } catch (error) {
      this.#notSaved(error as Error);
    }
  }

  #settled(revision: number, content: string | undefined): void {
    this.#revision = revision;
    this.#saved = content;
    this.#lost.clear();
    this.#keep();
    this.note = this.text === content ? 'Draft saved' : undefined;
  }

  #notSaved(error: Error): void {
    this.note = `The draft is not saved: ${error.message}`;
    if (isInDoubt(error)) this.#saveIn(TRY_AGAIN_MS);
  }

  #keep(): boolean {
    const { text: content = '' } = this;
    return keepUnsaved(DRAFT_ID, content === this.#saved ? undefined : { content, revision: this.#revision });
  }

  #saveIn(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.#isLeft) this.#timer = setTimeout(() => void this.save(), ms);
  }
}

/** An empty one begins with something that runs. */
const shownOf = (draft: Edit | undefined): string =>
  draft === undefined || draft.content === '' ? BEGINNING : draft.content;

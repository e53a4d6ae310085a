// A library with one text at the server, whose answers come when the test lets them, or get lost; and the memory of a browser.

import { vi } from 'vitest';
import { Refused } from '../../../server/ask.ts';
import type { Draft, Edit, StoredScript } from '../../../server/script-library.ts';

const TIMES = { createdAt: 0, updatedAt: 0 };

/** What becomes of a request: done and answered; done and its answer lost; not done because nobody was there; refused. */
export type Fate = 'answered' | 'lost' | 'away' | 'refused';

const NO_ANSWER = () => new Refused('Signalbox does not answer.', { status: 0 });
const NOT_FOUND = () => new Refused('There is no such script.', { status: 404, code: 'NOT_FOUND' });

export class FakeLibrary {
  /** Undefined where there is none. */
  stored: Edit | undefined;
  /** Of the script, if it is one. */
  name = 'Mine';
  /** Every text that was saved, in its order. */
  readonly saved: string[] = [];
  /** Of the next saves, in their order; after them all are answered. */
  readonly fates: Fate[] = [];
  isAway = false;
  /** Saves that were sent and are not answered yet, while the test holds them. */
  readonly held: (() => void)[] = [];
  isHolding = false;

  constructor(content?: string) {
    if (content !== undefined) this.stored = { content, revision: 1 };
  }

  /** As another program does it. */
  write(content: string, name = this.name): void {
    this.name = name;
    this.stored = { content, revision: (this.stored?.revision ?? 0) + 1 };
  }

  async draft(): Promise<Draft | undefined> {
    if (this.isAway) throw NO_ANSWER();
    return this.stored && { ...this.stored, ...TIMES };
  }

  async saveDraft(edit: Edit): Promise<Draft> {
    return { ...(await this.#put(edit)), ...TIMES };
  }

  async read(id: string): Promise<StoredScript> {
    if (this.isAway) throw NO_ANSWER();
    if (this.stored === undefined) throw NOT_FOUND();
    return { ...this.stored, ...TIMES, id, name: this.name };
  }

  async save(script: StoredScript): Promise<StoredScript> {
    return { ...script, ...(await this.#put(script, script.name)) };
  }

  async remove(): Promise<void> {
    const fate = this.fates.shift() ?? 'answered';
    if (this.stored === undefined) throw NOT_FOUND();
    this.stored = undefined;
    if (fate === 'lost') throw NO_ANSWER();
  }

  async #put({ content, revision }: Edit, name = this.name): Promise<Edit> {
    const fate = this.fates.shift() ?? 'answered';
    if (this.isHolding) await new Promise<void>((go) => this.held.push(go));
    if (fate === 'away' || this.isAway) throw NO_ANSWER();
    if (fate === 'refused') throw new Refused('The text is too long.', { status: 413, code: 'TOO_LARGE' });
    if (revision !== (this.stored?.revision ?? 0)) throw new Refused('Meanwhile.', { status: 409, code: 'CONFLICT' });
    this.stored = { content, revision: revision + 1 };
    this.name = name;
    this.saved.push(content);
    if (fate === 'lost') throw NO_ANSWER();
    return this.stored;
  }
}

/** In the place of the browser's; returns what it holds. */
export function stubStorage(which: 'localStorage' | 'sessionStorage' = 'localStorage'): Record<string, string> {
  const held: Record<string, string> = {};
  const methods = {
    getItem: (name: string) => held[name] ?? null,
    setItem: (name: string, value: string) => {
      held[name] = value;
    },
    removeItem: (name: string) => void delete held[name],
  };
  // A browser's has the names that it holds as its own.
  vi.stubGlobal(which, new Proxy(held, { get: (_, name) => methods[name as keyof typeof methods] }));
  return held;
}

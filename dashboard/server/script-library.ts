// The user's scripts at the server: what is kept of each, and every way to read and change it. All of it belongs to the user's own key.

import { ask } from './ask.ts';

export interface ScriptSummary {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly path?: string;
  readonly revision: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly contentBytes: number;
}

export interface StoredScript extends Omit<ScriptSummary, 'contentBytes'> {
  readonly content: string;
}

export type Draft = Omit<StoredScript, 'id' | 'name'>;

/** What somebody wrote into it, and over which revision. */
export interface Edit {
  readonly content: string;
  readonly revision: number;
}

export const SCRIPTS = '/api/scripts';
/** The draft's place among the scripts; no script can have this id. */
export const DRAFT_ID = '_draft';
const pathOf = (id: string): string => `${SCRIPTS}/${encodeURIComponent(id)}`;

export class ScriptLibrary {
  readonly #key: string;

  constructor(key: string) {
    this.#key = key;
  }

  async read(id: string): Promise<StoredScript> {
    return (await ask<{ script: StoredScript }>(pathOf(id), { key: this.#key })).script;
  }

  /** Under an id of the caller's choice, so that a second try is a conflict and not a second script. */
  async create(id: string, name: string, content: string): Promise<StoredScript> {
    const question = { method: 'POST', key: this.#key, body: { id, name, content }, effect: 'once' } as const;
    return (await ask<{ script: StoredScript }>(SCRIPTS, question)).script;
  }

  /** Over the revision that the script was read with; another one is a conflict. Revision 0 means that there is none. */
  async save({ id, name, description, path, content, revision }: StoredScript): Promise<StoredScript> {
    const body = { name, description, path, content, revision };
    const question = { method: 'PUT', key: this.#key, body, effect: 'once' } as const;
    return (await ask<{ script: StoredScript }>(pathOf(id), question)).script;
  }

  async remove(id: string, revision: number): Promise<void> {
    await ask(pathOf(id), { method: 'DELETE', key: this.#key, body: { revision } });
  }

  /** Newest first. */
  async versions(id: string): Promise<readonly ScriptSummary[]> {
    return (await ask<{ versions: ScriptSummary[] }>(`${pathOf(id)}/versions`, { key: this.#key })).versions;
  }

  async version(id: string, revision: number): Promise<StoredScript> {
    return (await ask<{ script: StoredScript }>(`${pathOf(id)}/versions/${revision}`, { key: this.#key })).script;
  }

  async draft(): Promise<Draft | undefined> {
    return (await ask<{ draft: Draft | null }>(pathOf(DRAFT_ID), { key: this.#key })).draft ?? undefined;
  }

  async saveDraft(edit: Edit): Promise<Draft> {
    return (await ask<{ draft: Draft }>(pathOf(DRAFT_ID), { method: 'PUT', key: this.#key, body: edit })).draft;
  }
}

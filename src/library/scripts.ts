// A user's script library: checks what comes in, and says in plain outcomes what became of it.

import {
  type Draft,
  type DraftText,
  type FieldFault,
  idFaults,
  isContentTooLarge,
  isScriptId,
  MAX_CONTENT_BYTES,
  MAX_SCRIPTS_PER_USER,
  MAX_STORED_BYTES_PER_USER,
  type Script,
  type ScriptSummary,
  type ScriptText,
  textFaults,
} from './script.ts';
import { cursorAt, placeOf } from './script-cursor.ts';
import type { Conflict, Full, Precondition, ScriptStore, Written } from './script-store.ts';

/** Values that cannot be kept, all of them at once. */
export interface Invalid {
  readonly kind: 'invalid';
  readonly faults: readonly FieldFault[];
}

export interface TooLarge {
  readonly kind: 'too-large';
  readonly reason: string;
}

/** The id is taken by a script of this user. */
export interface Exists {
  readonly kind: 'exists';
  readonly remoteRevision: number;
}

export interface TooMany {
  readonly kind: 'too-many';
  readonly reason: string;
}

export interface Missing {
  readonly kind: 'missing';
}

/** A question that cannot be answered as it is asked; the reason names the remedy. */
export interface BadPage {
  readonly kind: 'bad-page';
  readonly reason: string;
}

export interface Page {
  readonly kind: 'page';
  readonly scripts: readonly ScriptSummary[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

export interface Found<T> {
  readonly kind: 'found';
  readonly record: T;
}

export interface PageRequest {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** What a client knows: the revision it read, 0 for nothing there, 'present' for whatever is there. Absent: it does not say. */
export type KnownRevision = number | 'present' | undefined;

export interface Scripts {
  list(userId: string, page?: PageRequest): Promise<Page | BadPage>;
  read(userId: string, id: string): Promise<Found<Script> | Missing>;
  create(
    userId: string,
    wanted: ScriptText & { readonly id?: string | undefined },
  ): Promise<Written<Script> | Exists | Invalid | TooLarge | TooMany>;
  /** Makes the script, or its next revision. A client that names a revision is refused when another is there. */
  save(
    userId: string,
    id: string,
    text: ScriptText,
    known?: KnownRevision,
  ): Promise<Written<Script> | Conflict | Invalid | TooLarge | TooMany>;
  remove(userId: string, id: string, known?: KnownRevision): Promise<{ readonly kind: 'removed' } | Missing | Conflict>;
  versions(userId: string, id: string): Promise<Found<readonly ScriptSummary[]> | Missing>;
  version(userId: string, id: string, revision: number): Promise<Found<Script> | Missing>;
  readDraft(userId: string): Promise<Found<Draft> | Missing>;
  saveDraft(
    userId: string,
    text: DraftText,
    known?: KnownRevision,
  ): Promise<Written<Draft> | Conflict | Invalid | TooLarge>;
}

export interface ScriptsOptions {
  readonly store: ScriptStore;
  readonly nowMs: () => number;
  /** For scripts whose client chooses no id; see script-id.ts. */
  readonly newId: () => string;
}

/** A whole library: charting clients ask for one page and never for a second one. */
export const MAX_PAGE = MAX_SCRIPTS_PER_USER;
/** The digest of a key, which is what keeps users apart. */
const USER_ID = /^[0-9a-f]{32}$/;

export const createScripts = (options: ScriptsOptions): Scripts => new StoredScripts(options);

class StoredScripts implements Scripts {
  readonly #options: ScriptsOptions;
  readonly #store: ScriptStore;

  constructor(options: ScriptsOptions) {
    this.#options = options;
    this.#store = options.store;
  }

  async list(userId: string, { limit = MAX_PAGE, cursor }: PageRequest = {}): Promise<Page | BadPage> {
    assertUser(userId);
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE)
      return { kind: 'bad-page', reason: `limit must be a whole number from 1 to ${MAX_PAGE}.` };
    const below = cursor === undefined ? undefined : placeOf(cursor);
    if (cursor !== undefined && below === undefined)
      return {
        kind: 'bad-page',
        reason: 'cursor is not one of ours; pass nextCursor on as it came, or leave it out.',
      };
    // One more than asked for tells whether there is a next page.
    const found = await this.#store.list(userId, { limit: limit + 1, ...(below === undefined ? {} : { below }) });
    const shown = found.slice(0, limit);
    const last = shown.at(-1);
    return {
      kind: 'page',
      scripts: shown.map(({ summary }) => summary),
      ...(found.length > limit && last !== undefined ? { nextCursor: cursorAt(last.place) } : {}),
    };
  }

  async read(userId: string, id: string): ReturnType<Scripts['read']> {
    assertUser(userId);
    return foundOf(isScriptId(id) ? await this.#store.read(userId, id) : undefined);
  }

  async create(
    userId: string,
    wanted: ScriptText & { readonly id?: string | undefined },
  ): ReturnType<Scripts['create']> {
    assertUser(userId);
    const { newId, nowMs } = this.#options;
    const id = wanted.id ?? newId();
    const text = scriptTextOf(wanted);
    const refused = refusalOf(text, idFaults(id));
    if (refused !== undefined) return refused;
    const written = await this.#store.write(userId, { id, text, atMs: nowMs(), precondition: 'absent' });
    return written.kind === 'conflict' ? { kind: 'exists', remoteRevision: written.remoteRevision } : fullOf(written);
  }

  async save(userId: string, id: string, given: ScriptText, known?: KnownRevision): ReturnType<Scripts['save']> {
    assertUser(userId);
    const text = scriptTextOf(given);
    const refused = refusalOf(text, idFaults(id));
    if (refused !== undefined) return refused;
    const precondition = preconditionOf(known);
    return fullOf(await this.#store.write(userId, { id, text, atMs: this.#options.nowMs(), precondition }));
  }

  async remove(userId: string, id: string, known?: KnownRevision): ReturnType<Scripts['remove']> {
    assertUser(userId);
    if (!isScriptId(id)) return { kind: 'missing' };
    const removed = await this.#store.remove(userId, id, known ?? 'present');
    // What is gone is gone, whichever revision the client wanted to delete.
    return removed.kind === 'conflict' && removed.remoteRevision === 0 ? { kind: 'missing' } : removed;
  }

  async versions(userId: string, id: string): ReturnType<Scripts['versions']> {
    assertUser(userId);
    const versions = isScriptId(id) ? await this.#store.versions(userId, id) : [];
    return versions.length === 0 ? { kind: 'missing' } : { kind: 'found', record: versions };
  }

  async version(userId: string, id: string, revision: number): ReturnType<Scripts['version']> {
    assertUser(userId);
    const askable = isScriptId(id) && Number.isSafeInteger(revision) && revision > 0;
    return foundOf(askable ? await this.#store.version(userId, id, revision) : undefined);
  }

  async readDraft(userId: string): ReturnType<Scripts['readDraft']> {
    assertUser(userId);
    return foundOf(await this.#store.draft(userId));
  }

  async saveDraft(userId: string, given: DraftText, known?: KnownRevision): ReturnType<Scripts['saveDraft']> {
    assertUser(userId);
    const text = draftTextOf(given);
    const precondition = preconditionOf(known);
    return refusalOf(text) ?? this.#store.writeDraft(userId, { text, atMs: this.#options.nowMs(), precondition });
  }
}

export const TOO_LARGE = `A script has at most ${MAX_CONTENT_BYTES} bytes (256 KiB) in UTF-8; shorten it or move parts into a library.`;

const MEBIBYTE = 1024 * 1024;
const FULL: Readonly<Record<Full['kind'], TooMany>> = {
  'too-many': {
    kind: 'too-many',
    reason: `There are ${MAX_SCRIPTS_PER_USER} scripts in this library already; delete one first.`,
  },
  'no-room': {
    kind: 'too-many',
    reason: `This library holds ${MAX_STORED_BYTES_PER_USER / MEBIBYTE} MiB of scripts and their versions already; delete scripts that are no longer needed.`,
  },
};

const fullOf = <T extends { readonly kind: string }>(written: T | Full): T | TooMany =>
  isFull(written) ? FULL[written.kind] : written;

const isFull = (written: { readonly kind: string }): written is Full => Object.hasOwn(FULL, written.kind);

/** A fault of ours, not of a caller: an empty or shared user id would open one library to everybody. */
export function assertUser(userId: string): void {
  if (!USER_ID.test(userId)) throw new Error('a user id is the first 32 hex digits of the digest of a key');
}

const foundOf = <T>(record: T | undefined): Found<T> | Missing =>
  record === undefined ? { kind: 'missing' } : { kind: 'found', record };

function preconditionOf(known: KnownRevision): Precondition {
  if (known === undefined) return 'none';
  return known === 0 ? 'absent' : known;
}

function refusalOf(text: DraftText, others: readonly FieldFault[] = []): Invalid | TooLarge | undefined {
  if (isContentTooLarge(text.content)) {
    return { kind: 'too-large', reason: TOO_LARGE };
  }
  const faults = [...others, ...textFaults(text)];
  return faults.length === 0 ? undefined : { kind: 'invalid', faults };
}

/** Our fields and no others, so that what is answered is what is stored. */
const scriptTextOf = ({ name, ...rest }: ScriptText): ScriptText => ({ name, ...withoutName(rest) });

const draftTextOf = ({ name, ...rest }: DraftText): DraftText => ({
  ...(name === undefined ? {} : { name }),
  ...withoutName(rest),
});

const withoutName = ({ description, path, content }: Omit<ScriptText, 'name'>): Omit<ScriptText, 'name'> => ({
  ...(description === undefined ? {} : { description }),
  ...(path === undefined ? {} : { path }),
  content,
});

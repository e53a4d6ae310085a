// A script store in memory, for tests: it keeps the promises of the port, but for surviving the process.

import { StorageError } from '../../errors/storage-error.ts';
import type { Draft, Script, ScriptSummary } from '../script.ts';
import { conflictOf, type ScriptStore, STORE_LIMITS, type Written } from '../script-store.ts';

interface Entry {
  readonly place: number;
  /** Oldest first; the last one is the current one. */
  readonly versions: Script[];
}

interface Library {
  lastPlace: number;
  readonly entries: Map<string, Entry>;
  /** The last revision of deleted ids, the one deleted longest ago first. */
  readonly retired: Map<string, number>;
  draft: Draft | undefined;
}

export function memoryScriptStore(limits = STORE_LIMITS): ScriptStore {
  const libraries = new Map<string, Library>();
  const libraryOf = (userId: string): Library => {
    const library = libraries.get(userId) ?? { lastPlace: 0, entries: new Map(), retired: new Map(), draft: undefined };
    libraries.set(userId, library);
    return library;
  };
  const versionsOf = (userId: string, id: string): readonly Script[] =>
    libraryOf(userId).entries.get(id)?.versions ?? [];

  return {
    async list(userId, { limit, below = Number.POSITIVE_INFINITY }) {
      return [...libraryOf(userId).entries.values()]
        .filter(({ place }) => place < below)
        .sort((a, b) => b.place - a.place)
        .slice(0, limit)
        .map(({ place, versions }) => ({ place, summary: summaryOf(versions.at(-1)!) }));
    },
    async read(userId, id) {
      return versionsOf(userId, id).at(-1);
    },
    async write(userId, { id, text, atMs, precondition }) {
      assertTime(atMs);
      const library = libraryOf(userId);
      const current = library.entries.get(id)?.versions.at(-1);
      const conflict = conflictOf(precondition, current?.revision ?? 0);
      if (conflict) return conflict;
      if (!current && library.entries.size >= limits.scriptsPerUser) return { kind: 'too-many' };
      const before = library.entries.get(id)?.versions ?? [];
      const pushedOut = before.slice(0, Math.max(0, before.length + 1 - limits.keptVersions));
      const kept = [...library.entries.values()].flatMap(({ versions }) => versions);
      if (bytesOf(kept) - bytesOf(pushedOut) + Buffer.byteLength(text.content) > limits.bytesPerUser)
        return { kind: 'no-room' };
      const revision = (current?.revision ?? library.retired.get(id) ?? 0) + 1;
      const script: Script = { id, ...text, ...revisionOf(current, revision, atMs) };
      library.retired.delete(id);
      const entry = library.entries.get(id) ?? { place: ++library.lastPlace, versions: [] };
      entry.versions.push(script);
      entry.versions.splice(0, entry.versions.length - limits.keptVersions);
      library.entries.set(id, entry);
      return written(current, script);
    },
    async remove(userId, id, precondition) {
      const { entries, retired } = libraryOf(userId);
      const revision = versionsOf(userId, id).at(-1)?.revision ?? 0;
      const conflict = conflictOf(precondition, revision);
      if (conflict) return conflict;
      entries.delete(id);
      // A Map keeps the order of first insertion.
      retired.delete(id);
      retired.set(id, revision);
      for (const oldest of retired.keys()) if (retired.size > limits.keptRetiredIds) retired.delete(oldest);
      return { kind: 'removed' };
    },
    async versions(userId, id) {
      return versionsOf(userId, id).map(summaryOf).reverse();
    },
    async version(userId, id, revision) {
      return versionsOf(userId, id).find((version) => version.revision === revision);
    },
    async draft(userId) {
      return libraryOf(userId).draft;
    },
    async writeDraft(userId, { text, atMs, precondition }) {
      assertTime(atMs);
      const library = libraryOf(userId);
      const current = library.draft;
      const conflict = conflictOf(precondition, current?.revision ?? 0);
      if (conflict) return conflict;
      const draft: Draft = { ...text, ...revisionOf(current, (current?.revision ?? 0) + 1, atMs) };
      library.draft = draft;
      return written(current, draft);
    },
  };
}

function revisionOf(current: Draft | undefined, revision: number, atMs: number): Omit<Draft, 'content'> {
  return {
    revision,
    createdAtMs: current?.createdAtMs ?? atMs,
    updatedAtMs: Math.max(atMs, current?.updatedAtMs ?? atMs),
  };
}

const written = <T>(current: T | undefined, record: T): Written<T> => ({
  kind: 'written',
  created: current === undefined,
  record,
});

const bytesOf = (scripts: readonly Script[]): number =>
  scripts.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);

function summaryOf({ content, ...rest }: Script): ScriptSummary {
  return { ...rest, contentBytes: Buffer.byteLength(content) };
}

function assertTime(atMs: number): void {
  if (!Number.isSafeInteger(atMs)) throw new StorageError(`${atMs} is no time`);
}

// The writes of the script library, each meant to run inside one transaction: check, new revision, pruning.

import type { StatementSync } from 'node:sqlite';
import type { Draft, Script } from '../../../../library/script.ts';
import {
  type Conflict,
  conflictOf,
  type DraftWrite,
  type Full,
  type ScriptStoreLimits,
  type ScriptWrite,
  type Written,
} from '../../../../library/script-store.ts';
import { textColumns } from './rows.ts';

export interface ScriptWrites {
  write(userId: string, write: ScriptWrite): Written<Script> | Conflict | Full;
  remove(userId: string, id: string, precondition: 'present' | number): { readonly kind: 'removed' } | Conflict;
  writeDraft(userId: string, write: DraftWrite): Written<Draft> | Conflict;
}

/** What is there before a write. */
interface Current {
  readonly revision: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export function scriptWrites(sql: (text: string) => StatementSync, limits: ScriptStoreLimits): ScriptWrites {
  const nextPlace = (userId: string): number =>
    sql(`INSERT INTO libraries (user_id, last_place) VALUES (?, 1)
      ON CONFLICT DO UPDATE SET last_place = last_place + 1 RETURNING last_place`).get(userId)?.last_place as number;

  const currentScript = (userId: string, id: string): Current | undefined =>
    sql(`SELECT scripts.revision, created_at AS createdAtMs, updated_at AS updatedAtMs
      FROM scripts JOIN versions USING (user_id, id, revision) WHERE user_id = ? AND id = ?`).get(userId, id) as
      | Current
      | undefined;

  const isFull = (userId: string): boolean =>
    (sql('SELECT count(*) AS count FROM scripts WHERE user_id = ?').get(userId)?.count as number) >=
    limits.scriptsPerUser;

  /** Whether the text still fits, with the version that it pushes out gone. */
  function hasRoom(userId: string, { id, text }: ScriptWrite, revision: number): boolean {
    const stored = sql('SELECT stored_bytes AS bytes FROM libraries WHERE user_id = ?').get(userId)?.bytes ?? 0;
    const pushedOut = sql(`SELECT coalesce(sum(content_bytes), 0) AS bytes FROM versions
      WHERE user_id = ? AND id = ? AND revision <= ?`).get(userId, id, revision - limits.keptVersions)?.bytes;
    return (stored as number) - (pushedOut as number) + Buffer.byteLength(text.content) <= limits.bytesPerUser;
  }

  /** The last revision the id had before it was deleted, which is forgotten here because the script remembers it again. */
  const takeRetired = (userId: string, id: string): number =>
    (sql('DELETE FROM retired_ids WHERE user_id = ? AND id = ? RETURNING revision').get(userId, id)?.revision as
      | number
      | undefined) ?? 0;

  function addVersion(userId: string, { id, text }: ScriptWrite, { revision, updatedAtMs }: Current): void {
    sql(`INSERT INTO versions (user_id, id, revision, updated_at, content_bytes, name, description, path, content)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
      userId,
      id,
      revision,
      updatedAtMs,
      Buffer.byteLength(text.content),
      ...textColumns(text),
    );
    // Revisions have no gaps, so the number alone tells which ones are too old.
    sql('DELETE FROM versions WHERE user_id = ? AND id = ? AND revision <= ?').run(
      userId,
      id,
      revision - limits.keptVersions,
    );
  }

  return {
    write(userId, write) {
      const { id, text, atMs, precondition } = write;
      const before = currentScript(userId, id);
      const conflict = conflictOf(precondition, before?.revision ?? 0);
      if (conflict) return conflict;
      if (!before && isFull(userId)) return { kind: 'too-many' };
      if (!hasRoom(userId, write, (before?.revision ?? 0) + 1)) return { kind: 'no-room' };
      const after = revisionAfter(before ?? takeRetired(userId, id), atMs);
      if (before) {
        sql('UPDATE scripts SET revision = ? WHERE user_id = ? AND id = ?').run(after.revision, userId, id);
      } else {
        sql('INSERT INTO scripts (user_id, id, place, revision, created_at) VALUES (?, ?, ?, ?, ?)').run(
          userId,
          id,
          nextPlace(userId),
          after.revision,
          after.createdAtMs,
        );
      }
      addVersion(userId, write, after);
      return { kind: 'written', created: !before, record: { id, ...text, ...after } };
    },

    remove(userId, id, precondition) {
      const revision = currentScript(userId, id)?.revision ?? 0;
      const conflict = conflictOf(precondition, revision);
      if (conflict) return conflict;
      sql('DELETE FROM scripts WHERE user_id = ? AND id = ?').run(userId, id);
      sql('INSERT INTO retired_ids (user_id, id, place, revision) VALUES (?, ?, ?, ?)').run(
        userId,
        id,
        nextPlace(userId),
        revision,
      );
      sql(`DELETE FROM retired_ids WHERE user_id = ?1 AND place <=
        (SELECT place FROM retired_ids WHERE user_id = ?1 ORDER BY place DESC LIMIT 1 OFFSET ?2)`).run(
        userId,
        limits.keptRetiredIds,
      );
      return { kind: 'removed' };
    },

    writeDraft(userId, { text, atMs, precondition }) {
      const before = sql(`SELECT revision, created_at AS createdAtMs, updated_at AS updatedAtMs
        FROM drafts WHERE user_id = ?`).get(userId) as Current | undefined;
      const conflict = conflictOf(precondition, before?.revision ?? 0);
      if (conflict) return conflict;
      const after = revisionAfter(before ?? 0, atMs);
      sql(`INSERT OR REPLACE INTO drafts (user_id, revision, created_at, updated_at, name, description, path, content)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)`).run(
        userId,
        after.revision,
        after.createdAtMs,
        after.updatedAtMs,
        ...textColumns(text),
      );
      return { kind: 'written', created: !before, record: { ...text, ...after } };
    },
  };
}

/** A clock that was set back does not make a later revision look older than the one before it. */
function revisionAfter(before: Current | number, atMs: number): Current {
  if (typeof before === 'number') return { revision: before + 1, createdAtMs: atMs, updatedAtMs: atMs };
  return {
    revision: before.revision + 1,
    createdAtMs: before.createdAtMs,
    updatedAtMs: Math.max(atMs, before.updatedAtMs),
  };
}

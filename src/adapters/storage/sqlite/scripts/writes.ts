// The writes of the script library, each meant to run inside one transaction: check, new revision, pruning.

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
import type { Sql } from '../database.ts';
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

export const scriptWrites = (sql: Sql, limits: ScriptStoreLimits): ScriptWrites => new Writes(sql, limits);

class Writes implements ScriptWrites {
  readonly #sql: Sql;
  readonly #limits: ScriptStoreLimits;

  constructor(sql: Sql, limits: ScriptStoreLimits) {
    this.#sql = sql;
    this.#limits = limits;
  }

  write(userId: string, write: ScriptWrite): Written<Script> | Conflict | Full {
    const { id, text, atMs, precondition } = write;
    const before = this.#currentScript(userId, id);
    const conflict = conflictOf(precondition, before?.revision ?? 0);
    if (conflict) return conflict;
    if (!before && this.#isFull(userId)) return { kind: 'too-many' };
    if (!this.#hasRoom(userId, write, (before?.revision ?? 0) + 1)) return { kind: 'no-room' };
    const after = revisionAfter(before ?? this.#takeRetired(userId, id), atMs);
    if (before) {
      this.#sql('UPDATE scripts SET revision = ? WHERE user_id = ? AND id = ?').run(after.revision, userId, id);
    } else {
      this.#sql('INSERT INTO scripts (user_id, id, place, revision, created_at) VALUES (?, ?, ?, ?, ?)').run(
        userId,
        id,
        this.#nextPlace(userId),
        after.revision,
        after.createdAtMs,
      );
    }
    this.#addVersion(userId, write, after);
    return { kind: 'written', created: !before, record: { id, ...text, ...after } };
  }

  remove(userId: string, id: string, precondition: 'present' | number): { readonly kind: 'removed' } | Conflict {
    const revision = this.#currentScript(userId, id)?.revision ?? 0;
    const conflict = conflictOf(precondition, revision);
    if (conflict) return conflict;
    this.#sql('DELETE FROM scripts WHERE user_id = ? AND id = ?').run(userId, id);
    this.#sql('INSERT INTO retired_ids (user_id, id, place, revision) VALUES (?, ?, ?, ?)').run(
      userId,
      id,
      this.#nextPlace(userId),
      revision,
    );
    this.#sql(`DELETE FROM retired_ids WHERE user_id = ?1 AND place <=
      (SELECT place FROM retired_ids WHERE user_id = ?1 ORDER BY place DESC LIMIT 1 OFFSET ?2)`).run(
      userId,
      this.#limits.keptRetiredIds,
    );
    return { kind: 'removed' };
  }

  writeDraft(userId: string, { text, atMs, precondition }: DraftWrite): Written<Draft> | Conflict {
    const before = this.#sql(`SELECT revision, created_at AS createdAtMs, updated_at AS updatedAtMs
      FROM drafts WHERE user_id = ?`).get(userId) as Current | undefined;
    const conflict = conflictOf(precondition, before?.revision ?? 0);
    if (conflict) return conflict;
    const after = revisionAfter(before ?? 0, atMs);
    this.#sql(`INSERT OR REPLACE INTO drafts
        (user_id, revision, created_at, updated_at, name, description, path, content)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)`).run(
      userId,
      after.revision,
      after.createdAtMs,
      after.updatedAtMs,
      ...textColumns(text),
    );
    return { kind: 'written', created: !before, record: { ...text, ...after } };
  }

  #nextPlace(userId: string): number {
    return this.#sql(`INSERT INTO libraries (user_id, last_place) VALUES (?, 1)
      ON CONFLICT DO UPDATE SET last_place = last_place + 1 RETURNING last_place`).get(userId)?.last_place as number;
  }

  #currentScript(userId: string, id: string): Current | undefined {
    return this.#sql(`SELECT scripts.revision, created_at AS createdAtMs, updated_at AS updatedAtMs
      FROM scripts JOIN versions USING (user_id, id, revision) WHERE user_id = ? AND id = ?`).get(userId, id) as
      | Current
      | undefined;
  }

  #isFull(userId: string): boolean {
    const count = this.#sql('SELECT count(*) AS count FROM scripts WHERE user_id = ?').get(userId)?.count as number;
    return count >= this.#limits.scriptsPerUser;
  }

  /** Whether the text still fits, with the version that it pushes out gone. */
  #hasRoom(userId: string, { id, text }: ScriptWrite, revision: number): boolean {
    const { keptVersions, bytesPerUser } = this.#limits;
    const stored = this.#sql('SELECT stored_bytes AS bytes FROM libraries WHERE user_id = ?').get(userId)?.bytes ?? 0;
    const pushedOut = this.#sql(`SELECT coalesce(sum(content_bytes), 0) AS bytes FROM versions
      WHERE user_id = ? AND id = ? AND revision <= ?`).get(userId, id, revision - keptVersions)?.bytes;
    return (stored as number) - (pushedOut as number) + Buffer.byteLength(text.content) <= bytesPerUser;
  }

  /** The last revision the id had before it was deleted, which is forgotten here because the script remembers it again. */
  #takeRetired(userId: string, id: string): number {
    const row = this.#sql('DELETE FROM retired_ids WHERE user_id = ? AND id = ? RETURNING revision').get(userId, id);
    return (row?.revision as number | undefined) ?? 0;
  }

  #addVersion(userId: string, { id, text }: ScriptWrite, { revision, updatedAtMs }: Current): void {
    this.#sql(`INSERT INTO versions (user_id, id, revision, updated_at, content_bytes, name, description, path, content)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
      userId,
      id,
      revision,
      updatedAtMs,
      Buffer.byteLength(text.content),
      ...textColumns(text),
    );
    // Revisions have no gaps, so the number alone tells which ones are too old.
    this.#sql('DELETE FROM versions WHERE user_id = ? AND id = ? AND revision <= ?').run(
      userId,
      id,
      revision - this.#limits.keptVersions,
    );
  }
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

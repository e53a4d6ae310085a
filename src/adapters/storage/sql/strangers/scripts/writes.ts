// The writes of the script library, each meant to run inside one transaction: check, new revision, pruning.

import type { Draft, Script } from '../../../../../library/script.ts';
import {
  type Conflict,
  conflictOf,
  type DraftWrite,
  type Full,
  type ScriptStoreLimits,
  type ScriptWrite,
  type Written,
} from '../../../../../library/script-store.ts';
import type { Sql } from '../../sql.ts';
import { addBytes, nextPlace, storedBytes } from './libraries.ts';
import { textColumns } from './rows.ts';

export interface ScriptWrites {
  write(sql: Sql, userId: string, write: ScriptWrite): Promise<Written<Script> | Conflict | Full>;
  remove(sql: Sql, userId: string, id: string, precondition: 'present' | number): Promise<Removed | Conflict>;
  writeDraft(sql: Sql, userId: string, write: DraftWrite): Promise<Written<Draft> | Conflict>;
}

type Removed = { readonly kind: 'removed' };

/** What is there before a write. */
interface Current {
  readonly revision: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export const scriptWrites = (limits: ScriptStoreLimits): ScriptWrites => new Writes(limits);

class Writes implements ScriptWrites {
  readonly #limits: ScriptStoreLimits;

  constructor(limits: ScriptStoreLimits) {
    this.#limits = limits;
  }

  async write(sql: Sql, userId: string, write: ScriptWrite): Promise<Written<Script> | Conflict | Full> {
    const { id, text, atMs, precondition } = write;
    const before = await currentScript(sql, userId, id);
    const conflict = conflictOf(precondition, before?.revision ?? 0);
    if (conflict) return conflict;
    if (!before && (await this.#isFull(sql, userId))) return { kind: 'too-many' };
    // Revisions have no gaps, so the number alone tells which ones are too old.
    const oldest = (before?.revision ?? 0) + 1 - this.#limits.keptVersions;
    const addedBytes = Buffer.byteLength(text.content) - (await bytesOf(sql, userId, id, oldest));
    if ((await storedBytes(sql, userId)) + addedBytes > this.#limits.bytesPerUser) return { kind: 'no-room' };
    const after = revisionAfter(before ?? (await takeRetired(sql, userId, id)), atMs);
    if (before) {
      await sql.run('UPDATE scripts SET revision = ? WHERE user_id = ? AND id = ?', after.revision, userId, id);
      await addBytes(sql, userId, addedBytes);
      await sql.run('DELETE FROM versions WHERE user_id = ? AND id = ? AND revision <= ?', userId, id, oldest);
    } else {
      await sql.run(
        'INSERT INTO scripts (user_id, id, place, revision, created_at) VALUES (?, ?, ?, ?, ?)',
        userId,
        id,
        await nextPlace(sql, userId, addedBytes),
        after.revision,
        after.createdAtMs,
      );
    }
    await addVersion(sql, userId, write, after);
    return { kind: 'written', created: !before, record: { id, ...text, ...after } };
  }

  async remove(sql: Sql, userId: string, id: string, precondition: 'present' | number): Promise<Removed | Conflict> {
    const revision = (await currentScript(sql, userId, id))?.revision ?? 0;
    const conflict = conflictOf(precondition, revision);
    if (conflict) return conflict;
    const removedBytes = await bytesOf(sql, userId, id, revision);
    await sql.run('DELETE FROM scripts WHERE user_id = ? AND id = ?', userId, id);
    await sql.run(
      'INSERT INTO retired_ids (user_id, id, place, revision) VALUES (?, ?, ?, ?)',
      userId,
      id,
      await nextPlace(sql, userId, -removedBytes),
      revision,
    );
    await sql.run(
      `DELETE FROM retired_ids WHERE user_id = ?1 AND place <=
        (SELECT place FROM retired_ids WHERE user_id = ?1 ORDER BY place DESC LIMIT 1 OFFSET ?2)`,
      userId,
      this.#limits.keptRetiredIds,
    );
    return { kind: 'removed' };
  }

  async writeDraft(
    sql: Sql,
    userId: string,
    { text, atMs, precondition }: DraftWrite,
  ): Promise<Written<Draft> | Conflict> {
    const before = (await sql.get(
      `SELECT revision, created_at AS "createdAtMs", updated_at AS "updatedAtMs" FROM drafts WHERE user_id = ?`,
      userId,
    )) as Current | undefined;
    const conflict = conflictOf(precondition, before?.revision ?? 0);
    if (conflict) return conflict;
    const after = revisionAfter(before ?? 0, atMs);
    await sql.run(
      `INSERT INTO drafts (user_id, revision, created_at, updated_at, name, description, path, content)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (user_id) DO UPDATE SET revision = excluded.revision, created_at = excluded.created_at,
          updated_at = excluded.updated_at, name = excluded.name, description = excluded.description,
          path = excluded.path, content = excluded.content`,
      userId,
      after.revision,
      after.createdAtMs,
      after.updatedAtMs,
      ...textColumns(text),
    );
    return { kind: 'written', created: !before, record: { ...text, ...after } };
  }

  async #isFull(sql: Sql, userId: string): Promise<boolean> {
    const row = await sql.get('SELECT count(*) AS count FROM scripts WHERE user_id = ?', userId);
    return (row?.count as number) >= this.#limits.scriptsPerUser;
  }
}

async function currentScript(sql: Sql, userId: string, id: string): Promise<Current | undefined> {
  const row = await sql.get(
    `SELECT scripts.revision, created_at AS "createdAtMs", updated_at AS "updatedAtMs"
      FROM scripts JOIN versions USING (user_id, id, revision) WHERE user_id = ? AND id = ?`,
    userId,
    id,
  );
  return row as Current | undefined;
}

/** Of the versions up to this one. */
async function bytesOf(sql: Sql, userId: string, id: string, revision: number): Promise<number> {
  const row = await sql.get(
    `SELECT coalesce(sum(content_bytes), 0) AS bytes FROM versions WHERE user_id = ? AND id = ? AND revision <= ?`,
    userId,
    id,
    revision,
  );
  return row?.bytes as number;
}

/** The last revision the id had before it was deleted, which is forgotten here because the script remembers it again. */
async function takeRetired(sql: Sql, userId: string, id: string): Promise<number> {
  const row = await sql.get('DELETE FROM retired_ids WHERE user_id = ? AND id = ? RETURNING revision', userId, id);
  return (row?.revision as number | undefined) ?? 0;
}

async function addVersion(
  sql: Sql,
  userId: string,
  { id, text }: ScriptWrite,
  { revision, updatedAtMs }: Current,
): Promise<void> {
  await sql.run(
    `INSERT INTO versions (user_id, id, revision, updated_at, content_bytes, name, description, path, content)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    userId,
    id,
    revision,
    updatedAtMs,
    Buffer.byteLength(text.content),
    ...textColumns(text),
  );
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

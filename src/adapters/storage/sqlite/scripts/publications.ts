// Published libraries on SQLite, beside the scripts: each write is one transaction, durable when it resolves.

import type { Publication, PublicationSummary } from '../../../../library/publication.ts';
import { MAX_VERSION } from '../../../../library/publication.ts';
import type {
  NewPublication,
  PublicationLimits,
  PublicationStore,
  Published,
  Taken,
} from '../../../../library/publication-store.ts';
import type { Full } from '../../../../library/script-store.ts';
import type { LibraryName } from '../../../../pine/light.ts';
import type { queries, Row, Sql } from '../database.ts';
import type { steps } from '../transaction.ts';

interface Tools {
  readonly sql: Sql;
  readonly all: ReturnType<typeof queries>;
  /** Runs the work as one transaction. */
  readonly inOneStep: ReturnType<typeof steps>;
}

const SUMMARY = `publisher, name, version, digest, published_at, script_id, revision, imports, content_bytes`;
const OF_LIBRARY = 'user_id = ? AND publisher = ? AND name = ?';
const OF_VERSION = `${OF_LIBRARY} AND version = ?`;

export function publicationStore({ sql, all, inOneStep }: Tools, limits: PublicationLimits): PublicationStore {
  const writes = new Writes(sql, limits);
  const select = (columns: string, where: string, ...params: (string | number)[]): Row[] =>
    all(`SELECT ${columns} FROM publications WHERE ${where}`, ...params);
  return {
    publish: async (userId, wanted) => inOneStep(() => writes.publish(userId, wanted)),
    list: async (userId) => select(SUMMARY, 'user_id = ? ORDER BY place DESC', userId).map(summaryOf),
    versions: async (userId, namespace, name) =>
      select(SUMMARY, `${OF_LIBRARY} ORDER BY version DESC`, userId, namespace, name).map(summaryOf),
    read: async (userId, { namespace, name, version }) =>
      select(`${SUMMARY}, source`, OF_VERSION, userId, namespace, name, version).map(publicationOf)[0],
    withdraw: async (userId, library) => inOneStep(() => writes.withdraw(userId, library)),
  };
}

const summaryOf = (row: Row): PublicationSummary => ({
  namespace: row.publisher as string,
  name: row.name as string,
  version: row.version as number,
  digest: row.digest as string,
  publishedAtMs: row.published_at as number,
  scriptId: row.script_id as string | null,
  revision: row.revision as number | null,
  imports: JSON.parse(row.imports as string),
  contentBytes: row.content_bytes as number,
});

const publicationOf = (row: Row): Publication => ({ ...summaryOf(row), source: row.source as string });

class Writes {
  readonly #sql: Sql;
  readonly #limits: PublicationLimits;

  constructor(sql: Sql, limits: PublicationLimits) {
    this.#sql = sql;
    this.#limits = limits;
  }

  publish(userId: string, wanted: NewPublication): Published | Taken | Full {
    const { namespace, name, digest, version: asked } = wanted;
    const highest = this.#sql(`SELECT max(version) AS version FROM (
        SELECT version FROM publications WHERE user_id = ?1 AND publisher = ?2 AND name = ?3
        UNION ALL SELECT version FROM withdrawn_publications WHERE user_id = ?1 AND publisher = ?2 AND name = ?3)`).get(
      userId,
      namespace,
      name,
    )?.version as number | null;
    const next = (highest ?? 0) + 1;
    const version = asked ?? this.#versionOf(userId, wanted) ?? next;
    const owner = this.#digestAt(userId, { namespace, name, version });
    if (version > MAX_VERSION || (owner !== undefined && owner !== digest)) return { kind: 'taken', version, next };
    const there = this.#sql(`SELECT ${SUMMARY} FROM publications WHERE ${OF_VERSION}`).get(
      ...[userId, namespace, name, version],
    );
    if (there !== undefined) return { kind: 'published', isNew: false, record: summaryOf(there) };
    const contentBytes = Buffer.byteLength(wanted.source);
    const full = this.#fullFor(userId, contentBytes);
    if (full !== undefined) return full;
    this.#add(userId, { ...wanted, version, contentBytes });
    const { source: _, ...rest } = wanted;
    return { kind: 'published', isNew: true, record: { ...rest, version, contentBytes } };
  }

  withdraw(
    userId: string,
    { namespace, name, version }: LibraryName,
  ): Awaited<ReturnType<PublicationStore['withdraw']>> {
    const user = this.#sql(`SELECT publisher, name, version FROM publications
      WHERE user_id = ? AND EXISTS (SELECT 1 FROM json_each(imports) WHERE value = ?) ORDER BY place LIMIT 1`).get(
      userId,
      `${namespace}/${name}/${version}`,
    );
    if (user !== undefined) {
      const by = { namespace: user.publisher as string, name: user.name as string, version: user.version as number };
      return { kind: 'in-use', by };
    }
    const gone = this.#sql(`DELETE FROM publications WHERE ${OF_VERSION} RETURNING digest`).get(
      ...[userId, namespace, name, version],
    );
    if (gone === undefined) return { kind: 'missing' };
    this.#sql(`INSERT INTO withdrawn_publications (user_id, publisher, name, version, place, digest)
      VALUES (?, ?, ?, ?, ?, ?)`).run(userId, namespace, name, version, this.#nextPlace(userId), gone.digest as string);
    this.#sql(`DELETE FROM withdrawn_publications WHERE user_id = ?1 AND place <=
      (SELECT place FROM withdrawn_publications WHERE user_id = ?1 ORDER BY place DESC LIMIT 1 OFFSET ?2)`).run(
      userId,
      this.#limits.keptWithdrawn,
    );
    return { kind: 'withdrawn' };
  }

  /** The highest version that this code has already, withdrawn ones included. */
  #versionOf(userId: string, { namespace, name, digest }: NewPublication): number | undefined {
    const row = this.#sql(`SELECT max(version) AS version FROM (
        SELECT version FROM publications WHERE user_id = ?1 AND publisher = ?2 AND name = ?3 AND digest = ?4
        UNION ALL
        SELECT version FROM withdrawn_publications WHERE user_id = ?1 AND publisher = ?2 AND name = ?3 AND digest = ?4)`).get(
      ...[userId, namespace, name, digest],
    );
    return (row?.version as number | null) ?? undefined;
  }

  /** Whose version it is, or was. */
  #digestAt(userId: string, { namespace, name, version }: LibraryName): string | undefined {
    const row =
      this.#sql(`SELECT digest FROM publications WHERE user_id = ?1 AND publisher = ?2 AND name = ?3 AND version = ?4
      UNION ALL SELECT digest FROM withdrawn_publications WHERE user_id = ?1 AND publisher = ?2 AND name = ?3 AND version = ?4`).get(
        ...[userId, namespace, name, version],
      );
    return row?.digest as string | undefined;
  }

  #fullFor(userId: string, contentBytes: number): Full | undefined {
    const { publicationsPerUser, bytesPerUser } = this.#limits;
    const count = this.#sql('SELECT count(*) AS count FROM publications WHERE user_id = ?').get(userId)
      ?.count as number;
    if (count >= publicationsPerUser) return { kind: 'too-many' };
    const stored = this.#sql('SELECT stored_bytes AS bytes FROM libraries WHERE user_id = ?').get(userId)?.bytes ?? 0;
    return (stored as number) + contentBytes > bytesPerUser ? { kind: 'no-room' } : undefined;
  }

  #add(userId: string, publication: Publication): void {
    const { namespace, name, version, digest, publishedAtMs, scriptId, revision, imports, contentBytes, source } =
      publication;
    this.#sql(`DELETE FROM withdrawn_publications WHERE ${OF_VERSION}`).run(userId, namespace, name, version);
    this.#sql(`INSERT INTO publications (user_id, publisher, name, version, place, digest, published_at, script_id, revision,
        imports, content_bytes, source) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
      ...[userId, namespace, name, version, this.#nextPlace(userId), digest, publishedAtMs, scriptId, revision],
      ...[JSON.stringify(imports), contentBytes, source],
    );
  }

  /** Also makes the row in which a user's bytes are counted. */
  #nextPlace(userId: string): number {
    return this.#sql(`INSERT INTO libraries (user_id, last_place) VALUES (?, 1)
      ON CONFLICT DO UPDATE SET last_place = last_place + 1 RETURNING last_place`).get(userId)?.last_place as number;
  }
}

// Published libraries, beside the scripts: each write is one transaction, durable when it resolves.

import type { Publication, PublicationSummary } from '../../../../../library/publication.ts';
import { MAX_VERSION } from '../../../../../library/publication.ts';
import {
  type NewPublication,
  PUBLICATION_LIMITS,
  type PublicationLimits,
  type PublicationStore,
  type Published,
  type Taken,
} from '../../../../../library/publication-store.ts';
import type { Full } from '../../../../../library/script-store.ts';
import type { LibraryName } from '../../../../../pine/light.ts';
import type { Row, Sql, SqlDatabase, SqlValue } from '../../sql.ts';
import { nextPlace, storedBytes } from './libraries.ts';

const SUMMARY = `publisher, name, version, digest, published_at, script_id, revision, imports, content_bytes`;
const OF_LIBRARY = 'user_id = ? AND publisher = ? AND name = ?';
const OF_VERSION = `${OF_LIBRARY} AND version = ?`;

export function publicationStore(
  { reads, inOneStep }: SqlDatabase,
  limits: PublicationLimits = PUBLICATION_LIMITS,
): PublicationStore {
  const writes = new Writes(limits);
  const select = (columns: string, where: string, ...values: SqlValue[]): Promise<Row[]> =>
    reads.all(`SELECT ${columns} FROM publications WHERE ${where}`, ...values);
  return {
    publish: (userId, wanted) => inOneStep((sql) => writes.publish(sql, userId, wanted)),
    list: async (userId) => (await select(SUMMARY, 'user_id = ? ORDER BY place DESC', userId)).map(summaryOf),
    versions: async (userId, namespace, name) =>
      (await select(SUMMARY, `${OF_LIBRARY} ORDER BY version DESC`, userId, namespace, name)).map(summaryOf),
    read: async (userId, { namespace, name, version }) =>
      (await select(`${SUMMARY}, source`, OF_VERSION, userId, namespace, name, version)).map(publicationOf)[0],
    withdraw: (userId, library) => inOneStep((sql) => writes.withdraw(sql, userId, library)),
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
  readonly #limits: PublicationLimits;

  constructor(limits: PublicationLimits) {
    this.#limits = limits;
  }

  async publish(sql: Sql, userId: string, wanted: NewPublication): Promise<Published | Taken | Full> {
    const { namespace, name, digest, version: asked } = wanted;
    const highest = await sql.get(
      `SELECT max(version) AS version FROM (
        SELECT version FROM publications WHERE user_id = ?1 AND publisher = ?2 AND name = ?3
        UNION ALL SELECT version FROM withdrawn_publications WHERE user_id = ?1 AND publisher = ?2 AND name = ?3) AS given`,
      ...[userId, namespace, name],
    );
    const next = ((highest?.version as number | null) ?? 0) + 1;
    const version = asked ?? (await versionOf(sql, userId, wanted)) ?? next;
    const owner = await digestAt(sql, userId, { namespace, name, version });
    if (version > MAX_VERSION || (owner !== undefined && owner !== digest)) return { kind: 'taken', version, next };
    const there = await sql.get(
      `SELECT ${SUMMARY} FROM publications WHERE ${OF_VERSION}`,
      ...[userId, namespace, name, version],
    );
    if (there !== undefined) return { kind: 'published', isNew: false, record: summaryOf(there) };
    const contentBytes = Buffer.byteLength(wanted.source);
    const full = await this.#fullFor(sql, userId, contentBytes);
    if (full !== undefined) return full;
    await add(sql, userId, { ...wanted, version, contentBytes });
    const { source: _, ...rest } = wanted;
    return { kind: 'published', isNew: true, record: { ...rest, version, contentBytes } };
  }

  async withdraw(
    sql: Sql,
    userId: string,
    { namespace, name, version }: LibraryName,
  ): Promise<Awaited<ReturnType<PublicationStore['withdraw']>>> {
    const user = await sql.get(
      `SELECT publisher, name, version FROM publications
        WHERE user_id = ? AND EXISTS (SELECT 1 FROM json_each(imports) WHERE value = ?) ORDER BY place LIMIT 1`,
      userId,
      `${namespace}/${name}/${version}`,
    );
    if (user !== undefined) {
      const by = { namespace: user.publisher as string, name: user.name as string, version: user.version as number };
      return { kind: 'in-use', by };
    }
    const gone = await sql.get(
      `DELETE FROM publications WHERE ${OF_VERSION} RETURNING digest, content_bytes`,
      ...[userId, namespace, name, version],
    );
    if (gone === undefined) return { kind: 'missing' };
    const place = await nextPlace(sql, userId, -(gone.content_bytes as number));
    await sql.run(
      `INSERT INTO withdrawn_publications (user_id, publisher, name, version, place, digest) VALUES (?, ?, ?, ?, ?, ?)`,
      ...[userId, namespace, name, version, place, gone.digest as string],
    );
    await sql.run(
      `DELETE FROM withdrawn_publications WHERE user_id = ?1 AND place <=
        (SELECT place FROM withdrawn_publications WHERE user_id = ?1 ORDER BY place DESC LIMIT 1 OFFSET ?2)`,
      userId,
      this.#limits.keptWithdrawn,
    );
    return { kind: 'withdrawn' };
  }

  async #fullFor(sql: Sql, userId: string, contentBytes: number): Promise<Full | undefined> {
    const { publicationsPerUser, bytesPerUser } = this.#limits;
    const row = await sql.get('SELECT count(*) AS count FROM publications WHERE user_id = ?', userId);
    if ((row?.count as number) >= publicationsPerUser) return { kind: 'too-many' };
    return (await storedBytes(sql, userId)) + contentBytes > bytesPerUser ? { kind: 'no-room' } : undefined;
  }
}

/** The highest version that this code has already, withdrawn ones included. */
async function versionOf(
  sql: Sql,
  userId: string,
  { namespace, name, digest }: NewPublication,
): Promise<number | undefined> {
  const row = await sql.get(
    `SELECT max(version) AS version FROM (
      SELECT version FROM publications WHERE user_id = ?1 AND publisher = ?2 AND name = ?3 AND digest = ?4
      UNION ALL
      SELECT version FROM withdrawn_publications WHERE user_id = ?1 AND publisher = ?2 AND name = ?3 AND digest = ?4) AS own`,
    ...[userId, namespace, name, digest],
  );
  return (row?.version as number | null) ?? undefined;
}

/** Whose version it is, or was. */
async function digestAt(
  sql: Sql,
  userId: string,
  { namespace, name, version }: LibraryName,
): Promise<string | undefined> {
  const row = await sql.get(
    `SELECT digest FROM publications WHERE user_id = ?1 AND publisher = ?2 AND name = ?3 AND version = ?4
      UNION ALL SELECT digest FROM withdrawn_publications
        WHERE user_id = ?1 AND publisher = ?2 AND name = ?3 AND version = ?4`,
    ...[userId, namespace, name, version],
  );
  return row?.digest as string | undefined;
}

async function add(sql: Sql, userId: string, publication: Publication): Promise<void> {
  const { namespace, name, version, digest, publishedAtMs, scriptId, revision, imports, contentBytes, source } =
    publication;
  await sql.run(`DELETE FROM withdrawn_publications WHERE ${OF_VERSION}`, ...[userId, namespace, name, version]);
  const place = await nextPlace(sql, userId, contentBytes);
  await sql.run(
    `INSERT INTO publications (user_id, publisher, name, version, place, digest, published_at, script_id, revision,
      imports, content_bytes, source) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[userId, namespace, name, version, place, digest, publishedAtMs, scriptId, revision],
    ...[JSON.stringify(imports), contentBytes, source],
  );
}

// What every database of the library must do: know how many bytes each user has stored, whatever is saved, pushed out by
// newer versions, published, withdrawn and removed, and whatever is refused in between.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SqlReads } from '../../src/adapters/storage/sql/sql.ts';
import type { PublicationLimits, PublicationStore } from '../../src/library/publication-store.ts';
import type { ScriptStore, ScriptStoreLimits } from '../../src/library/script-store.ts';
import { Random } from '../support/random.ts';

export interface OpenLibrary {
  readonly scripts: ScriptStore;
  readonly publications: PublicationStore;
  readonly reads: SqlReads;
  close(): Promise<void>;
}

export type OpenLibraryWith = (limits: ScriptStoreLimits, publicationLimits: PublicationLimits) => Promise<OpenLibrary>;

const USERS = ['a'.repeat(32), 'b'.repeat(32)] as const;
const BYTES_PER_USER = 400;
const LIMITS = { scriptsPerUser: 3, bytesPerUser: BYTES_PER_USER, keptVersions: 3, keptRetiredIds: 2 };
const PUBLICATION_LIMITS = { publicationsPerUser: 3, bytesPerUser: BYTES_PER_USER, keptWithdrawn: 2 };
const STEPS = 300;

const COUNTED = 'SELECT user_id, stored_bytes AS bytes FROM libraries ORDER BY user_id';
const TRUE_SUMS = `SELECT user_id, sum(content_bytes) AS bytes FROM (
    SELECT user_id, content_bytes FROM versions UNION ALL SELECT user_id, content_bytes FROM publications
    UNION ALL SELECT user_id, 0 FROM libraries) AS stored
  GROUP BY user_id ORDER BY user_id`;

export function describeLibraryBytes(name: string, open: OpenLibraryWith): void {
  describe(name, () => {
    let opened: OpenLibrary;
    beforeEach(async () => {
      opened = await open(LIMITS, PUBLICATION_LIMITS);
    });
    afterEach(() => opened.close());

    /** What became of it, in a word. */
    async function anything(random: Random): Promise<string> {
      const { scripts, publications } = opened;
      const userId = random.of(USERS);
      const id = `s${random.between(1, 4)}`;
      const text = { name: 'x', content: 'é'.repeat(random.between(0, 50)) };
      if (random.chance(45)) return (await scripts.write(userId, { id, text, atMs: 1, precondition: 'none' })).kind;
      if (random.chance(30)) return (await scripts.remove(userId, id, 'present')).kind;
      const library = { namespace: 'me', name: random.of(['Tools', 'More']) };
      if (random.chance(40))
        return (await publications.withdraw(userId, { ...library, version: random.between(1, 4) })).kind;
      const digest = `digest of ${text.content}`;
      const imports = random.chance(20) ? ['me/Tools/1'] : [];
      const wanted = { ...library, source: text.content, digest, publishedAtMs: 1, scriptId: id, revision: 1, imports };
      return (await publications.publish(userId, wanted)).kind;
    }

    test('the sum of each user is that of the rows after every step', async () => {
      const random = new Random(20261118);
      const outcomes = new Set<string>();
      for (let step = 1; step <= STEPS; step += 1) {
        const outcome = await anything(random);
        outcomes.add(outcome);
        const counted = await opened.reads.all(COUNTED);
        expect(counted, `after step ${step}, ${outcome}`).toEqual(await opened.reads.all(TRUE_SUMS));
        for (const { bytes } of counted) expect(bytes).toBeLessThanOrEqual(BYTES_PER_USER);
      }
      // Everything that can happen has happened.
      expect([...outcomes].sort()).toEqual(
        [
          ...['conflict', 'in-use', 'missing', 'no-room', 'published', 'removed', 'too-many'],
          ...['withdrawn', 'written'],
        ].sort(),
      );
      expect(await opened.reads.all(COUNTED)).toHaveLength(USERS.length);
    });
  });
}

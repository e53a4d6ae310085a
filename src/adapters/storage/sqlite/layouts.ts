// Saved layouts and templates of charts in the owner's database.

import type { Layout, LayoutKind, LayoutReads, LayoutStore, LayoutSummary } from '../../../library/layouts.ts';
import type { Row } from './database.ts';
import type { RestrictionStoreParts } from './restrictions.ts';

type LayoutStoreParts = Omit<RestrictionStoreParts, 'appendAudit'>;

export function createLayoutStore({ sql, all, inOneStep }: LayoutStoreParts): LayoutStore {
  const reads: LayoutReads = {
    list: () => all('SELECT kind, name, revision, about, updated_at FROM layouts ORDER BY kind, name').map(summaryOf),
    find: ({ kind, name }) => all('SELECT * FROM layouts WHERE kind = ? AND name = ?', kind, name).map(layoutOf)[0],
  };
  return {
    list: async () => reads.list(),
    find: async (name) => reads.find(name),
    change: (work) =>
      inOneStep(() =>
        work({
          ...reads,
          put: ({ kind, name, revision, about, content, updatedAtMs }) =>
            void sql(`INSERT INTO layouts (kind, name, revision, about, content, updated_at) VALUES (?, ?, ?, ?, ?, ?)
              ON CONFLICT DO UPDATE SET revision = excluded.revision, about = excluded.about, content = excluded.content,
                updated_at = excluded.updated_at`).run(kind, name, revision, about, content, updatedAtMs),
          nextRevision: () => {
            const row = sql('UPDATE layout_revisions SET last = last + 1 RETURNING last').get() as Row;
            return row.last as number;
          },
          remove: ({ kind, name }) => void sql('DELETE FROM layouts WHERE kind = ? AND name = ?').run(kind, name),
        }),
      ),
  };
}

const summaryOf = (row: Row): LayoutSummary => ({
  kind: row.kind as LayoutKind,
  name: row.name as string,
  revision: row.revision as number,
  about: row.about as string,
  updatedAtMs: row.updated_at as number,
});

const layoutOf = (row: Row): Layout => ({ ...summaryOf(row), content: row.content as string });

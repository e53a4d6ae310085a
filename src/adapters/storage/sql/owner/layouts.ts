// Saved layouts and templates of charts, and saved queries, in the owner's database.

import type {
  Layout,
  LayoutKind,
  LayoutName,
  LayoutStore,
  LayoutSummary,
  LayoutWrites,
} from '../../../../library/layouts.ts';
import type { Row, Sql, SqlReads } from '../sql.ts';
import type { OwnerSteps } from './owner-steps.ts';

export const createLayoutStore = (reads: SqlReads, steps: Pick<OwnerSteps, 'inOneStep'>): LayoutStore => ({
  list: () => summariesIn(reads),
  find: async ({ kind, name }) =>
    (await reads.all('SELECT * FROM layouts WHERE kind = ? AND name = ?', kind, name)).map(layoutOf)[0],
  change: (work) =>
    steps.inOneStep(async ({ sql }) => {
      const writes: Write[] = [];
      const summaries = await summariesIn(sql);
      const { last } = (await sql.get('SELECT last FROM layout_revisions')) as Row;
      const result = work(rowsOf({ summaries, last: last as number }, (write) => void writes.push(write)));
      for (const write of writes) await write(sql);
      return result;
    }),
});

const summariesIn = async (sql: SqlReads): Promise<readonly LayoutSummary[]> =>
  (await sql.all('SELECT kind, name, revision, about, updated_at FROM layouts ORDER BY kind, name')).map(summaryOf);

type Write = (sql: Sql) => Promise<unknown>;

interface Found {
  readonly summaries: readonly LayoutSummary[];
  /** The revision that was given last. */
  readonly last: number;
}

/** The work decides by what was read for it and does not wait; what it writes is carried out in its order afterwards. */
function rowsOf(found: Found, later: (write: Write) => void): LayoutWrites {
  let { summaries, last } = found;
  const others = ({ kind, name }: LayoutName) => summaries.filter((each) => each.kind !== kind || each.name !== name);
  return {
    list: () => summaries,
    find: ({ kind, name }) => summaries.find((each) => each.kind === kind && each.name === name),
    nextRevision() {
      last += 1;
      const given = last;
      later((sql) => sql.run('UPDATE layout_revisions SET last = ?', given));
      return given;
    },
    put({ content, ...summary }) {
      summaries = [...others(summary), summary].sort(byName);
      const { kind, name, revision, about, updatedAtMs } = summary;
      later((sql) =>
        sql.run(
          `INSERT INTO layouts (kind, name, revision, about, content, updated_at) VALUES (?, ?, ?, ?, ?, ?)
          ON CONFLICT (kind, name) DO UPDATE SET revision = excluded.revision, about = excluded.about,
            content = excluded.content, updated_at = excluded.updated_at`,
          ...[kind, name, revision, about, content, updatedAtMs],
        ),
      );
    },
    remove(name) {
      summaries = others(name);
      later((sql) => sql.run('DELETE FROM layouts WHERE kind = ? AND name = ?', name.kind, name.name));
    },
  };
}

const byName = (a: LayoutName, b: LayoutName): number =>
  a.kind === b.kind ? (a.name < b.name ? -1 : 1) : a.kind < b.kind ? -1 : 1;

const summaryOf = (row: Row): LayoutSummary => ({
  kind: row.kind as LayoutKind,
  name: row.name as string,
  revision: row.revision as number,
  about: row.about as string,
  updatedAtMs: row.updated_at as number,
});

const layoutOf = (row: Row): Layout => ({ ...summaryOf(row), content: row.content as string });

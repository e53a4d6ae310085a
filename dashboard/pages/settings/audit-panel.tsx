// The audit: who changed what, from what to what, as far back as somebody looks, and narrowed to a word.

import { useState } from 'preact/hooks';
import { FeedList } from '../../server/feed-list.ts';
import type { AuditEntry } from '../../server/setup-answers.ts';
import { feedOf, useFeedList } from '../../server/use-feed-list.ts';
import { Field } from '../../ui/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { spaced } from '../../ui/spaced.ts';
import { type Column, Table } from '../../ui/table.tsx';
import { Unanswered } from '../../ui/unanswered.tsx';
import { When } from '../../ui/when.tsx';
import { ListEnd } from '../trades/list-end.tsx';
import { changeWords } from './change-words.ts';

const AT_ONCE = 50;
/** The server looks for no less. */
const MIN_SEARCH_CHARS = 2;

type Row = Omit<AuditEntry, 'id'> & { readonly id: string };

const auditList = (search: string | undefined): FeedList<Row> =>
  new FeedList([
    feedOf<AuditEntry, Row>({
      ...{ path: '/admin/audit', query: { search }, limit: AT_ONCE },
      cursorOf: ({ id }) => String(id),
      atOf: ({ at }) => at,
      rowOf: (entry) => ({ ...entry, id: String(entry.id) }),
    }),
  ]);

export function AuditPanel() {
  const [typed, setTyped] = useState('');
  const word = typed.trim();
  const search = word.length < MIN_SEARCH_CHARS ? undefined : word;
  const list = useFeedList(search ?? '', () => auditList(search));
  const isEmpty = list.isWhole && list.rows.length === 0 && search === undefined;
  if (isEmpty)
    return (
      <Panel title={TITLE}>
        <p class="empty">Nothing was changed yet. Keys, limits, switches and modes leave their mark here.</p>
      </Panel>
    );
  return (
    <Panel title={TITLE}>
      <div class="search-line">
        <Field label="Search the audit">
          {(tied) => (
            <input
              {...tied}
              type="search"
              placeholder="who, what, or a value"
              value={typed}
              onInput={({ currentTarget }) => setTyped(currentTarget.value)}
            />
          )}
        </Field>
      </div>
      {!list.isBegun && list.refused === undefined ? (
        <div class="inside">
          <Unanswered refused={undefined} />
        </div>
      ) : (
        list.rows.length > 0 && <Table label="Audit" columns={COLUMNS} rows={list.rows} keyOf={({ id }) => id} />
      )}
      <ListEnd list={list} what="change" />
    </Panel>
  );
}

const TITLE = 'Who changed what';

const COLUMNS: readonly Column<Row>[] = [
  { title: 'Time', cell: ({ at }) => <When atMs={at} nowMs={Date.now()} /> },
  { title: 'Who', cell: ({ actor }) => actor },
  { title: 'What', cell: ({ setting }) => <strong>{spaced(setting)}</strong> },
  { title: 'Change', cell: ({ before, after }) => <span class="about">{changeWords(before, after)}</span> },
];

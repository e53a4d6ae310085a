// The audit: who changed what, from what to what.

import type { Result } from '../../server/answers.ts';
import type { AuditEntry } from '../../server/setup-answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { Panel } from '../../ui/panel.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Unanswered } from '../../ui/unanswered.tsx';
import { When } from '../../ui/when.tsx';
import { changeWords } from './change-words.ts';

const MOST = 100;

export function AuditPanel() {
  const { answer, refused } = useAnswer<Result<readonly AuditEntry[]>>(`/admin/audit?limit=${MOST}`);
  if (answer === undefined) return <Unanswered title="Who changed what" refused={refused} />;
  const rows = answer.result.map((entry, index) => ({ ...entry, id: `${entry.at} ${index}` }));
  return (
    <Panel title="Who changed what" aside={rows.length < MOST ? undefined : `the last ${MOST}`}>
      {rows.length === 0 ? (
        <p class="empty">Nothing was changed yet. Keys, limits, switches and modes leave their mark here.</p>
      ) : (
        <Table label="Audit" columns={COLUMNS} rows={rows} keyOf={({ id }) => id} />
      )}
    </Panel>
  );
}

const COLUMNS: readonly Column<AuditEntry & { readonly id: string }>[] = [
  { title: 'Time', cell: ({ at }) => <When atMs={at} nowMs={Date.now()} /> },
  { title: 'Who', cell: ({ actor }) => actor },
  { title: 'What', cell: ({ setting }) => <strong>{setting}</strong> },
  { title: 'Change', cell: ({ before, after }) => <span class="about">{changeWords(before, after)}</span> },
];

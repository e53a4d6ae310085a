// Every setting in force, with where it comes from; at first only those that are not as they came.

import { useState } from 'preact/hooks';
import type { Result } from '../../server/answers.ts';
import type { Setting } from '../../server/setup-answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { Field } from '../../ui/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Unanswered } from '../../ui/unanswered.tsx';

export function SettingsPanel() {
  const { answer, refused } = useAnswer<Result<readonly Setting[]>>('/admin/settings', 30_000);
  const [sought, setSought] = useState('');
  const [withDefaults, setWithDefaults] = useState(false);
  if (answer === undefined) return <Unanswered title="Settings in force" refused={refused} />;
  const rows = matching(answer.result, sought, withDefaults || sought.trim() !== '');
  const changed = answer.result.filter(({ source }) => source !== 'default').length;
  return (
    <Panel title="Settings in force" aside={`${changed} of ${answer.result.length} are not the default`}>
      <div class="search-line">
        <Field label="Search">
          {(tied) => (
            <input
              {...tied}
              type="search"
              value={sought}
              placeholder="a name, or what it is for"
              onInput={(event) => setSought(event.currentTarget.value)}
            />
          )}
        </Field>
        <label class="check">
          <input type="checkbox" checked={withDefaults} onChange={() => setWithDefaults(!withDefaults)} /> Show defaults
          too
        </label>
      </div>
      {rows.length === 0 ? (
        <p class="empty">{sought.trim() === '' ? 'Everything is as it came.' : 'No setting has these words.'}</p>
      ) : (
        <Table label="Settings in force" columns={COLUMNS} rows={rows} keyOf={({ name }) => name} />
      )}
    </Panel>
  );
}

function matching(settings: readonly Setting[], sought: string, withDefaults: boolean): readonly Setting[] {
  const words = sought
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return settings.filter(({ name, about, feature, source }) => {
    const text = `${name} ${about} ${feature}`.toLowerCase();
    return (withDefaults || source !== 'default') && words.every((word) => text.includes(word));
  });
}

const COLUMNS: readonly Column<Setting>[] = [
  { title: 'Setting', cell: ({ name }) => <code>{name}</code> },
  {
    title: 'Value',
    cell: ({ value }) => (value === '' ? <span class="quiet">not set</span> : <code class="value">{value}</code>),
  },
  { title: 'From', cell: ({ source }) => <span class={source === 'default' ? 'quiet' : undefined}>{source}</span> },
  {
    title: 'What it is for',
    isExtra: true,
    cell: ({ about }) => <span class="about">{about.replaceAll('`', '')}</span>,
  },
];

// Queries to open again: those of this browser, and examples.

import { useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { EXAMPLES, keepQueries, type SavedQuery, savedQueries, withQuery } from './saved-queries.ts';

export interface SavedPanelProps {
  /** What is written now, to be saved. */
  readonly sql: string;
  readonly onChoose: (sql: string) => void;
}

export function SavedPanel({ sql, onChoose }: SavedPanelProps) {
  const [saved, setSaved] = useState(() => savedQueries());
  const [name, setName] = useState('');
  const keep = (queries: readonly SavedQuery[]): void => {
    keepQueries(queries);
    setSaved(queries);
  };
  const save = (event: Event): void => {
    event.preventDefault();
    keep(withQuery(saved, { name: name.trim(), sql }));
    setName('');
  };
  return (
    <Panel title="Queries" aside="kept in this browser">
      <ul class="saved">
        {saved.map((query) => (
          <li key={query.name}>
            <Opens query={query} onChoose={onChoose} />
            <Button isSmall label={`Forget ${query.name}`} onClick={() => keep(saved.filter((each) => each !== query))}>
              Forget
            </Button>
          </li>
        ))}
        {EXAMPLES.map((query) => (
          <li key={query.name}>
            <Opens query={query} onChoose={onChoose} />
            <span class="quiet">example</span>
          </li>
        ))}
      </ul>
      <form class="save-line" onSubmit={save}>
        <Field label="Save as">
          {(tied) => <input {...tied} value={name} maxLength={60} onInput={(event) => setName(event.currentTarget.value)} />}
        </Field>
        <Button type="submit" disabled={name.trim() === '' || sql.trim() === ''}>
          Save
        </Button>
      </form>
    </Panel>
  );
}

const Opens = ({ query, onChoose }: { readonly query: SavedQuery; readonly onChoose: (sql: string) => void }) => (
  <button type="button" class="opens" onClick={() => onChoose(query.sql)}>
    {query.name}
  </button>
);

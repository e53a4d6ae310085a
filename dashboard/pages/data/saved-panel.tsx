// Queries to open again: those that are saved at the server for every browser, and examples.

import { useState } from 'preact/hooks';
import type { SavedName } from '../../server/layouts.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { RefusedWords } from '../../ui/refused.tsx';
import { DeleteQuestion } from '../saved/delete-question.tsx';
import { useSaveAs } from '../saved/use-save-as.ts';
import { readSaved, useSaved } from '../saved/use-saved.ts';
import { aboutOf, EXAMPLES, isQuery, moveKept, QUERIES } from './saved-queries.ts';

export interface SavedPanelProps {
  /** What is written now, to be saved. */
  readonly sql: string;
  readonly onChoose: (sql: string) => void;
}

export function SavedPanel({ sql, onChoose }: SavedPanelProps) {
  const { names, isBusy, error, run } = useSaved(QUERIES, moveKept);
  const [deleting, setDeleting] = useState<SavedName>();
  const content = sql.trim() === '' ? undefined : { sql };
  const { name, setName, canSave, verb, save } = useSaveAs({ store: QUERIES, content, aboutOf });
  const open = async (chosen: string): Promise<void> => onChoose((await readSaved(QUERIES, chosen, isQuery)).sql);
  return (
    <Panel title="Queries" aside="for all your browsers">
      <ul class="saved">
        {names?.map((each) => (
          <li key={each.name}>
            <Opens name={each.name} title={each.about} onOpen={() => run(() => open(each.name))} />
            <Button isSmall label={`Delete ${each.name}`} disabled={isBusy} onClick={() => setDeleting(each)}>
              Delete
            </Button>
          </li>
        ))}
        {EXAMPLES.map((query) => (
          <li key={query.name}>
            <Opens name={query.name} title={aboutOf(query)} onOpen={() => onChoose(query.sql)} />
            <span class="quiet">example</span>
          </li>
        ))}
      </ul>
      <form
        class="save-line"
        onSubmit={(event) => {
          event.preventDefault();
          run(save);
        }}
      >
        <Field label="Save as">
          {(tied) => (
            <input {...tied} value={name} maxLength={60} onInput={({ currentTarget }) => setName(currentTarget.value)} />
          )}
        </Field>
        <Button type="submit" disabled={isBusy || !canSave}>
          {verb}
        </Button>
      </form>
      <RefusedWords words={error} />
      {deleting && <DeleteQuestion store={QUERIES} saved={deleting} onClose={() => setDeleting(undefined)} />}
    </Panel>
  );
}

interface OpensProps {
  readonly name: string;
  /** The statement. */
  readonly title: string;
  readonly onOpen: () => void;
}

const Opens = ({ name, title, onOpen }: OpensProps) => (
  <button type="button" class="opens" title={title} onClick={onOpen}>
    {name}
  </button>
);

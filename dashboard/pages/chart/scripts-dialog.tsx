// A script for the chart: one of the examples, or a pasted one.

import { useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { EXAMPLES } from './examples.ts';
import './scripts-dialog.css';

interface ScriptsDialogProps {
  readonly onAdd: (name: string, source: string) => void;
  readonly onClose: () => void;
}

/** The title that a script gives itself. */
export const titleOf = (source: string): string =>
  /\b(?:indicator|strategy|study)\s*\(\s*(?:title\s*=\s*)?(["'])(.*?)\1/.exec(source)?.[2] || 'Script';

export function ScriptsDialog({ onAdd, onClose }: ScriptsDialogProps) {
  const [source, setSource] = useState('');
  const add = (name: string, text: string): void => {
    onAdd(name, text);
    onClose();
  };
  return (
    <Dialog title="Add an indicator" onClose={onClose}>
      <ul class="examples">
        {EXAMPLES.map((example) => (
          <li key={example.name}>
            <button type="button" onClick={async () => add(example.name, await example.source())}>
              <strong>{example.name}</strong>
              <span class="quiet">{example.words}</span>
            </button>
          </li>
        ))}
      </ul>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          add(titleOf(source), source);
        }}
      >
        <Field label="Or paste a Pine script">
          {(tied) => (
            <textarea
              {...tied}
              class="mono"
              rows={6}
              spellcheck={false}
              value={source}
              onInput={({ currentTarget }) => setSource(currentTarget.value)}
            />
          )}
        </Field>
        <div class="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="filled" type="submit" disabled={source.trim() === ''}>
            Add it
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

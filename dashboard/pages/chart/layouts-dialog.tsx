// Layouts under names: the market, the timeframe, the scripts and the heights of their panes.

import { useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { type ChartChoice, type Layout, rememberLayouts, storedLayouts, withLayout } from './chart-choice.ts';
import './layouts-dialog.css';

interface LayoutsDialogProps {
  readonly current: () => ChartChoice;
  readonly onOpen: (choice: ChartChoice) => void;
  readonly onClose: () => void;
}

const NO_ROOM = 'This browser has no room left for it. Delete a layout first.';

export function LayoutsDialog({ current, onOpen, onClose }: LayoutsDialogProps) {
  const [layouts, setLayouts] = useState(storedLayouts);
  const [name, setName] = useState('');
  const [error, setError] = useState<string>();
  const keep = (next: readonly Layout[]): void => {
    if (rememberLayouts(next)) setLayouts(next);
    setError(storedLayouts().length === next.length ? undefined : NO_ROOM);
  };
  return (
    <Dialog title="Layouts" onClose={onClose}>
      {layouts.length === 0 ? (
        <p class="quiet">None saved yet. A layout keeps the market, the timeframe, the indicators and the panes.</p>
      ) : (
        <ul class="layouts">
          {layouts.map((layout) => (
            <li key={layout.name}>
              <button
                type="button"
                onClick={() => {
                  const { name: _, ...choice } = layout;
                  onOpen(choice);
                  onClose();
                }}
              >
                <strong>{layout.name}</strong>
                <span class="quiet">
                  {layout.symbol} {layout.timeframe}
                  {layout.scripts.map((script) => ` · ${script.name}`)}
                </span>
              </button>
              <Button
                isSmall
                label={`Delete ${layout.name}`}
                onClick={() => keep(layouts.filter((other) => other !== layout))}
              >
                Delete
              </Button>
            </li>
          ))}
        </ul>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          keep(withLayout(layouts, name.trim(), current()));
          setName('');
        }}
      >
        <Field label="Save this chart as" error={error}>
          {(tied) => (
            <input
              {...tied}
              value={name}
              maxLength={60}
              onInput={({ currentTarget }) => setName(currentTarget.value)}
            />
          )}
        </Field>
        <div class="actions">
          <Button onClick={onClose}>Close</Button>
          <Button kind="filled" type="submit" disabled={name.trim() === ''}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

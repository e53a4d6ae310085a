// The tables a statement may name, each with its columns.

import type { QueryTable } from '../../server/setup-answers.ts';
import { Button } from '../../ui/button.tsx';
import { Panel } from '../../ui/panel.tsx';

export interface TablesPanelProps {
  readonly tables: readonly QueryTable[];
  readonly onChoose: (name: string) => void;
}

export const TablesPanel = ({ tables, onChoose }: TablesPanelProps) => (
  <Panel title="Tables">
    <ul class="tables">
      {tables.map(({ name, columns, isWritable }) => (
        <li key={name}>
          <details>
            <summary>
              <code>{name}</code> <span class="quiet">{columns.length} columns</span>
            </summary>
            <p class="columns mono">{columns.join(' ')}</p>
            {isWritable && <p class="quiet">May be written.</p>}
            <Button isSmall label={`Look into ${name}`} onClick={() => onChoose(name)}>
              Look into it
            </Button>
          </details>
        </li>
      ))}
    </ul>
  </Panel>
);

// The list of scripts: searched by name, in folders, each with what is not saved of it.

import { useState } from 'preact/hooks';
import { DRAFT_ID, type ScriptSummary } from '../../server/script-library.ts';
import { Chip } from '../../ui/chip.tsx';
import { linkTo } from '../../ui/places.ts';
import { isUnsaved } from '../script/unsaved.ts';
import { ForgetKey } from '../script-key/script-key-gate.tsx';
import { inFolders, shortNameOf } from './folders.ts';

export interface ScriptListProps {
  readonly scripts: readonly ScriptSummary[];
  readonly current: string | undefined;
}

export function ScriptList({ scripts, current }: ScriptListProps) {
  const [search, setSearch] = useState('');
  const folders = inFolders(scripts, search);
  return (
    <nav class="script-list" aria-label="Scripts">
      <div class="head">
        <input
          type="search"
          aria-label="Search scripts"
          placeholder="Search scripts"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
        <a class="button" href={linkTo('library', DRAFT_ID)} aria-current={current === DRAFT_ID ? 'page' : undefined}>
          New script
        </a>
      </div>
      <div class="folders">
        {folders.map(({ name, scripts: inside }) =>
          name === '' ? (
            <Rows key="" scripts={inside} current={current} />
          ) : (
            <details key={name} open>
              <summary>{name}</summary>
              <Rows scripts={inside} current={current} />
            </details>
          ),
        )}
        {scripts.length > 0 && folders.length === 0 && <p class="quiet none">No script has this in its name.</p>}
      </div>
      <ForgetKey />
    </nav>
  );
}

const Rows = ({ scripts, current }: ScriptListProps) => (
  <ul>
    {scripts.map(({ id, name, revision }) => (
      <li key={id}>
        <a href={linkTo('library', id)} aria-current={id === current ? 'page' : undefined} title={name}>
          <span class="name">{shortNameOf(name)}</span>
          {isUnsaved(id) ? <Chip tone="warn">unsaved</Chip> : <span class="quiet">v{revision}</span>}
        </a>
      </li>
    ))}
  </ul>
);

// One script in the editor: saved over the revision it was read with, and kept in this browser until then.

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { PineEditor } from '../../editor/pine-editor.tsx';
import { useImportedLibraries } from '../../server/imported-libraries.ts';
import type { ScriptLibrary } from '../../server/script-library.ts';
import { Button } from '../../ui/button.tsx';
import { linkTo } from '../../ui/places.ts';
import { useObservable } from '../../ui/use-observable.ts';
import { Conflict } from '../script/conflict.tsx';
import { OpenScript } from '../script/open-script.ts';
import { DangerQuestion, NameQuestion } from '../script/questions.tsx';
import { useCatchUp } from '../script/use-catch-up.ts';

export interface ScriptEditorProps {
  readonly library: ScriptLibrary;
  readonly scriptKey: string;
  readonly id: string;
  /** The newest revision that the list knows. */
  readonly latest: number | undefined;
}

export function ScriptEditor({ library, scriptKey, id, latest }: ScriptEditorProps) {
  const open = useObservable((onChange) => new OpenScript(library, id, { onChange, onGone: toLibrary }));
  useEffect(() => void open.read(), [open]);
  useCatchUp(open, latest);
  const { script, text, conflict, note } = open;
  const libraries = useImportedLibraries(text, scriptKey);
  if (script === undefined)
    return note === undefined ? null : (
      <p role="alert">
        {note} <a href={linkTo('library')}>Show all scripts</a>
      </p>
    );
  if (conflict !== undefined)
    return (
      <Conflict
        {...{ mine: text, theirs: conflict.theirs, onBack: () => open.goOn() }}
        onKeepMine={() => void open.keepMine()}
        onTakeTheirs={() => open.takeTheirs()}
      />
    );
  const isOld = latest !== undefined && latest > script.revision;
  return (
    <section class="editing" aria-label={script.name}>
      <Head open={open} note={note}>
        {isOld && !open.isSaving && (
          <span role="alert" class="warned">
            Revision {latest} was saved elsewhere.{' '}
            <Button isSmall onClick={() => void open.compare()}>
              Compare
            </Button>
          </span>
        )}
      </Head>
      <PineEditor
        {...{ label: script.name, source: text, libraries, onSave: () => void open.save() }}
        onChange={(written) => open.change(written)}
      />
    </section>
  );
}

const toLibrary = (): void => {
  location.hash = linkTo('library');
};

interface HeadProps {
  readonly open: OpenScript;
  readonly note: string | undefined;
  readonly children: ComponentChildren;
}

function Head({ open, note, children }: HeadProps) {
  const [asked, setAsked] = useState<'name' | 'delete'>();
  const script = open.script!;
  const { id, name, revision } = script;
  const close = (): void => setAsked(undefined);
  return (
    <header>
      <a class="back" href={linkTo('library')}>
        ← Scripts
      </a>
      <h2>{name}</h2>
      <span role="status" class={open.isDirty ? 'warned' : 'quiet'}>
        {note ?? (open.isDirty ? `Not saved yet (revision ${revision} is)` : `Saved as revision ${revision}`)}
      </span>
      {children}
      <div class="actions">
        <a class="button" href={`${linkTo('chart')}?${new URLSearchParams({ script: id })}`}>
          On the chart
        </a>
        <Button onClick={() => setAsked('name')}>Rename…</Button>
        <a class="button" href={linkTo('library', id, 'versions')}>
          Versions
        </a>
        <Button kind="danger" onClick={() => setAsked('delete')}>
          Delete…
        </Button>
        <Button kind="filled" disabled={!open.isDirty || open.isSaving} onClick={() => void open.save()}>
          Save
        </Button>
      </div>
      {asked === 'name' && (
        <NameQuestion
          {...{ title: 'Rename the script', action: 'Rename', name, onName: (wanted) => open.rename(wanted) }}
          onClose={close}
        />
      )}
      {asked === 'delete' && (
        <DangerQuestion
          title={`Delete ${name}?`}
          words="The script goes with all its versions. Deployments of it go on: each has a copy of its own."
          {...{ keep: 'Keep it', action: 'Delete it', onDo: () => open.remove() }}
          onClose={close}
        />
      )}
    </header>
  );
}

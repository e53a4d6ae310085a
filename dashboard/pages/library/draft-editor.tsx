// The draft in the editor: what is being written and has no name yet. It becomes a script when it gets one.

import { useEffect, useState } from 'preact/hooks';
import { PineEditor } from '../../editor/pine-editor.tsx';
import { useImportedLibraries } from '../../server/imported-libraries.ts';
import { DRAFT_ID, type ScriptLibrary } from '../../server/script-library.ts';
import { refreshAnswers } from '../../server/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { linkTo } from '../../ui/places.ts';
import { Unanswered } from '../../ui/unanswered.tsx';
import { useObservable } from '../../ui/use-observable.ts';
import { Conflict } from '../script/conflict.tsx';
import { CreateOnce } from '../script/create-once.ts';
import { NameQuestion } from '../script/questions.tsx';
import { titleOf } from '../script/script-text.ts';
import { OpenDraft } from './open-draft.ts';

export interface DraftEditorProps {
  readonly library: ScriptLibrary;
  readonly scriptKey: string;
}

export function DraftEditor({ library, scriptKey }: DraftEditorProps) {
  const draft = useObservable((onChange) => new OpenDraft(library, onChange));
  const [creation] = useState(() => new CreateOnce(DRAFT_ID));
  const [isNaming, setNaming] = useState(false);
  useEffect(() => {
    void draft.read();
    return () => draft.leave();
  }, [draft]);
  const { text = '', conflict, note } = draft;
  const libraries = useImportedLibraries(text, scriptKey);
  if (draft.text === undefined) return <Unanswered refused={note === undefined ? undefined : { message: note }} />;
  if (conflict !== undefined)
    return (
      <Conflict
        {...{ mine: text, theirs: conflict, isDraft: true, onKeepMine: () => void draft.keepMine() }}
        onTakeTheirs={() => draft.takeTheirs()}
        onBack={() => draft.goOn()}
      />
    );
  const create = async (name: string): Promise<void> => {
    const { id } = await creation.create(library, name, text);
    await draft.clear();
    refreshAnswers();
    location.hash = linkTo('library', id);
  };
  return (
    <section class="editing" aria-label="New script">
      <header>
        <a class="back" href={linkTo('library')}>
          ← Scripts
        </a>
        <h2>New script</h2>
        <span role="status" class="quiet">
          {note ?? ''}
        </span>
        <div class="actions">
          <Button kind="filled" onClick={() => setNaming(true)}>
            Save…
          </Button>
        </div>
      </header>
      <PineEditor
        {...{ label: 'New script', source: text, libraries, onSave: () => setNaming(true) }}
        onChange={(written) => draft.change(written)}
      />
      {isNaming && (
        <NameQuestion
          {...{ title: 'Save as a script', action: 'Save', name: titleOf(text) ?? '', onName: create }}
          onClose={() => setNaming(false)}
        />
      )}
    </section>
  );
}

// What is saved of charts under names, kept by the server for every browser: opens one, deletes one, or saves this chart as one.

import { useState } from 'preact/hooks';
import type { SavedLayouts, SavedName } from '../../server/layouts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { DeleteQuestion } from '../saved/delete-question.tsx';
import { useSaveAs } from '../saved/use-save-as.ts';
import { readSaved, type Saved, useSaved } from '../saved/use-saved.ts';
import './saved-dialog.css';

interface SavedDialogProps<Content extends object> {
  readonly title: string;
  readonly store: SavedLayouts<Content>;
  /** While there is none. */
  readonly emptyWords: string;
  readonly saveLabel: string;
  readonly hint?: string;
  /** What would be saved now; undefined where there is nothing to save. */
  readonly current: () => Content | undefined;
  readonly aboutOf: (content: Content) => string;
  readonly isContent: (content: unknown) => content is Content;
  /** Done before anything else, whenever it is opened. */
  readonly prepare?: () => Promise<void>;
  readonly onOpen: (content: Content) => void;
  readonly onClose: () => void;
}

export function SavedDialog<Content extends object>(props: SavedDialogProps<Content>) {
  const { title, store, emptyWords, isContent, prepare, onOpen, onClose } = props;
  const saved = useSaved(store, prepare);
  const { names, isBusy, run } = saved;
  const [deleting, setDeleting] = useState<SavedName>();
  const open = async (name: string): Promise<void> => {
    onOpen(await readSaved(store, name, isContent));
    onClose();
  };
  return (
    <>
      <Dialog title={title} onClose={onClose}>
        {names?.length === 0 && <p class="quiet">{emptyWords}</p>}
        <ul class="saved-names">
          {names?.map((each) => (
            <SavedRow
              key={each.name}
              {...{ saved: each, isBusy }}
              onOpen={() => run(() => open(each.name))}
              onDelete={() => setDeleting(each)}
            />
          ))}
        </ul>
        <SaveForm {...props} saved={saved} />
      </Dialog>
      {deleting && <DeleteQuestion store={store} saved={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  );
}

function SaveForm<Content extends object>(props: SavedDialogProps<Content> & { readonly saved: Saved }) {
  const { store, saveLabel, hint, current, aboutOf, onClose, saved } = props;
  const { isBusy, error, run } = saved;
  const { name, setName, canSave, verb, save } = useSaveAs({ store, content: current(), aboutOf });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        run(save);
      }}
    >
      <Field label={saveLabel} hint={hint} error={error}>
        {(tied) => (
          <input {...tied} value={name} maxLength={60} onInput={({ currentTarget }) => setName(currentTarget.value)} />
        )}
      </Field>
      <div class="actions">
        <Button onClick={onClose}>Close</Button>
        <Button kind="filled" type="submit" disabled={isBusy || !canSave}>
          {verb}
        </Button>
      </div>
    </form>
  );
}

interface SavedRowProps {
  readonly saved: SavedName;
  readonly isBusy: boolean;
  readonly onOpen: () => void;
  readonly onDelete: () => void;
}

const SavedRow = ({ saved: { name, about }, isBusy, onOpen, onDelete }: SavedRowProps) => (
  <li>
    <button type="button" disabled={isBusy} onClick={onOpen}>
      <strong>{name}</strong>
      <span class="quiet">{about}</span>
    </button>
    <Button isSmall label={`Delete ${name}`} disabled={isBusy} onClick={onDelete}>
      Delete
    </Button>
  </li>
);

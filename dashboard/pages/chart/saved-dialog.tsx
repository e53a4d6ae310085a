// What is saved of charts under names, kept by the server for every browser: opens one, deletes one, or saves this chart as one.

import { useEffect, useState } from 'preact/hooks';
import type { Result } from '../../server/answers.ts';
import { type SavedLayouts, SavedMeanwhile, type SavedName } from '../../server/layouts.ts';
import { refreshAnswers, useAnswer } from '../../server/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { useAction } from '../../ui/use-action.ts';
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
  const { answer, refused: notListed } = useAnswer<Result<readonly SavedName[]>>(store.listPath);
  const { isBusy, refused, run } = useAction(async (work: () => Promise<void>) => {
    try {
      await work();
    } finally {
      refreshAnswers(store.listPath);
    }
  });
  useEffect(() => void (prepare && run(prepare)), []);
  const saved = answer?.result ?? [];
  const open = async (chosen: SavedName): Promise<void> => {
    const content: unknown = await store.read(chosen.name);
    if (!isContent(content)) throw new Error(`${chosen.name} was saved by another version and cannot be shown here.`);
    onOpen(content);
    onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {answer !== undefined && saved.length === 0 && <p class="quiet">{emptyWords}</p>}
      <ul class="saved-names">
        {saved.map((each) => (
          <SavedRow
            key={each.name}
            {...{ saved: each, isBusy }}
            onOpen={() => void run(() => open(each))}
            onDelete={() => void run(() => store.remove(each))}
          />
        ))}
      </ul>
      <SaveForm {...props} {...{ isBusy, error: refused ?? notListed?.message }} run={(work) => void run(work)} />
    </Dialog>
  );
}

interface SaveFormProps<Content extends object> extends SavedDialogProps<Content> {
  readonly isBusy: boolean;
  readonly error: string | undefined;
  readonly run: (work: () => Promise<void>) => void;
}

function SaveForm<Content extends object>(props: SaveFormProps<Content>) {
  const { store, saveLabel, hint, current, aboutOf, onClose, isBusy, error, run } = props;
  const [name, setName] = useState('');
  /** What would be replaced without having been opened: only after it was asked. */
  const [taken, setTaken] = useState<SavedMeanwhile>();
  const content = current();
  const wanted = name.trim();
  const replaced = taken?.savedName === wanted ? taken.revision : undefined;
  const save = async (): Promise<void> => {
    if (content === undefined) return;
    setTaken(undefined);
    try {
      await store.save({ name: wanted, about: aboutOf(content), content }, replaced);
    } catch (error) {
      if (error instanceof SavedMeanwhile) setTaken(error);
      throw error;
    }
    setName('');
  };
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
        <Button kind="filled" type="submit" disabled={isBusy || wanted === '' || content === undefined}>
          {(replaced ?? 0) > 0 ? 'Replace' : 'Save'}
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

// The code of a script that is on this chart alone. What is written stays in this browser; it becomes a script of the library
// when it is saved under a name.

import { useRef, useState } from 'preact/hooks';
import { ScriptLibrary } from '../../../server/script-library.ts';
import { refreshAnswers } from '../../../server/use-answer.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { CreateOnce } from '../../script/create-once.ts';
import { NameQuestion } from '../../script/questions.tsx';
import { titleOf } from '../../script/script-text.ts';
import { keepUnsaved, NOT_KEPT } from '../../script/unsaved.ts';
import { AskForKey } from '../../script-key/script-key-gate.tsx';
import { CodeHead, type CodeProps, CodeText } from './code-view.tsx';
import { usePause } from './use-pause.ts';

export function LooseCode(props: CodeProps) {
  const { script, scriptKey, isDeploying, onEdit, onDeploy } = props;
  const [text, setText] = useState(script.source);
  const [note, setNote] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  const [creation] = useState(() => new CreateOnce(script.id));
  const isSaved = useRef(false);
  const run = usePause((source) => onEdit(asLoose(source, script.name)));
  const write = (written: string): void => {
    setText(written);
    setNote(keepUnsaved(script.id, { content: written, revision: 0 }) ? undefined : NOT_KEPT);
    run(written);
  };
  const create = async (name: string): Promise<void> => {
    const { id } = await creation.create(new ScriptLibrary(scriptKey ?? ''), name, text);
    keepUnsaved(script.id, undefined);
    refreshAnswers();
    isSaved.current = true;
    onEdit({ name, source: text, storedId: id });
  };
  const close = (): void => {
    setSaving(false);
    if (!isSaved.current) onDeploy(false);
  };
  return (
    <>
      <CodeHead
        {...{ code: props, canSave: true, onSave: () => setSaving(true), onDeploy: () => onDeploy(true) }}
        note={note}
        status={
          <span class="quiet" title="On this chart only; Save puts it into the library">
            not saved
          </span>
        }
      />
      <CodeText {...{ code: props, text, onWrite: write, onSave: () => setSaving(true) }} />
      {(isSaving || isDeploying) && scriptKey === undefined && <KeyQuestion onClose={close} />}
      {(isSaving || isDeploying) && scriptKey !== undefined && (
        <NameQuestion
          title={isDeploying ? 'Save it before it is deployed' : 'Save to the library'}
          {...{ action: 'Save', name: titleOf(text) ?? script.name, onName: create }}
          onClose={close}
        />
      )}
    </>
  );
}

/** What is written here is a text of its own, also where the script came from the library. */
const asLoose = (source: string, name: string) => ({ source, name: titleOf(source) ?? name, storedId: undefined });

const KeyQuestion = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog title="Your script key" onClose={onClose}>
    <div class="key-question">
      <AskForKey what="your scripts" />
    </div>
  </Dialog>
);

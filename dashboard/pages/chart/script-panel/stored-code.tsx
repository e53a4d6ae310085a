// The code of a script of the library: saved as a new version over the revision that was read, with both texts shown where
// somebody else was faster.

import { useEffect } from 'preact/hooks';
import { SCRIPTS, ScriptLibrary, type ScriptSummary } from '../../../server/script-library.ts';
import { useAnswer } from '../../../server/use-answer.ts';
import { Button } from '../../../ui/button.tsx';
import { linkTo } from '../../../ui/places.ts';
import { useObservable } from '../../../ui/use-observable.ts';
import { Conflict } from '../../script/conflict.tsx';
import { OpenScript } from '../../script/open-script.ts';
import { useCatchUp } from '../../script/use-catch-up.ts';
import { CloseButton, CodeHead, type CodeProps, CodeText } from './code-view.tsx';
import { usePause } from './use-pause.ts';

export interface StoredCodeProps extends CodeProps {
  readonly scriptKey: string;
  readonly storedId: string;
}

export function StoredCode(props: StoredCodeProps) {
  const { scriptKey, storedId, script, onEdit, onDeploy } = props;
  const open = useObservable(
    (onChange) =>
      new OpenScript(new ScriptLibrary(scriptKey), storedId, {
        ...{ onChange, onGone: () => onEdit({ storedId: undefined }) },
      }),
  );
  /** The chart shows what the editor holds, once it is certain which text that is. */
  const show = (): void => {
    if (open.script === undefined || open.conflict !== undefined) return;
    const { name } = open.script;
    if (open.text !== script.source || name !== script.name) onEdit({ source: open.text, name });
  };
  const run = usePause((source) => onEdit({ source }));
  useEffect(() => void open.read().then(show), [open]);
  const write = (text: string): void => {
    open.change(text);
    run(text);
  };
  const deploy = async (): Promise<void> => {
    if (open.isDirty) await open.save();
    if (!open.isDirty) onDeploy(true);
  };
  if (open.script === undefined) return <NotRead {...props} open={open} onTry={() => void open.read().then(show)} />;
  if (open.conflict !== undefined)
    return (
      <div class="conflict-place">
        <Conflict
          {...{ mine: open.text, theirs: open.conflict.theirs }}
          onBack={() => {
            open.goOn();
            show();
          }}
          onKeepMine={() => void open.keepMine().then(show)}
          onTakeTheirs={() => {
            open.takeTheirs();
            // In the place of what was written last and has not run yet.
            if (open.script !== undefined) run(open.text);
            show();
          }}
        />
      </div>
    );
  return (
    <>
      <CodeHead
        {...{ code: props, canSave: open.isDirty && !open.isSaving, onSave: () => void open.save() }}
        note={open.note}
        status={<Status open={open} storedId={storedId} />}
        onDeploy={() => void deploy()}
      />
      <SavedElsewhere open={open} scriptKey={scriptKey} storedId={storedId} />
      <CodeText {...{ code: props, text: open.text, onWrite: write, onSave: () => void open.save() }} />
    </>
  );
}

interface OpenedProps {
  readonly open: OpenScript;
  readonly storedId: string;
}

function Status({ open, storedId }: OpenedProps) {
  const { revision } = open.script!;
  return (
    <a class={open.isDirty ? 'warned' : 'quiet'} href={linkTo('library', storedId, 'versions')}>
      v{revision} · {open.isDirty ? 'changed' : 'saved'}
    </a>
  );
}

function SavedElsewhere({ open, scriptKey, storedId }: OpenedProps & { readonly scriptKey: string }) {
  const { answer } = useAnswer<{ scripts: readonly ScriptSummary[] }>(SCRIPTS, 10_000, scriptKey);
  const latest = answer?.scripts.find(({ id }) => id === storedId)?.revision ?? 0;
  useCatchUp(open, latest);
  if (latest <= open.script!.revision || open.isSaving) return null;
  return (
    <p role="alert" class="told">
      Revision {latest} was saved elsewhere.{' '}
      <Button isSmall onClick={() => void open.compare()}>
        Compare
      </Button>
    </p>
  );
}

interface NotReadProps extends CodeProps {
  readonly open: OpenScript;
  readonly onTry: () => void;
}

/** The chart has a copy, which can be worked on whatever became of the script. */
const NotRead = ({ open, chooser, onTry, onEdit, onClose }: NotReadProps) => (
  <>
    <header>
      {chooser}
      <div class="actions">
        <CloseButton onClose={onClose} />
      </div>
    </header>
    {open.note !== undefined && (
      <div class="not-read" role="alert">
        <p>{open.note}</p>
        <Button onClick={onTry}>Try again</Button>
        <Button onClick={() => onEdit({ storedId: undefined })}>Go on with the copy on this chart</Button>
      </div>
    )}
  </>
);

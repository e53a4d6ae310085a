// A script for the chart: a new one, one of the library, one of the examples, or a pasted one.

import { useState } from 'preact/hooks';
import type { Refused } from '../../server/ask.ts';
import { useScriptKey } from '../../server/script-key.ts';
import { SCRIPTS, ScriptLibrary, type ScriptSummary } from '../../server/script-library.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { RefusedWords } from '../../ui/refused.tsx';
import { useAction } from '../../ui/use-action.ts';
import { BEGINNING, titleOf } from '../script/script-text.ts';
import type { NewScript } from './chart-choice.ts';
import { EXAMPLES, type Example } from './examples.ts';
import './scripts-dialog.css';

interface ScriptsDialogProps {
  readonly onAdd: (script: NewScript, isOpened?: boolean) => void;
  readonly onClose: () => void;
}

export function ScriptsDialog({ onAdd, onClose }: ScriptsDialogProps) {
  const [source, setSource] = useState('');
  const key = useScriptKey();
  const example = useAction(async ({ name, source: load }: Example) => add({ name, source: await loaded(load) }));
  const add: ScriptsDialogProps['onAdd'] = (...added) => {
    onAdd(...added);
    onClose();
  };
  return (
    <Dialog title="Add an indicator" onClose={onClose}>
      <Button onClick={() => add({ name: 'My script', source: BEGINNING }, true)}>New script</Button>
      {key !== undefined && <OwnScripts scriptKey={key} onAdd={add} />}
      <h3 class="list-title">Examples</h3>
      <RefusedWords words={example.refused} />
      <ul class="examples">
        {EXAMPLES.map((each) => (
          <li key={each.name}>
            <button type="button" onClick={() => void example.run(each)}>
              <strong>{each.name}</strong>
              <span class="quiet">{each.words}</span>
            </button>
          </li>
        ))}
      </ul>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          add({ name: titleOf(source) ?? 'Script', source });
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

/** A server that was built anew no longer has the files of the page before. */
async function loaded(load: Example['source']): Promise<string> {
  try {
    return await load();
  } catch {
    throw new Error('The example could not be loaded. Load the page again.');
  }
}

interface OwnScriptsProps {
  readonly scriptKey: string;
  readonly onAdd: (script: NewScript) => void;
}

/** Those of the library, where there are some. */
function OwnScripts({ scriptKey, onAdd }: OwnScriptsProps) {
  const { answer } = useAnswer<{ scripts: readonly ScriptSummary[] }>(SCRIPTS, 10_000, scriptKey);
  const [refused, setRefused] = useState<string>();
  if (answer === undefined || answer.scripts.length === 0) return null;
  const add = async (storedId: string): Promise<void> => {
    try {
      const { name, content } = await new ScriptLibrary(scriptKey).read(storedId);
      onAdd({ name, source: content, storedId });
    } catch (error) {
      setRefused((error as Refused).message);
    }
  };
  return (
    <>
      <h3 class="list-title">Your scripts</h3>
      <RefusedWords words={refused} />
      <ul class="own-scripts">
        {answer.scripts.map(({ id, name, revision }) => (
          <li key={id}>
            <button type="button" onClick={() => void add(id)}>
              <strong>{name}</strong> <span class="quiet">v{revision}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

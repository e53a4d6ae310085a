// The code of a script beside the chart: what it is and whether it is saved, the editor, and how its last run went.

import type { ComponentChildren } from 'preact';
import type { RunFault } from '../../../editor/language-help.ts';
import { PineEditor } from '../../../editor/pine-editor.tsx';
import type { CheckedScript } from '../../../engine/language.ts';
import type { ScriptState } from '../../../engine/script-run.ts';
import { useImportedLibraries } from '../../../server/imported-libraries.ts';
import { Button } from '../../../ui/button.tsx';
import { plain } from '../../../ui/numbers.ts';
import type { ChosenScript } from '../chart-choice.ts';
import type { ScriptChange } from '../chart-scripts.ts';
import { troubleOf } from '../trouble.ts';

/** What the code of every script is given, of the library or not. */
export interface CodeProps {
  readonly script: ChosenScript;
  readonly state: ScriptState | undefined;
  readonly scriptKey: string | undefined;
  /** Chooses another script. */
  readonly chooser: ComponentChildren;
  readonly isDeploying: boolean;
  readonly onEdit: (change: ScriptChange) => void;
  readonly onChecked: (checked: CheckedScript) => void;
  readonly onDeploy: (isWanted: boolean) => void;
  readonly onClose: () => void;
}

interface CodeHeadProps {
  readonly code: CodeProps;
  readonly status: ComponentChildren;
  /** Why it was not saved or kept. */
  readonly note: string | undefined;
  readonly canSave: boolean;
  readonly onSave: () => void;
  readonly onDeploy: () => void;
}

export const CodeHead = ({ code: { chooser, onClose }, status, note, canSave, onSave, onDeploy }: CodeHeadProps) => (
  <>
    <header>
      {chooser}
      <span role="status" class="saved">
        {status}
      </span>
      <div class="actions">
        <Button isSmall disabled={!canSave} title="Ctrl S or ⌘S in the code" onClick={onSave}>
          Save
        </Button>
        <Button isSmall kind="filled" onClick={onDeploy}>
          Deploy…
        </Button>
        <CloseButton onClose={onClose} />
      </div>
    </header>
    {note !== undefined && (
      <p role="alert" class="told">
        {note}
      </p>
    )}
  </>
);

export const CloseButton = ({ onClose }: { readonly onClose: () => void }) => (
  <Button isSmall label="Close the script panel" title="Ctrl B or ⌘B" onClick={onClose}>
    ×
  </Button>
);

interface CodeTextProps {
  readonly code: CodeProps;
  readonly text: string;
  readonly onWrite: (text: string) => void;
  readonly onSave: () => void;
}

export function CodeText({ code, text, onWrite, onSave }: CodeTextProps) {
  const { script, state, scriptKey, onChecked } = code;
  const libraries = useImportedLibraries(text, scriptKey);
  return (
    <>
      <PineEditor
        {...{ label: `Code of ${script.name}`, source: text, libraries, onSave, onChecked, fault: faultOf(state) }}
        onChange={onWrite}
      />
      <RunLine state={state} />
    </>
  );
}

/** An error while it ran has a place; one of the engine itself has none. */
const faultOf = (state: ScriptState | undefined): RunFault | undefined =>
  state?.status === 'failed' && state.line !== undefined ? { line: state.line, message: state.message } : undefined;

/** The legend over the chart says it to who cannot see. */
function RunLine({ state }: { readonly state: ScriptState | undefined }) {
  const trouble = state && troubleOf(state);
  if (trouble !== undefined) return <p class="run-line down">{capitalised(trouble)}</p>;
  if (state?.status !== 'ready') return <p class="run-line quiet">Running…</p>;
  const warning = state.findings.find(({ severity }) => severity === 'warning');
  return (
    <p class="run-line quiet">
      Ran over {plain(state.result.count)} bars{warning === undefined ? '' : `. ${warning.message}`}
    </p>
  );
}

const capitalised = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

// The script beside the chart: its code, which runs as it is written, and its inputs.

import { useId, useState } from 'preact/hooks';
import type { BarColumns } from '../../../../src/pine/light.ts';
import { type InputValues, valuesOf } from '../../../editor/input-fields.ts';
import { InputsPanel } from '../../../editor/inputs-panel.tsx';
import type { CheckedScript } from '../../../engine/language.ts';
import type { ScriptState } from '../../../engine/script-run.ts';
import { useScriptKey } from '../../../server/script-key.ts';
import { Button } from '../../../ui/button.tsx';
import { plain } from '../../../ui/numbers.ts';
import { Separator } from '../../../ui/separator.tsx';
import { Tabs, tabId } from '../../../ui/tabs.tsx';
import { words } from '../../../ui/words.ts';
import { DeployDialog } from '../../deployments/deploy-dialog.tsx';
import type { ChartChoice, ChosenScript } from '../chart-choice.ts';
import type { ScriptChange } from '../chart-scripts.ts';
import { CloseButton, type CodeProps } from './code-view.tsx';
import { LooseCode } from './loose-code.tsx';
import { INPUTS_PX } from './panel-room.ts';
import { ScriptLog, type ScriptLogProps } from './script-log.tsx';
import './script-panel.css';
import { StoredCode } from './stored-code.tsx';

export interface ScriptPanelProps {
  readonly choice: ChartChoice;
  /** Undefined where the chart has none. */
  readonly script: ChosenScript | undefined;
  readonly state: ScriptState | undefined;
  /** When each bar of the chart began. */
  readonly bars: BarColumns | undefined;
  readonly widthPx: number;
  readonly inputsPx: number;
  readonly onInputsPx: (height: number) => void;
  readonly onOpen: (id: string) => void;
  readonly onEdit: (id: string, change: ScriptChange) => void;
  readonly onNew: () => void;
  readonly onIndicators: () => void;
  readonly onClose: () => void;
}

export function ScriptPanel(props: ScriptPanelProps) {
  const { script, widthPx } = props;
  const [isFolded, setFolded] = useState(false);
  return (
    <section
      class={words('script-panel', isFolded && 'folded')}
      aria-label="Script"
      ref={(element) => element?.style.setProperty('--panel-width', `${widthPx}px`)}
    >
      {/* Shown on a phone alone, where the panel lies over the chart. */}
      <button type="button" class="fold" aria-expanded={!isFolded} onClick={() => setFolded(!isFolded)}>
        {isFolded ? 'Show the code' : 'Show the chart'}
      </button>
      {script === undefined ? <NoScript {...props} /> : <OpenedScript key={script.id} {...props} script={script} />}
    </section>
  );
}

const NoScript = ({ onNew, onIndicators, onClose }: ScriptPanelProps) => (
  <>
    <header>
      <h2>Script</h2>
      <div class="actions">
        <CloseButton onClose={onClose} />
      </div>
    </header>
    <div class="no-script">
      <p>There is no script on this chart yet. One that you write here runs on the chart as you write it.</p>
      <Button kind="filled" onClick={onNew}>
        New script
      </Button>
      <Button onClick={onIndicators}>Choose one…</Button>
    </div>
  </>
);

type OpenedScriptProps = ScriptPanelProps & { readonly script: ChosenScript };

const NO_INPUTS: InputValues = {};

function OpenedScript(props: OpenedScriptProps) {
  const { choice, script, state, bars, inputsPx, onInputsPx, onEdit, onClose } = props;
  const scriptKey = useScriptKey();
  const [isDeploying, setDeploying] = useState(false);
  const [known, setKnown] = useState<CheckedScript['script']>();
  const { storedId, inputs = NO_INPUTS } = script;
  const code: CodeProps = {
    ...{ script, state, scriptKey, isDeploying, onClose, onDeploy: setDeploying },
    chooser: <Chooser {...props} />,
    onEdit: (change) => onEdit(script.id, change),
    // While it has errors, those that it had are the best guess.
    onChecked: (checked) => checked.script !== undefined && setKnown(checked.script),
  };
  const isStored = storedId !== undefined && scriptKey !== undefined;
  return (
    <>
      <div class="script-code">
        {isStored ? (
          <StoredCode key={`${scriptKey} ${storedId}`} {...code} scriptKey={scriptKey} storedId={storedId} />
        ) : (
          <LooseCode {...code} />
        )}
      </div>
      <Separator
        {...{ label: 'Height of the inputs', orientation: 'horizontal', value: inputsPx, ...INPUTS_PX }}
        onChange={onInputsPx}
      />
      <BelowCode
        {...{ known, inputs, inputsPx, bars }}
        result={state?.status === 'ready' ? state.result : undefined}
        onInputs={(values) => onEdit(script.id, { inputs: values })}
      />
      {isDeploying && isStored && (
        <DeployDialog
          scriptKey={scriptKey}
          plan={{
            ...{ scriptId: storedId, symbol: choice.symbol, interval: choice.timeframe },
            inputs: known === undefined ? inputs : valuesOf(known.inputs, inputs),
          }}
          onClose={() => setDeploying(false)}
        />
      )}
    </>
  );
}

interface BelowCodeProps extends ScriptLogProps {
  /** Undefined until the script has had no errors. */
  readonly known: CheckedScript['script'];
  readonly inputs: InputValues;
  readonly inputsPx: number;
  readonly onInputs: (values: InputValues) => void;
}

/** What the script takes, or what it wrote. */
function BelowCode({ known, inputs, inputsPx, result, bars, onInputs }: BelowCodeProps) {
  const panelId = useId();
  const [below, setBelow] = useState<'inputs' | 'log'>('inputs');
  return (
    <section
      class="script-inputs"
      aria-label={below === 'log' ? 'Log' : 'Inputs'}
      ref={(element) => element?.style.setProperty('--inputs-height', `${inputsPx}px`)}
    >
      <Tabs
        label="Below the code"
        tabs={[
          ['inputs', 'Inputs'],
          ['log', result === undefined || result.logs.length === 0 ? 'Log' : `Log ${plain(result.logs.length)}`],
        ]}
        chosen={below}
        onChoose={setBelow}
        panelId={panelId}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard */}
      <div id={panelId} role="tabpanel" aria-labelledby={tabId(panelId, below)} tabIndex={0}>
        {below === 'log' ? (
          <ScriptLog result={result} bars={bars} />
        ) : known === undefined ? (
          <p class="quiet">They are known once the script has no errors.</p>
        ) : (
          <InputsPanel {...{ inputs: known.inputs, values: inputs }} onChange={onInputs} />
        )}
      </div>
    </section>
  );
}

const Chooser = ({ choice: { scripts }, script, onOpen }: OpenedScriptProps) =>
  scripts.length === 1 ? (
    <h2 title={script.name}>{script.name}</h2>
  ) : (
    <select
      class="chooser"
      aria-label="Script on this chart"
      value={script.id}
      onChange={(event) => onOpen(event.currentTarget.value)}
    >
      {scripts.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );

// Deploys a script on a market. What trades begins as a dry run: its log says what it would send, and nothing is sent.

import { useEffect, useState } from 'preact/hooks';
import type { InputValues } from '../../editor/input-fields.ts';
import { InputsPanel } from '../../editor/inputs-panel.tsx';
import { askLanguage, type CheckedScript } from '../../engine/language.ts';
import type { Refused } from '../../server/ask.ts';
import { deploy } from '../../server/deployments.ts';
import { SCRIPTS, ScriptLibrary, type ScriptSummary } from '../../server/script-library.ts';
import { refreshAnswers, useAnswer } from '../../server/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { linkTo } from '../../ui/places.ts';
import { type ChosenTarget, TargetChoice, targetOf } from './target-choice.tsx';

const INTERVALS = ['1m', '5m', '15m', '30m', '1h', '4h', '1d'];

interface Plan {
  readonly scriptId: string;
  readonly symbol: string;
  readonly interval: string;
  /** As it is typed; empty for what the script declares. */
  readonly capital: string;
  readonly target: ChosenTarget;
  readonly inputs: InputValues;
}

const BEGINNING: Plan = {
  ...{ scriptId: '', symbol: 'BTCUSDT', interval: '1h', capital: '', inputs: {} },
  target: { type: 'trade', webhookKey: '', exchange: 'binance' },
};

export interface DeployDialogProps {
  readonly scriptKey: string;
  readonly onClose: () => void;
}

export function DeployDialog({ scriptKey, onClose }: DeployDialogProps) {
  const [plan, setPlan] = useState(BEGINNING);
  const [refused, setRefused] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const change = (part: Partial<Plan>): void => setPlan({ ...plan, ...part });
  const { scriptId, symbol, target, inputs } = plan;
  const checked = useChecked(scriptKey, scriptId);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      const { interval, capital } = plan;
      const wanted = { ...{ scriptId, symbol: symbol.trim(), interval, inputs }, targets: [targetOf(target)] };
      const money = capital.trim() === '' ? {} : { initialCapital: Number(capital) };
      const { deployment } = await deploy(scriptKey, { ...wanted, ...money, mode: 'dry-run' });
      refreshAnswers();
      location.hash = linkTo('deployments', deployment.id);
    } catch (error) {
      setRefused((error as Refused).message);
      setBusy(false);
    }
  };
  const isReady = scriptId !== '' && symbol.trim() !== '' && (target.type !== 'trade' || target.webhookKey !== '');
  return (
    <Dialog title="Deploy a script" onClose={onClose}>
      <form class="deploy" onSubmit={submit}>
        <MarketFields scriptKey={scriptKey} plan={plan} onChange={change} />
        <TargetChoice target={target} onChange={(chosen) => change({ target: chosen })} />
        <ScriptFields script={checked?.script} plan={plan} onChange={change} />
        {refused !== undefined && (
          <p class="refused" role="alert">
            {refused}
          </p>
        )}
        <div class="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="filled" type="submit" disabled={!isReady || isBusy}>
            {isBusy ? 'Trying it over the last 1,000 bars…' : 'Deploy'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface ScriptFieldsProps {
  readonly script: CheckedScript['script'];
  readonly plan: Plan;
  readonly onChange: (part: Partial<Plan>) => void;
}

/** What the chosen script asks for. */
function ScriptFields({ script, plan: { scriptId, capital, inputs }, onChange }: ScriptFieldsProps) {
  if (script === undefined) return null;
  return (
    <>
      {script.type === 'strategy' && (
        <Field
          label="Capital it begins with"
          hint="The money of the account that it trades: sizes in percent follow it. What the script declares when left empty."
        >
          {(tied) => (
            <input
              {...tied}
              type="number"
              min="0"
              step="any"
              value={capital}
              onInput={(event) => onChange({ capital: event.currentTarget.value })}
            />
          )}
        </Field>
      )}
      <details>
        <summary>Inputs</summary>
        <InputsPanel
          key={scriptId}
          inputs={script.inputs}
          values={inputs}
          onChange={(values) => onChange({ inputs: values })}
        />
      </details>
    </>
  );
}

interface MarketFieldsProps {
  readonly scriptKey: string;
  readonly plan: Plan;
  readonly onChange: (part: Partial<Plan>) => void;
}

function MarketFields({ scriptKey, plan: { scriptId, symbol, interval }, onChange }: MarketFieldsProps) {
  const { answer } = useAnswer<{ scripts: readonly ScriptSummary[] }>(SCRIPTS, 10_000, scriptKey);
  const hint = answer?.scripts.length === 0 ? 'There is none yet: write one in the library.' : undefined;
  return (
    <>
      <Field label="Script" hint={hint}>
        {(tied) => (
          <select
            {...tied}
            value={scriptId}
            onChange={(event) => onChange({ scriptId: event.currentTarget.value, inputs: {} })}
          >
            <option value="">Choose…</option>
            {answer?.scripts.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <div class="pair">
        <Field label="Market">
          {(tied) => (
            <input {...tied} value={symbol} onInput={(event) => onChange({ symbol: event.currentTarget.value })} />
          )}
        </Field>
        <Field label="Bars of">
          {(tied) => (
            <select {...tied} value={interval} onChange={(event) => onChange({ interval: event.currentTarget.value })}>
              {INTERVALS.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          )}
        </Field>
      </div>
    </>
  );
}

/** What the chosen script asks for; undefined until it is known. */
function useChecked(scriptKey: string, scriptId: string): CheckedScript | undefined {
  const [checked, setChecked] = useState<CheckedScript>();
  useEffect(() => {
    setChecked(undefined);
    if (scriptId === '') return;
    let isWanted = true;
    new ScriptLibrary(scriptKey)
      .read(scriptId)
      .then(({ content }) => askLanguage('check', { source: content }))
      .then(
        (found) => isWanted && setChecked(found),
        // Without a form the script's own values count.
        () => {},
      );
    return () => {
      isWanted = false;
    };
  }, [scriptKey, scriptId]);
  return checked;
}

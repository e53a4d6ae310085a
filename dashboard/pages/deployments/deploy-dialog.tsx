// Deploys a script on a market. What trades begins as a dry run: its log says what it would send, and nothing is sent.

import { useEffect, useState } from 'preact/hooks';
import type { InputValues } from '../../editor/input-fields.ts';
import { InputsPanel } from '../../editor/inputs-panel.tsx';
import { askLanguage, type CheckedScript } from '../../engine/language.ts';
import { DEPLOYMENTS, type NewDeployment } from '../../server/deployments.ts';
import { SCRIPTS, ScriptLibrary, type ScriptSummary } from '../../server/script-library.ts';
import { refreshAnswers, useAnswer } from '../../server/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { fixed } from '../../ui/numbers.ts';
import { linkTo } from '../../ui/places.ts';
import { RefusedWords } from '../../ui/refused.tsx';
import { useAction } from '../../ui/use-action.ts';
import { SentBefore } from '../trades/sent-before.tsx';
import './deploy-dialog.css';
import { useDeployOnce } from './deploy-once.ts';
import { type ChosenTarget, isTargetWhole, modeOf, START_TARGET, targetOf } from './target.ts';
import { TargetChoice } from './target-choice.tsx';

const INTERVALS = ['1m', '5m', '15m', '30m', '1h', '4h', '1d', '1w'];

interface Plan {
  readonly scriptId: string;
  readonly symbol: string;
  readonly interval: string;
  /** As it is typed; undefined while nobody has, so that it is what the script declares. */
  readonly capital: string | undefined;
  readonly target: ChosenTarget;
  readonly inputs: InputValues;
}

const BEGINNING: Plan = {
  ...{ scriptId: '', symbol: 'BTCUSDT', interval: '1h', capital: undefined, inputs: {} },
  target: START_TARGET,
};

export interface DeployDialogProps {
  readonly scriptKey: string;
  /** What is known already. */
  readonly plan?: Partial<Pick<Plan, 'scriptId' | 'symbol' | 'interval' | 'inputs'>>;
  readonly onClose: () => void;
}

export function DeployDialog({ scriptKey, plan: known, onClose }: DeployDialogProps) {
  const [plan, setPlan] = useState<Plan>({ ...BEGINNING, ...known });
  const deployOnce = useDeployOnce(scriptKey);
  // Of what stands there by then: a key that is made takes its time.
  const change = (part: Partial<Plan>): void => setPlan((now) => ({ ...now, ...part }));
  const aim = (part: Partial<ChosenTarget>): void => setPlan((now) => ({ ...now, target: { ...now.target, ...part } }));
  const { scriptId, symbol, target } = plan;
  const checked = useChecked(scriptKey, scriptId);
  const wanted = wantedOf(plan, checked?.script);
  const { isBusy, refused, run } = useAction(async () => {
    const id = await deployOnce(wanted);
    refreshAnswers();
    location.hash = linkTo('deployments', id);
    onClose();
  });
  const submit = (event: Event): void => {
    event.preventDefault();
    if (!showsFault(event.currentTarget as HTMLElement)) void run();
  };
  const isReady = scriptId !== '' && symbol.trim() !== '' && isTargetWhole(target);
  return (
    <Dialog title="Deploy a script" isBusy={isBusy} onClose={onClose}>
      {/* The fields say themselves what is wrong: the browser takes 2 for no number between steps of 1 from 0.1. */}
      <form class="deploy" noValidate onSubmit={submit}>
        <MarketFields scriptKey={scriptKey} plan={plan} onChange={change} />
        <TargetChoice target={target} scriptName={checked?.name} onChange={aim} />
        <ScriptFields script={checked?.script} plan={plan} onChange={change} />
        {isReady && <SentBefore path={DEPLOYMENTS} body={wanted} />}
        <RefusedWords words={refused} />
        <div class="actions">
          <Button disabled={isBusy} onClick={onClose}>
            Cancel
          </Button>
          <Button kind="filled" type="submit" disabled={!isReady || isBusy}>
            {isBusy ? 'Trying it over the last 1,000 bars…' : 'Deploy'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** What is sent. */
function wantedOf(plan: Plan, script: CheckedScript['script']): NewDeployment {
  const { scriptId, symbol, interval, inputs, target } = plan;
  const capital = capitalOf(plan, script);
  const money = capital.trim() === '' ? {} : { initialCapital: Number(capital) };
  const what = { ...{ scriptId, symbol: symbol.trim(), interval, inputs }, targets: [targetOf(target)] };
  return { ...what, ...money, mode: modeOf(target) };
}

/** What stands in the field: nothing of an indicator. */
function capitalOf({ capital }: Plan, script: CheckedScript['script']): string {
  if (script?.type !== 'strategy') return '';
  return capital ?? String(script.capital);
}

/** Leads to the first field that says that it is wrong, also where it is folded away. */
function showsFault(form: HTMLElement): boolean {
  const wrong = form.querySelector<HTMLElement>('[aria-invalid="true"]');
  wrong?.closest('details')?.setAttribute('open', '');
  wrong?.focus();
  return wrong !== null;
}

interface ScriptFieldsProps {
  readonly script: CheckedScript['script'];
  readonly plan: Plan;
  readonly onChange: (part: Partial<Plan>) => void;
}

/** What the chosen script asks for. */
function ScriptFields({ script, plan, onChange }: ScriptFieldsProps) {
  const { scriptId, inputs } = plan;
  if (script === undefined) return null;
  return (
    <>
      {script.type === 'strategy' && (
        <Field
          label="Capital it begins with"
          hint={`The script declares ${fixed(script.capital, 0)}. Sizes in percent follow this number and not the account: give the money that is there for it.`}
        >
          {(tied) => (
            <input
              {...tied}
              type="number"
              min="0"
              step="any"
              value={capitalOf(plan, script)}
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
            onChange={(event) => onChange({ scriptId: event.currentTarget.value, inputs: {}, capital: undefined })}
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

interface NamedScript extends CheckedScript {
  readonly name: string;
}

/** What the chosen script asks for; undefined until it is known. */
function useChecked(scriptKey: string, scriptId: string): NamedScript | undefined {
  const [checked, setChecked] = useState<NamedScript>();
  useEffect(() => {
    setChecked(undefined);
    if (scriptId === '') return;
    let isWanted = true;
    new ScriptLibrary(scriptKey)
      .read(scriptId)
      .then(async ({ name, content }) => ({ name, ...(await askLanguage('check', { source: content })) }))
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

// The alert checker: paste what stands in an alert, and read what would become of it, gate by gate. Nothing is traded.

import { useEffect, useState } from 'preact/hooks';
import type { WebhookKey } from '../../server/setup-answers.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { ChoiceField, TextField } from '../../ui/inputs.tsx';
import { Panel } from '../../ui/panel.tsx';
import { RefusedWords } from '../../ui/refused.tsx';
import { useAction } from '../../ui/use-action.ts';
import { type AskedCheck, type CheckedAlert, checkAlert, type Samples } from './alert-check.ts';
import { CheckedResult } from './checked-result.tsx';

export interface CheckPanelProps {
  readonly keys: readonly WebhookKey[];
  /** What the page hands over to be checked; each time a new one. */
  readonly handed: AskedCheck | undefined;
}

const NOTHING: AskedCheck = { body: '', key: '', route: '' };
const ROUTES = [
  ['', 'Webhook, as the text says'],
  ['/webhook', '/webhook'],
  ['/webhook/tradingview', '/webhook/tradingview'],
  ['/email-signal', 'Mail'],
] as const;

export function CheckPanel({ keys, handed }: CheckPanelProps) {
  const [asked, setAsked] = useState(NOTHING);
  const [own, setOwn] = useState<Samples>({});
  const [found, setFound] = useState<CheckedAlert>();
  const { isBusy, refused, run } = useAction(async (wanted: AskedCheck) => setFound(await checkAlert(wanted, own)));
  const change = (changed: Partial<AskedCheck>): void => {
    setFound(undefined);
    setAsked({ ...asked, ...changed });
  };
  useEffect(() => {
    if (handed === undefined) return;
    setAsked(handed);
    void run(handed);
  }, [handed]);
  const submit = (event: Event): void => {
    event.preventDefault();
    void run(asked);
  };
  const options = [['', 'the one in the text'], ...keys.map(({ label }) => [label, label] as const)] as const;
  return (
    <Panel title="Check an alert" aside="a dry run, nothing is traded">
      <div class="checker">
        <form onSubmit={submit}>
          <Field label="Alert text" hint="The message of the alert, or the text of a mail, as it is sent.">
            {(tied) => (
              <textarea
                {...tied}
                class="mono"
                rows={12}
                spellcheck={false}
                value={asked.body}
                onInput={(event) => change({ body: event.currentTarget.value })}
              />
            )}
          </Field>
          <div class="add-line">
            <ChoiceField label="Key" value={asked.key} options={options} onChoose={(key) => change({ key })} />
            <ChoiceField label="Sent to" value={asked.route} options={ROUTES} onChoose={(route) => change({ route })} />
          </div>
          {found !== undefined && <SampleFields samples={{ ...found.samples, ...own }} onChange={setOwn} />}
          <RefusedWords words={refused} />
          <Button type="submit" disabled={isBusy || asked.body.trim() === ''}>
            {isBusy ? 'Checking…' : 'Check it'}
          </Button>
        </form>
        <div class="verdict">
          {found === undefined ? (
            <p class="quiet">
              What would become of it is told by the code that decides it: how the text is read, what each gate says,
              and which order would go to which account.
            </p>
          ) : (
            <CheckedResult checked={found.checked} onMail={() => run({ ...asked, route: '/email-signal' })} />
          )}
        </div>
      </div>
    </Panel>
  );
}

interface SampleFieldsProps {
  readonly samples: Samples;
  readonly onChange: (samples: Samples) => void;
}

function SampleFields({ samples, onChange }: SampleFieldsProps) {
  if (Object.keys(samples).length === 0) return null;
  return (
    <fieldset class="samples">
      <legend>Checked as if TradingView had filled in</legend>
      {Object.entries(samples).map(([name, value]) => (
        <TextField
          key={name}
          label={`{{${name}}}`}
          value={value}
          maxLength={256}
          onWrite={(text) => onChange({ ...samples, [name]: text })}
        />
      ))}
    </fieldset>
  );
}

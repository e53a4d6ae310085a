// The questions around a webhook key: each says what will happen before it happens.

import { useState } from 'preact/hooks';
import type { Health, Result } from '../../server/answers.ts';
import { ask } from '../../server/ask.ts';
import type { IssuedKey, WebhookKey } from '../../server/setup-answers.ts';
import { refreshAnswers, useAnswer } from '../../server/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { CopyBlock } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Question } from '../../ui/question.tsx';

type OnIssued = (label: string, apiKey: string) => void;
interface Closing {
  readonly onClose: () => void;
}

const namesOf = (text: string): readonly string[] => text.split(/[\s,]+/).filter((name) => name !== '');

export function NewKey({ onIssued, onClose }: Closing & { readonly onIssued: OnIssued }) {
  const { answer: health } = useAnswer<Health>('/health', 3_000);
  const [label, setLabel] = useState('');
  const [exchanges, setExchanges] = useState<readonly string[]>([]);
  const [symbols, setSymbols] = useState('');
  const create = async (): Promise<void> => {
    const scope = {
      ...(exchanges.length > 0 && { exchanges }),
      ...(symbols.trim() !== '' && { symbols: namesOf(symbols) }),
    };
    const body = { label: label.trim(), ...scope };
    const { result } = await ask<Result<IssuedKey>>('/admin/webhook-keys', { method: 'POST', body });
    refreshAnswers();
    onIssued(result.label, result.apiKey);
  };
  const toggle = (name: string): void =>
    setExchanges((chosen) => (chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name]));
  return (
    <Question
      title="New webhook key"
      yes="Make it"
      no="Not now"
      isReady={label.trim() !== ''}
      onYes={create}
      onClose={onClose}
    >
      <p class="lead">One key for each chart or script: then each can be paused and ended alone.</p>
      <Field label="Name" hint="Such as tradingview, or the name of the script that sends.">
        {(tied) => (
          <input {...tied} value={label} maxLength={64} onInput={(event) => setLabel(event.currentTarget.value)} />
        )}
      </Field>
      <fieldset class="choices">
        <legend>Exchanges it may trade on; none chosen means all</legend>
        {Object.keys(health?.venues ?? {}).map((name) => (
          <label key={name}>
            <input type="checkbox" checked={exchanges.includes(name)} onChange={() => toggle(name)} /> {name}
          </label>
        ))}
      </fieldset>
      <Field label="Markets it may trade" hint="Such as BTCUSDT, ETHUSDT; empty means every market.">
        {(tied) => <input {...tied} value={symbols} onInput={(event) => setSymbols(event.currentTarget.value)} />}
      </Field>
    </Question>
  );
}

export const IssuedKeyDialog = ({
  label,
  apiKey,
  onClose,
}: Closing & { readonly label: string; readonly apiKey: string }) => (
  <Dialog title={`The key of ${label}`} onClose={onClose}>
    <p class="lead">
      It is shown this once and stored nowhere. Copy it now; the alert below has it filled in until you leave this page.
    </p>
    <CopyBlock label="the key" text={apiKey} />
    <div class="actions">
      <Button kind="filled" onClick={onClose}>
        I have it
      </Button>
    </div>
  </Dialog>
);

const GRACES = [
  [0, 'at once'],
  [3600, 'an hour from now'],
  [86_400, 'a day from now'],
  [604_800, 'a week from now'],
] as const;

export function RotateKey({
  of,
  onIssued,
  onClose,
}: Closing & { readonly of: WebhookKey; readonly onIssued: OnIssued }) {
  const [graceSeconds, setGrace] = useState(86_400);
  const rotate = async (): Promise<void> => {
    const path = `/admin/webhook-keys/${of.keyId}/rotate`;
    const { result } = await ask<Result<IssuedKey>>(path, { method: 'POST', body: { graceSeconds } });
    refreshAnswers();
    onIssued(result.label, result.apiKey);
  };
  return (
    <Question title={`Rotate ${of.label}?`} yes="Rotate it" onYes={rotate} onClose={onClose}>
      <p class="lead">
        A new key takes its place, with the same limits. Alerts that still hold the old one are refused when it ends.
      </p>
      <Field label="The old key ends">
        {(tied) => (
          <select {...tied} value={graceSeconds} onChange={(event) => setGrace(Number(event.currentTarget.value))}>
            {GRACES.map(([seconds, words]) => (
              <option key={seconds} value={seconds}>
                {words}
              </option>
            ))}
          </select>
        )}
      </Field>
    </Question>
  );
}

export function RevokeKey({ of, onClose }: Closing & { readonly of: WebhookKey }) {
  const revoke = async (): Promise<void> => {
    await ask(`/admin/webhook-keys/${of.keyId}`, { method: 'DELETE' });
    refreshAnswers();
  };
  return (
    <Question title={`Revoke ${of.label}?`} yes="Revoke it" isDanger onYes={revoke} onClose={onClose}>
      <p>
        Every signal with this key is refused from now on, exits too, and it cannot be brought back. Positions that it
        opened stay, with their stops.
      </p>
    </Question>
  );
}

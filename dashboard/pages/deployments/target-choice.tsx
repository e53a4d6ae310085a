// What a deployment does with its alerts and orders.

import type { NewDeployment } from '../../server/deployments.ts';
import { Field } from '../../ui/field.tsx';

const EXCHANGES = ['binance', 'bybit', 'mexc'] as const;

const TARGETS = [
  [
    ...(['trade', 'Trade, as a dry run first'] as const),
    'Its orders are written down. You let it trade later, after a look at its log.',
  ],
  ['telegram', 'Tell me by Telegram', 'Alerts and fills as messages in the default chat.'],
  ['signals', 'Write down signals', 'A row among the signals for each alert; nothing is traded.'],
] as const;

export interface ChosenTarget {
  readonly type: (typeof TARGETS)[number][0];
  readonly webhookKey: string;
  readonly exchange: (typeof EXCHANGES)[number];
}

export const targetOf = ({ type, webhookKey, exchange }: ChosenTarget): NewDeployment['targets'][number] =>
  type === 'trade' ? { type, apiKey: webhookKey.trim(), exchange } : { type };

export interface TargetChoiceProps {
  readonly target: ChosenTarget;
  readonly onChange: (target: ChosenTarget) => void;
}

export const TargetChoice = ({ target, onChange }: TargetChoiceProps) => (
  <>
    <fieldset aria-label="What it does">
      {TARGETS.map(([type, title, words]) => (
        <label key={type} class="target">
          <input
            type="radio"
            name="target"
            checked={target.type === type}
            onChange={() => onChange({ ...target, type })}
          />
          <span>
            <strong>{title}</strong>
            <small>{words}</small>
          </span>
        </label>
      ))}
    </fieldset>
    {target.type === 'trade' && (
      <div class="pair">
        <WebhookKeyField value={target.webhookKey} onChange={(webhookKey) => onChange({ ...target, webhookKey })} />
        <Field label="Exchange">
          {(tied) => (
            <select
              {...tied}
              value={target.exchange}
              onChange={(event) =>
                onChange({ ...target, exchange: event.currentTarget.value as ChosenTarget['exchange'] })
              }
            >
              {EXCHANGES.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          )}
        </Field>
      </div>
    )}
  </>
);

export interface WebhookKeyFieldProps {
  readonly value: string;
  readonly error?: string | undefined;
  readonly onChange: (value: string) => void;
}

/** The key is sent once and not kept here. */
export const WebhookKeyField = ({ value, error, onChange }: WebhookKeyFieldProps) => (
  <Field label="Webhook key" hint="whk_…, presented this once" error={error}>
    {(tied) => (
      <input
        {...tied}
        class="mono"
        type="password"
        autocomplete="off"
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    )}
  </Field>
);

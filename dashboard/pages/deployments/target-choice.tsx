// The choice of what a deployment does with its alerts and orders.

import { useVenues } from '../../server/use-venues.ts';
import { ChoiceField, TextField } from '../../ui/inputs.tsx';
import { SecretField } from '../../ui/secret-field.tsx';
import type { ChosenTarget, TargetType } from './target.ts';
import { useKnownKey, WebhookKeyField } from './webhook-key-field.tsx';
import { WhereItTrades } from './where-it-trades.tsx';

const TARGETS: readonly (readonly [type: TargetType, title: string, words: string])[] = [
  [
    'trade',
    'Trade, as a dry run first',
    'Its orders are written down. You let it trade later, after a look at its log.',
  ],
  [
    'second-opinion',
    'Watch over TradingView',
    'It runs there too and sends alerts here: one that is missing, late or different is told.',
  ],
  ['telegram', 'Tell me by Telegram', 'Alerts and fills as messages in the default chat.'],
  ['webhook', 'Call a web address', 'Alerts and fills as a POST to a program of yours.'],
  ['signals', 'Write down signals', 'A row among the signals for each alert; nothing is traded.'],
];

export interface TargetChoiceProps {
  readonly target: ChosenTarget;
  /** The name of the script; undefined until one is chosen. */
  readonly scriptName: string | undefined;
  readonly onChange: (changed: Partial<ChosenTarget>) => void;
}

export const TargetChoice = ({ target, scriptName, onChange }: TargetChoiceProps) => (
  <>
    <fieldset aria-label="What it does">
      {TARGETS.map(([type, title, words]) => (
        <label key={type} class="target">
          <input type="radio" name="target" checked={target.type === type} onChange={() => onChange({ type })} />
          <span>
            <strong>{title}</strong>
            <small>{words}</small>
          </span>
        </label>
      ))}
    </fieldset>
    <TargetFields target={target} scriptName={scriptName} onChange={onChange} />
  </>
);

interface TargetFieldsProps {
  readonly target: ChosenTarget;
  readonly onChange: (changed: Partial<ChosenTarget>) => void;
}

function TargetFields({ target, scriptName, onChange }: TargetFieldsProps & Pick<TargetChoiceProps, 'scriptName'>) {
  const { webhookKey, fault } = useKnownKey(target.webhookKey);
  const venues = useVenues(target.exchange);
  if (target.type === 'webhook') return <WebhookFields target={target} onChange={onChange} />;
  if (target.type !== 'trade' && target.type !== 'second-opinion') return null;
  return (
    <>
      <div class="pair">
        <WebhookKeyField
          value={target.webhookKey}
          error={fault}
          newFor={target.type === 'trade' ? scriptName : undefined}
          {...(target.type === 'second-opinion' && { hint: 'the one in TradingView’s alert, presented this once' })}
          onChange={(webhookKey) => onChange({ webhookKey })}
        />
        <ChoiceField
          label="Exchange"
          value={target.exchange}
          options={venues.map((name) => [name, name] as const)}
          onChoose={(exchange) => onChange({ exchange: exchange as ChosenTarget['exchange'] })}
        />
      </div>
      <WhereItTrades exchange={target.exchange} webhookKey={webhookKey} />
      {target.type === 'second-opinion' && <OpinionFields target={target} onChange={onChange} />}
    </>
  );
}

const MISSING = [
  ['tell', 'Tell me'],
  ['dry-run', 'Write down what would be sent'],
  ['send', 'Send it, so that it trades'],
] as const;

const OpinionFields = ({ target, onChange }: TargetFieldsProps) => (
  <>
    <TextField
      label="Strategy in the alerts"
      hint="The name they have as strategy; empty: none."
      maxLength={64}
      value={target.strategy}
      onWrite={(strategy) => onChange({ strategy })}
    />
    <ChoiceField
      label="When an alert is missing"
      value={target.missing}
      options={MISSING}
      onChoose={(missing) => onChange({ missing: missing as ChosenTarget['missing'] })}
    />
    {target.missing === 'send' && (
      <p class="doubt">
        A missing alert is sent under the name it would have had, with the money of that key. The two never trade twice;
        try it with “write down” first.
      </p>
    )}
  </>
);

const BODIES = [
  ['event', 'everything, as JSON'],
  ['message', 'the alert’s own message'],
] as const;

const WebhookFields = ({ target, onChange }: TargetFieldsProps) => (
  <>
    <TextField
      label="URL"
      placeholder="https://…"
      hint="On the public internet."
      value={target.url}
      onWrite={(url) => onChange({ url })}
    />
    <div class="pair">
      <SecretField
        label="Secret"
        hint="Signs what is sent; never shown again. Empty: nothing is signed."
        value={target.secret}
        onWrite={(secret) => onChange({ secret })}
      />
      <ChoiceField
        label="It gets"
        value={target.body}
        options={BODIES}
        onChoose={(body) => onChange({ body: body as ChosenTarget['body'] })}
      />
    </div>
  </>
);

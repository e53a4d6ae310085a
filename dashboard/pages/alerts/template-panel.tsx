// The TradingView alert: choose what it does, take the address and the message along, and read what each line is for.

import { useState } from 'preact/hooks';
import type { Health, Result } from '../../server/answers.ts';
import type { Reach, WebhookKey } from '../../server/setup-answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { CopyBlock } from '../../ui/copy.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ago } from '../../ui/times.ts';
import type { AskedCheck } from './alert-check.ts';
import { Choices, type FormChoice } from './alert-choices.tsx';
import { type AlertTemplate, alertTemplate, withoutKey } from './alert-template.ts';
import { publicAddress } from './public-address.ts';

export interface TemplatePanelProps {
  readonly keys: readonly WebhookKey[];
  /** Keys that are at hand in clear, by label. */
  readonly issued: Readonly<Record<string, string>>;
  readonly onCheck: (asked: AskedCheck) => void;
}

const START: FormChoice = {
  ...{ key: '', kind: 'strategy', exchange: '', symbol: '', account: '', action: 'LONG' },
  ...{ quantity: '', strategy: '', stopLoss: '', tradesOnce: true },
};

export function TemplatePanel({ keys, issued, onCheck }: TemplatePanelProps) {
  const { answer: health } = useAnswer<Health>('/health', 3_000);
  const { answer: reach } = useAnswer<Result<Reach>>('/admin/reach');
  const [choice, setChoice] = useState<FormChoice>(START);
  const key = keys.find(({ label }) => label === choice.key) ?? keys.find(({ label }) => issued[label]) ?? keys[0];
  const venues = key?.exchanges ?? Object.keys(health?.venues ?? {});
  const exchange = venues.includes(choice.exchange) ? choice.exchange : (venues[0] ?? 'binance');
  const whole = { ...choice, exchange, apiKey: issued[key?.label ?? ''] ?? '' };
  const template = alertTemplate(whole);
  const { address, doubt } = publicAddress(reach?.result.baseUrl, location.origin);
  return (
    <Panel title="TradingView alert" aside={<LastCall reach={reach?.result} />}>
      <div class="template">
        <Choices
          choice={{ ...choice, exchange, key: key?.label ?? '' }}
          keys={keys}
          venues={venues}
          onChoose={(changed) => setChoice((before) => ({ ...before, ...changed }))}
        />
        <div class="taken-along">
          <h3>1. Webhook URL</h3>
          <p class="hint">In the alert: Notifications, then tick Webhook URL.</p>
          <CopyBlock label="the webhook address" text={`${address}${template.path}`} />
          {doubt !== undefined && <p class="doubt">{doubt}</p>}
          <h3>2. Message</h3>
          <Message template={template} hasKey={whole.apiKey !== ''} label={key?.label} />
          {template.missing === undefined && key !== undefined && (
            <p class="below-block">
              <Button
                onClick={() => onCheck({ body: withoutKey(template.body), key: key.label, route: template.path })}
              >
                Check this alert
              </Button>
            </p>
          )}
        </div>
        <Explained template={template} />
      </div>
    </Panel>
  );
}

const LastCall = ({ reach }: { readonly reach: Reach | undefined }) => {
  if (reach === undefined) return null;
  const call = reach.tradingviewCall;
  return <>{call === null ? 'TradingView has not called yet' : `TradingView called ${ago(call.at, Date.now())}`}</>;
};

interface MessageProps {
  readonly template: AlertTemplate;
  readonly hasKey: boolean;
  readonly label: string | undefined;
}

function Message({ template, hasKey, label }: MessageProps) {
  if (template.missing !== undefined) return <p class="doubt">{template.missing}</p>;
  return (
    <>
      <p class="hint">
        {hasKey
          ? `The key of ${label} is filled in. Treat this text like a password.`
          : 'Put your key where it says so: keys are not stored, so nobody can show it again. Rotate a key whose text is lost.'}
      </p>
      <CopyBlock label="the alert message" text={template.body} />
    </>
  );
}

const Explained = ({ template: { lines } }: { readonly template: AlertTemplate }) => (
  <div class="explained">
    <h3>What each line says</h3>
    <dl>
      {lines.map(({ field, words }) => (
        <div key={field}>
          <dt>
            <code>{field}</code>
          </dt>
          <dd>{words}</dd>
        </div>
      ))}
    </dl>
  </div>
);

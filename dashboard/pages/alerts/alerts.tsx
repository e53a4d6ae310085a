// Alerts and keys: who may send signals, what an alert must say, and which ways lead here.

import { useState } from 'preact/hooks';
import type { Result } from '../../server/answers.ts';
import type { WebhookKey } from '../../server/setup-answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import './alerts.css';
import { KeysPanel } from './keys-panel.tsx';
import { MailPanel } from './mail-panel.tsx';
import { RatesPanel } from './rates-panel.tsx';
import { SendersPanel } from './senders-panel.tsx';
import { SymbolMapPanel } from './symbol-map-panel.tsx';
import { TemplatePanel } from './template-panel.tsx';
import { UsagePanel } from './usage-panel.tsx';

export function Alerts() {
  const { answer } = useAnswer<Result<readonly WebhookKey[]>>('/admin/webhook-keys');
  /** Keys that were made on this page, by their labels: only now can a template hold them. */
  const [issued, setIssued] = useState<Readonly<Record<string, string>>>({});
  if (answer === undefined) return null;
  const keys = answer.result;
  return (
    <div class="alerts">
      <KeysPanel keys={keys} onIssued={(label, apiKey) => setIssued((before) => ({ ...before, [label]: apiKey }))} />
      <TemplatePanel keys={keys.filter(({ revokedAt }) => revokedAt === null)} issued={issued} />
      <div class="halves">
        <SendersPanel />
        <RatesPanel />
        <SymbolMapPanel />
        <MailPanel keys={keys} />
      </div>
      <UsagePanel />
    </div>
  );
}

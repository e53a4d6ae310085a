// Alerts and keys: who may send signals, what an alert must say, and which ways lead here.

import { useState } from 'preact/hooks';
import type { Result } from '../../server/answers.ts';
import type { WebhookKey } from '../../server/setup-answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import type { AskedCheck } from './alert-check.ts';
import './alerts.css';
import { Unanswered } from '../../ui/unanswered.tsx';
import { CheckPanel } from './check-panel.tsx';
import { KeysPanel } from './keys-panel.tsx';
import { MailPanel } from './mail-panel.tsx';
import { RatesPanel } from './rates-panel.tsx';
import { SendersPanel } from './senders-panel.tsx';
import { SymbolMapPanel } from './symbol-map-panel.tsx';
import { TemplatePanel } from './template-panel.tsx';
import { UsagePanel } from './usage-panel.tsx';

export function Alerts() {
  const { answer, refused } = useAnswer<Result<readonly WebhookKey[]>>('/admin/webhook-keys');
  /** Keys that were made on this page, by their labels: only now can a template hold them. */
  const [issued, setIssued] = useState<Readonly<Record<string, string>>>({});
  const [handed, setHanded] = useState<AskedCheck>();
  if (answer === undefined) return <Unanswered refused={refused} />;
  const keys = answer.result;
  const active = keys.filter(({ revokedAt }) => revokedAt === null);
  return (
    <div class="alerts">
      <KeysPanel keys={keys} onIssued={(label, apiKey) => setIssued((before) => ({ ...before, [label]: apiKey }))} />
      <TemplatePanel keys={active} issued={issued} onCheck={setHanded} />
      <CheckPanel keys={active} handed={handed} />
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

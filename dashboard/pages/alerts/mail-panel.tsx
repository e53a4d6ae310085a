// Signals by mail: the address of each key, who may write, and how to turn it on.

import type { Result } from '../../server/answers.ts';
import type { Reach, WebhookKey } from '../../server/setup-answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { CopyBlock } from '../../ui/copy.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Unanswered } from '../../ui/unanswered.tsx';

const TURN_ON = `SMTP_PORT=2525
SMTP_ALLOWED_SENDERS=me@example.com`;

export function MailPanel({ keys }: { readonly keys: readonly WebhookKey[] }) {
  const { answer, refused } = useAnswer<Result<Reach>>('/admin/reach');
  if (answer === undefined) return <Unanswered title="Signals by mail" refused={refused} />;
  const { mail, baseUrl } = answer.result;
  const domain = baseUrl === null ? 'your.domain' : new URL(baseUrl).hostname;
  const labels = keys
    .filter(({ revokedAt, label }) => revokedAt === null && !label.includes(' '))
    .map(({ label }) => label);
  return (
    <Panel title="Signals by mail" aside={mail === null ? 'off' : `port ${mail.port}`}>
      <div class="inside">
        {mail === null ? (
          <>
            <p class="lead">
              Mail can bring signals too, as a second way for the same alert. Put this into <code>.env</code>, restart,
              and lead mail to the port.
            </p>
            <CopyBlock label="the settings of the mail intake" text={TURN_ON} />
          </>
        ) : (
          <>
            <p class="lead">
              A mail such as <code>LONG 0.01 BTCUSDT on binance</code> trades under the key whose name stands in its
              address.
              {mail.senders.length === 0
                ? ' Nobody may write yet: set SMTP_ALLOWED_SENDERS.'
                : ` From ${mail.senders.join(', ')} alone.`}
            </p>
            {labels.map((label) => (
              <CopyBlock key={label} label={`the mail address of ${label}`} text={`signals+${label}@${domain}`} />
            ))}
          </>
        )}
      </div>
    </Panel>
  );
}

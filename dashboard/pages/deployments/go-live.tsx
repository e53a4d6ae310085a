// From a dry run to trading: the same deployment again with the same settings, and the dry run goes when it stands.

import { useState } from 'preact/hooks';
import type { Refused } from '../../server/ask.ts';
import { type Deployment, deploy, type NewDeployment, remove } from '../../server/deployments.ts';
import { refreshAnswers } from '../../server/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { linkTo } from '../../ui/places.ts';
import { type ChosenTarget, WebhookKeyField } from './target-choice.tsx';

export interface GoLiveProps {
  readonly scriptKey: string;
  readonly deployment: Deployment;
  readonly onClose: () => void;
}

export function GoLive({ scriptKey, deployment, onClose }: GoLiveProps) {
  const [webhookKey, setWebhookKey] = useState('');
  const [refused, setRefused] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      const { deployment: made } = await deploy(scriptKey, tradingPlan(deployment, webhookKey.trim()));
      await remove(scriptKey, deployment.id, true);
      refreshAnswers();
      location.hash = linkTo('deployments', made.id);
      onClose();
    } catch (error) {
      setRefused((error as Refused).message);
      setBusy(false);
    }
  };
  return (
    <Dialog title={`Let ${deployment.name} trade?`} onClose={onClose}>
      <form onSubmit={submit}>
        <p>
          From the next bar on its orders go to the account of the webhook key. It is deployed again with the same
          settings, from a flat book; the dry run is removed with its log.
        </p>
        <WebhookKeyField value={webhookKey} error={refused} onChange={setWebhookKey} />
        <div class="actions">
          <Button onClick={onClose}>Leave it a dry run</Button>
          <Button kind="danger" type="submit" disabled={isBusy || webhookKey.trim() === ''}>
            Let it trade
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function tradingPlan(deployment: Deployment, apiKey: string): NewDeployment {
  const { scriptId, revision, name, symbol, interval, inputs, orderMessage, initialCapital, targets } = deployment;
  const trade = targets.find(({ type }) => type === 'trade');
  const exchange = trade?.exchange as ChosenTarget['exchange'] | undefined;
  return {
    ...{ scriptId, revision, name, symbol, interval, inputs, mode: 'trade' },
    targets: [{ type: 'trade', apiKey, ...(exchange !== undefined && { exchange }) }],
    ...(orderMessage !== null && { orderMessage }),
    ...(initialCapital !== null && { initialCapital }),
  };
}

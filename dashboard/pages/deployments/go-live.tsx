// From a dry run to trading: the same deployment again with the same settings, in the place of the dry run, with its log.

import { useState } from 'preact/hooks';
import type { Result } from '../../server/answers.ts';
import { DEPLOYMENTS, type Deployment } from '../../server/deployments.ts';
import type { WebhookKey } from '../../server/setup-answers.ts';
import { refreshAnswers, useAnswer } from '../../server/use-answer.ts';
import { WEBHOOK_KEYS } from '../../server/webhook-keys.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { linkTo } from '../../ui/places.ts';
import { useAction } from '../../ui/use-action.ts';
import { SentBefore } from '../trades/sent-before.tsx';
import { useDeployOnce } from './deploy-once.ts';
import { exchangeOf, type TradingPlace } from './trading-places.ts';
import { sendingTarget, tradingPlan } from './trading-plan.ts';
import { useKnownKey, WebhookKeyField } from './webhook-key-field.tsx';
import { useTradingPlaces, WhereItTrades } from './where-it-trades.tsx';

export interface GoLiveProps {
  readonly scriptKey: string;
  readonly deployment: Deployment;
  readonly onClose: () => void;
}

export function GoLive({ scriptKey, deployment, onClose }: GoLiveProps) {
  const { name, symbol } = deployment;
  const target = sendingTarget(deployment);
  const isOpinion = target?.type === 'second-opinion';
  const [typed, setTyped] = useState('');
  const { isBusy, refused, run } = useAction(async () => {
    const id = await deployOnce(plan);
    refreshAnswers();
    location.hash = linkTo('deployments', id);
    onClose();
  });
  const deployOnce = useDeployOnce(scriptKey);
  const { plan, leftOut } = tradingPlan(deployment, typed.trim());
  const known = useKnownKey(typed);
  const { answer: keys } = useAnswer<Result<readonly WebhookKey[]>>(WEBHOOK_KEYS);
  // As soon as something is typed, the key of the dry run says nothing any more of where orders will go.
  const before = keys?.result.find(({ keyId }) => keyId === target?.keyId);
  const webhookKey = typed.trim() === '' ? before : known.webhookKey;
  const where = { exchange: target && exchangeOf(target, symbol), webhookKey };
  const places = useTradingPlaces(where);
  const submit = (event: Event): void => {
    event.preventDefault();
    void run();
  };
  const action = isOpinion ? 'Let it send' : 'Let it trade';
  return (
    <Dialog
      title={isOpinion ? `Let ${name} send what is missing?` : `Let ${name} trade?`}
      isBusy={isBusy}
      onClose={onClose}
    >
      <form onSubmit={submit}>
        <p class="go-live-words">
          {isOpinion
            ? 'From the next bar on an alert that TradingView has not sent is sent in its place, under its name, so that the two never trade twice.'
            : 'From the next bar on its orders go where it says below, from a flat book.'}{' '}
          Its settings stay, and its log goes on.
          {leftOut.length > 0 &&
            ` Left out, because nobody can show its secret again: ${leftOut.join(', ')}. Deploy it anew for that.`}
        </p>
        <SentBefore path={DEPLOYMENTS} body={plan} />
        <WhereItTrades {...where} />
        <WebhookKeyField
          value={typed}
          error={refused ?? known.fault}
          hint={before && `whk_…, that of ${before.label} or another one`}
          newFor={isOpinion ? undefined : name}
          onChange={setTyped}
        />
        <div class="actions">
          <Button disabled={isBusy} onClick={onClose}>
            Leave it a dry run
          </Button>
          <Button kind="danger" type="submit" disabled={isBusy || typed.trim() === ''}>
            {`${action}${moneyOf(places)}`}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Said on the button: what is not known may be real. */
function moneyOf(places: readonly TradingPlace[] | undefined): string {
  if (places === undefined) return ', money not known';
  return places.some(({ mode }) => mode === 'live') ? ' with REAL money' : '';
}

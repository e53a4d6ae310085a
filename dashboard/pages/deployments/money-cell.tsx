// The money of a deployment in the list: in its colour where it trades, in quiet words where it only would.

import type { Account, Result } from '../../server/answers.ts';
import type { Deployment } from '../../server/deployments.ts';
import type { WebhookKey } from '../../server/setup-answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { WEBHOOK_KEYS } from '../../server/webhook-keys.ts';
import { MoneyChip } from '../../ui/money-chip.tsx';
import { type TradedMoney, tradedMoney } from './traded-money.ts';

export function MoneyCell({ deployment }: { readonly deployment: Deployment }) {
  const { answer: keys } = useAnswer<Result<readonly WebhookKey[]>>(WEBHOOK_KEYS);
  const { answer: accounts } = useAnswer<Result<readonly Account[]>>('/account');
  if (keys === undefined || accounts === undefined) return null;
  const money = tradedMoney(deployment, keys.result, accounts.result);
  if (money.length === 0) return <span class="quiet">none</span>;
  if (deployment.mode === 'dry-run')
    return <span class="quiet">would be {money.map((mode) => wordOf(mode)).join(' and ')}</span>;
  return (
    <span class="money">
      {money.map((mode) => (
        <MoneyChip key={mode} mode={mode}>
          {wordOf(mode)}
        </MoneyChip>
      ))}
    </span>
  );
}

const wordOf = (mode: TradedMoney): string => (mode === 'unknown' ? 'not known' : mode.toUpperCase());

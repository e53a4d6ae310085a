// How our books and the venues agree: the last comparison of each account, with every difference in words.

import { useState } from 'preact/hooks';
import type { Result } from '../../server/answers.ts';
import { ask, SLOW_WITHIN_MS } from '../../server/ask.ts';
import type { Reconciliation } from '../../server/setup-answers.ts';
import { refreshAnswers, useAnswer } from '../../server/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { Panel } from '../../ui/panel.tsx';
import { RefusedWords } from '../../ui/refused.tsx';
import { Unanswered } from '../../ui/unanswered.tsx';
import { useAction } from '../../ui/use-action.ts';
import { When } from '../../ui/when.tsx';
import { nameOf } from './account-rows.ts';

const PATH = '/reconciliation';
/** The answer has up to 50; the alarms have told them all. */
const MOST_EARLIER = 10;

export function ReconciliationPanel() {
  const { answer, refused: unanswered } = useAnswer<Result<readonly Reconciliation[]>>(PATH);
  const [now, setNow] = useState<readonly Reconciliation[]>();
  const { isBusy, refused, run } = useAction(async () => {
    const { result } = await ask<Result<readonly Reconciliation[]>>(PATH, { method: 'POST', withinMs: SLOW_WITHIN_MS });
    setNow(result);
    refreshAnswers();
  });
  const accounts = answer?.result ?? now;
  if (accounts === undefined) return <Unanswered title="Books and venues" refused={unanswered} />;
  return (
    <Panel
      title="Books and venues"
      aside={
        accounts.length > 0 && (
          <Button isSmall disabled={isBusy} onClick={run}>
            {isBusy ? 'Comparing…' : 'Compare now'}
          </Button>
        )
      }
    >
      {accounts.length === 0 && (
        <p class="empty">
          Every account is on paper: nobody else can trade there, so there is nothing to compare. Testnet and live
          accounts are compared with their venues every minute.
        </p>
      )}
      <RefusedWords words={refused} />
      {accounts.map((account) => (
        <Compared key={nameOf(account)} account={account} />
      ))}
    </Panel>
  );
}

function Compared({ account }: { readonly account: Reconciliation }) {
  const { agrees, comparedAt, error, positions, orders, differences, earlier } = account;
  return (
    <section class="compared" aria-label={nameOf(account)}>
      <header>
        <strong>{nameOf(account)}</strong>
        <Chip tone={agrees ? 'up' : 'warn'}>
          {agrees ? 'agrees' : error === null ? 'differs' : 'could not be compared'}
        </Chip>
        <span class="quiet">
          {comparedAt === null ? (
            'not compared yet'
          ) : (
            <>
              <When atMs={comparedAt} nowMs={Date.now()} /> · {positions} {positions === 1 ? 'position' : 'positions'},{' '}
              {orders} resting {orders === 1 ? 'order' : 'orders'}
            </>
          )}
        </span>
      </header>
      {error !== null && <p class="down">{error}</p>}
      <ul>
        {differences.map((difference) => (
          <DifferenceItem key={difference.detail} {...difference} />
        ))}
      </ul>
      {earlier.length > 0 && (
        <>
          <h3>Before</h3>
          <ul>
            {earlier.slice(0, MOST_EARLIER).map((difference) => (
              <DifferenceItem key={`${difference.at} ${difference.detail}`} {...difference} />
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

const OUTCOMES = {
  adopted: 'taken into our books',
  told: 'nothing was changed, look at it',
  open: 'looked at again soon',
} as const;

interface DifferenceProps {
  readonly outcome: keyof typeof OUTCOMES;
  readonly market: string | null;
  readonly detail: string;
  readonly at?: number;
}

const DifferenceItem = ({ outcome, market, detail, at }: DifferenceProps) => (
  <li class="difference">
    {at !== undefined && <When atMs={at} nowMs={Date.now()} />} {market !== null && <strong>{market}</strong>} {detail}{' '}
    <span class="quiet">({OUTCOMES[outcome]})</span>
  </li>
);

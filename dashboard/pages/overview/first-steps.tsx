// The first steps, shown until they are done or put away: each knows by itself whether it is done.

import { useState } from 'preact/hooks';
import type { Result, Trade } from '../../server/answers.ts';
import { ask } from '../../server/ask.ts';
import { SendOnce } from '../../server/send-once.ts';
import type { IssuedKey, KnownAccounts, Notifier, Reach } from '../../server/setup-answers.ts';
import { refreshAnswers, useAnswer } from '../../server/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { Panel } from '../../ui/panel.tsx';
import { linkTo } from '../../ui/places.ts';
import { RefusedWords } from '../../ui/refused.tsx';
import { type Action, useAction } from '../../ui/use-action.ts';
import { words } from '../../ui/words.ts';
import './first-steps.css';
import { paperVenueOf, type Step, type StepName, stepsOf, TEST_ACCOUNT } from './steps-done.ts';

const PUT_AWAY = 'signalbox.first-steps';

export function FirstSteps() {
  const [isPutAway, setPutAway] = useState(localStorage.getItem(PUT_AWAY) !== null);
  if (isPutAway) return null;
  const putAway = (): void => {
    localStorage.setItem(PUT_AWAY, 'put away');
    setPutAway(true);
  };
  return <Steps onPutAway={putAway} />;
}

function Steps({ onPutAway }: { readonly onPutAway: () => void }) {
  const { answer: trades } = useAnswer<Result<readonly Trade[]>>('/trades?limit=50');
  const { answer: reach } = useAnswer<Result<Reach>>('/admin/reach');
  const { answer: notifiers } = useAnswer<Result<readonly Notifier[]>>('/admin/notifiers');
  const { answer: known } = useAnswer<Result<KnownAccounts>>('/admin/accounts', 30_000);
  const [once] = useState(() => new SendOnce());
  // Here and not beside its button, which goes once the signal has traded: what failed is told all the same.
  const test = useAction((exchange: string) => sendTest(exchange, once));
  if (!trades || !reach || !notifiers || !known) return null;
  const { accounts } = known.result;
  const steps = stepsOf({ trades: trades.result, reach: reach.result, notifiers: notifiers.result, accounts });
  const done = steps.filter(({ isDone }) => isDone).length;
  if (done === steps.length && test.refused === undefined) return null;
  return (
    <Panel
      title="First steps"
      aside={
        <span class="steps-aside">
          {done} of {steps.length} done
          <Button isSmall onClick={onPutAway}>
            Put away
          </Button>
        </span>
      }
    >
      <ol class="first-steps">
        {steps.map((step) => (
          <StepItem key={step.name} step={step} paper={paperVenueOf(accounts)} test={test} />
        ))}
      </ol>
    </Panel>
  );
}

const TITLES: Readonly<Record<StepName, string>> = {
  signal: 'Send a test signal',
  tradingview: 'Connect TradingView',
  telegram: 'Let yourself be told',
  live: 'Go live',
};
const LINKS: Readonly<Partial<Record<StepName, readonly [page: string, words: string]>>> = {
  tradingview: ['alerts', 'Make the alert'],
  telegram: ['settings', 'Set up Telegram'],
  live: ['accounts', 'Look at accounts'],
};

interface StepItemProps {
  readonly step: Step;
  readonly paper: string | undefined;
  readonly test: Action<[exchange: string]>;
}

function StepItem({ step: { name, isDone, words: said }, paper, test }: StepItemProps) {
  const link = LINKS[name];
  return (
    <li class={words(isDone && 'done')}>
      <span class="mark" aria-hidden="true">
        {isDone ? '✓' : ''}
      </span>
      <div>
        <strong>
          {TITLES[name]}
          {isDone && <span class="sr-only"> (done)</span>}
        </strong>
        <p>{said}</p>
        {!isDone && name === 'signal' && paper !== undefined && (
          <Button isSmall disabled={test.isBusy} onClick={() => void test.run(paper)}>
            Send a test signal
          </Button>
        )}
        {name === 'signal' && <RefusedWords words={test.refused} />}
        {!isDone && link !== undefined && <a href={linkTo(link[0])}>{link[1]}</a>}
      </div>
    </li>
  );
}

const TEST = { account: TEST_ACCOUNT, action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01, comment: 'test signal' };

/** By the same door as every signal, with a key that lives as long as the test. It trades once, however often it is pressed. */
async function sendTest(exchange: string, once: SendOnce): Promise<void> {
  const scope = { label: 'test signal', exchanges: [exchange], symbols: [TEST.symbol] };
  const { result: key } = await ask<Result<IssuedKey>>('/admin/webhook-keys', { method: 'POST', body: scope });
  const notSent = await failureOf(once.post('/webhook', { apiKey: key.apiKey, exchange, ...TEST }));
  const notRevoked = await failureOf(ask(`/admin/webhook-keys/${key.keyId}`, { method: 'DELETE' }));
  refreshAnswers();
  const failures = [
    ...(notSent === undefined ? [] : [notSent]),
    ...(notRevoked === undefined
      ? []
      : [`The key of the test could not be revoked: ${notRevoked} Revoke “${scope.label}” under Alerts & keys.`]),
  ];
  if (failures.length > 0) throw new Error(failures.join(' '));
}

const failureOf = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: Error) => error.message,
  );

// Who is told: the channels that are set, how each is doing, and a test by all of them.

import { useState } from 'preact/hooks';
import type { Result } from '../../server/answers.ts';
import { ask, SLOW_WITHIN_MS } from '../../server/ask.ts';
import type { Notifier, TestedNotifier } from '../../server/setup-answers.ts';
import { refreshAnswers, useAnswer } from '../../server/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { Chip, type Tone } from '../../ui/chip.tsx';
import { CopyBlock } from '../../ui/copy.tsx';
import { GuideLink } from '../../ui/guide-link.tsx';
import { Panel } from '../../ui/panel.tsx';
import { RefusedWords } from '../../ui/refused.tsx';
import { ago, inUtc } from '../../ui/times.ts';
import { Unanswered } from '../../ui/unanswered.tsx';
import { useAction } from '../../ui/use-action.ts';

export function NotifiersPanel() {
  const { answer, refused: unanswered } = useAnswer<Result<readonly Notifier[]>>('/admin/notifiers');
  const [tested, setTested] = useState<readonly TestedNotifier[]>([]);
  const { isBusy, refused, run } = useAction(async () => {
    setTested([]);
    const question = { method: 'POST', effect: 'none', withinMs: SLOW_WITHIN_MS } as const;
    const { result } = await ask<Result<readonly TestedNotifier[]>>('/admin/notifiers/test', question);
    setTested(result);
    refreshAnswers();
  });
  if (answer === undefined) return <Unanswered title="Who is told" refused={unanswered} />;
  const notifiers = answer.result;
  return (
    <Panel
      title="Who is told"
      aside={
        notifiers.length > 0 && (
          <Button isSmall disabled={isBusy} onClick={run}>
            {isBusy ? 'Sending…' : 'Send a test'}
          </Button>
        )
      }
    >
      {notifiers.length === 0 && <HowTo />}
      <RefusedWords words={refused} />
      <ul class="notifiers">
        {notifiers.map((notifier) => (
          <NotifierItem
            key={notifier.channel}
            notifier={notifier}
            test={tested.find(({ channel }) => channel === notifier.channel)}
          />
        ))}
      </ul>
    </Panel>
  );
}

const STATES: Readonly<Record<Notifier['state'], readonly [words: string, tone: Tone]>> = {
  idle: ['nothing sent yet', 'plain'],
  working: ['working', 'up'],
  failing: ['failing, tried again', 'warn'],
  refused: ['refused: a setting is wrong', 'down'],
};

function NotifierItem({ notifier, test }: { readonly notifier: Notifier; readonly test: TestedNotifier | undefined }) {
  const { channel, notices, state, waiting, lastDeliveredAt, lastFailure } = notifier;
  const [words, tone] = STATES[state];
  return (
    <li>
      <p>
        <strong>{channel}</strong> <Chip tone={tone}>{words}</Chip>{' '}
        <span class="quiet">
          {notices.join(', ')}
          {waiting > 0 && `, ${waiting} waiting`}
          {lastDeliveredAt !== null && (
            <>
              , delivered <time title={inUtc(lastDeliveredAt)}>{ago(lastDeliveredAt, Date.now())}</time>
            </>
          )}
        </span>
      </p>
      {lastFailure !== null && state !== 'working' && <p class="down">{lastFailure}</p>}
      {test !== undefined && (
        <p role="status" class={test.delivered ? 'up' : 'down'}>
          {test.delivered
            ? 'The test has arrived.'
            : `The test has not arrived: ${test.error ?? 'no reason was given'}`}
        </p>
      )}
    </li>
  );
}

const TELEGRAM = `TELEGRAM_BOT_TOKEN=123456789:AA…
TELEGRAM_DEFAULT_CHAT=123456789`;

const HowTo = () => (
  <div class="inside">
    <p class="lead">
      Nobody is told of fills, refusals and alarms yet. For Telegram: write <code>/newbot</code> to @BotFather, copy the
      token it gives you, send your new bot <code>/start</code>, put both lines into <code>.env</code>, and restart.
    </p>
    <CopyBlock label="the settings of Telegram" text={TELEGRAM} />
    <p class="hint">
      For Discord, ntfy, e-mail and webhooks: <GuideLink guide="notices" words="the guide to notices" />.
    </p>
  </div>
);

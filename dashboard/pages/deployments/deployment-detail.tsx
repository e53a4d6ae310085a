// One deployment: its facts, where its orders go, what it did, and what can be done with it.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Result } from '../../server/answers.ts';
import type { Refused } from '../../server/ask.ts';
import { type Deployment, deploymentPath, type LogLine, pause, remove, resume } from '../../server/deployments.ts';
import type { WebhookKey } from '../../server/setup-answers.ts';
import { refreshAnswers, useAnswer } from '../../server/use-answer.ts';
import { WEBHOOK_KEYS } from '../../server/webhook-keys.ts';
import { Button } from '../../ui/button.tsx';
import { Facts, type FactsProps } from '../../ui/facts.tsx';
import { fixed, plain } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { linkTo } from '../../ui/places.ts';
import { RefusedWords } from '../../ui/refused.tsx';
import { spaced } from '../../ui/spaced.ts';
import { type Column, Table } from '../../ui/table.tsx';
import { Unanswered } from '../../ui/unanswered.tsx';
import { When } from '../../ui/when.tsx';
import { DangerQuestion } from '../script/questions.tsx';
import { ComparisonPanel } from './comparison-panel.tsx';
import { GoLive } from './go-live.tsx';
import { OpinionsPanel } from './opinions-panel.tsx';
import { Mode, State } from './state-chips.tsx';
import { exchangeOf } from './trading-places.ts';
import { sendingTarget } from './trading-plan.ts';
import { WhereItTrades } from './where-it-trades.tsx';

export interface DetailProps {
  readonly scriptKey: string;
  readonly deployment: Deployment;
}

export function DeploymentDetail({ scriptKey, deployment }: DetailProps) {
  const { id, name, lastError, drift, scriptType, targets } = deployment;
  const hasOpinions = targets.some(({ type }) => type === 'second-opinion');
  return (
    <div class="deployments">
      <header class="deployment-head">
        <a href={linkTo('deployments')}>← Deployments</a>
        <h2>{name}</h2>
        <State {...deployment} />
        <Mode {...deployment} />
        <Actions scriptKey={scriptKey} deployment={deployment} />
      </header>
      {lastError !== null && <Wrong title="Last error">{lastError}</Wrong>}
      {drift !== null && <Wrong title="Drift">{drift}</Wrong>}
      <div class="two">
        <WhereItsOrdersGo deployment={deployment} />
        <Panel title="How it is set">
          <Facts facts={factsOf(deployment)} />
        </Panel>
      </div>
      {hasOpinions && <OpinionsPanel scriptKey={scriptKey} id={id} />}
      {scriptType === 'strategy' && <ComparisonPanel scriptKey={scriptKey} id={id} />}
      <Log scriptKey={scriptKey} id={id} />
    </div>
  );
}

function Log({ scriptKey, id }: PartProps) {
  const { answer, refused } = useAnswer<{ logs: readonly LogLine[] }>(deploymentPath(id, '/logs'), 5_000, scriptKey);
  if (answer === undefined) return <Unanswered title="What it did" refused={refused} />;
  return (
    <Panel title="What it did" aside="newest first">
      <RefusedWords words={refused?.message} />
      <Table
        label="What it did"
        columns={LOG_COLUMNS}
        rows={answer.logs}
        keyOf={({ at, kind, message }) => `${at} ${kind} ${message}`}
      />
    </Panel>
  );
}

const Wrong = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <p role="alert" class="down">
    <strong>{title}:</strong> {children}
  </p>
);

function Actions({ scriptKey, deployment }: DetailProps) {
  const [asked, setAsked] = useState<'pause' | 'resume' | 'remove' | 'trade'>();
  const { id, name, state, mode } = deployment;
  const close = (): void => setAsked(undefined);
  const sends = mode === 'dry-run' ? sendingTarget(deployment) : undefined;
  const done = async (work: Promise<unknown>): Promise<void> => {
    await work;
    refreshAnswers();
  };
  return (
    <div class="actions">
      {state === 'running' ? (
        <Button onClick={() => setAsked('pause')}>Pause…</Button>
      ) : (
        <Button onClick={() => setAsked('resume')}>Resume…</Button>
      )}
      <Button kind="danger" onClick={() => setAsked('remove')}>
        Stop and remove…
      </Button>
      {sends !== undefined && (
        <Button kind="filled" onClick={() => setAsked('trade')}>
          {sends.type === 'trade' ? 'Let it trade…' : 'Let it send…'}
        </Button>
      )}
      {asked === 'pause' && (
        <DangerQuestion
          {...{ title: `Pause ${name}?`, keep: 'Let it run', action: 'Pause it', onClose: close }}
          words="Nothing runs until it is resumed. What its strategy holds stays open, and its exits do not run either."
          onDo={() => done(pause(scriptKey, id))}
        />
      )}
      {asked === 'resume' && (
        <DangerQuestion
          {...{ title: `Resume ${name}?`, keep: 'Leave it paused', action: 'Resume it', onClose: close }}
          words="It goes on with the next bar that closes. Bars that closed meanwhile do not act."
          onDo={() => done(resume(scriptKey, id))}
        />
      )}
      {asked === 'remove' && <RemoveQuestion {...{ scriptKey, deployment, onClose: close }} />}
      {asked === 'trade' && <GoLive {...{ scriptKey, deployment, onClose: close }} />}
    </div>
  );
}

/** A deployment that holds a position is removed only when that was said; the server says what it holds. */
function RemoveQuestion({ scriptKey, deployment, onClose }: DetailProps & { readonly onClose: () => void }) {
  const [held, setHeld] = useState<string>();
  const take = async (): Promise<void> => {
    try {
      await remove(scriptKey, deployment.id, held !== undefined);
    } catch (error) {
      if ((error as Refused).code === 'CONFLICT') setHeld((error as Refused).message);
      throw error;
    }
    refreshAnswers();
    location.hash = linkTo('deployments');
  };
  return (
    <DangerQuestion
      {...{ title: `Stop ${deployment.name}?`, keep: 'Keep it', onDo: take, onClose }}
      action={held === undefined ? 'Stop and remove it' : 'Remove it, keep the position'}
      words="It ends now, and its log goes with it. The script stays in the library."
    />
  );
}

const endedWords = (key: WebhookKey | undefined): string =>
  key === undefined ? '' : ', revoked: its orders are refused';

/** Where its orders go, with which money: what must be known of everything that trades. */
function WhereItsOrdersGo({ deployment }: Pick<DetailProps, 'deployment'>) {
  const { targets, symbol, mode } = deployment;
  const { answer: keys } = useAnswer<Result<readonly WebhookKey[]>>(WEBHOOK_KEYS);
  const sending = targets.filter(({ type }) => type === 'trade' || type === 'second-opinion');
  if (sending.length === 0) return null;
  return (
    <Panel title="Where its orders go" aside={mode === 'trade' ? 'they are sent' : 'dry run: nothing is sent'}>
      {sending.map((target) => {
        const label = String(target.keyLabel);
        const found = keys?.result.find(({ keyId }) => keyId === target.keyId);
        return (
          <WhereItTrades
            key={target.keyId}
            exchange={exchangeOf(target, symbol)}
            webhookKey={
              found?.revokedAt === null ? found : { label: `${label}${endedWords(found)}`, routes: undefined }
            }
          />
        );
      })}
    </Panel>
  );
}

function factsOf(deployment: Deployment): FactsProps['facts'] {
  const { symbol, interval, barsFrom, revision, scriptId, lastBarTime, position, runs, alerts, inputs } = deployment;
  const { scriptType, initialCapital } = deployment;
  const inputWords = Object.entries(inputs).map(([title, value]) => `${title} ${String(value)}`);
  return [
    ['Market', `${symbol} ${interval}, bars from ${barsFrom ?? 'nowhere yet'}`],
    [
      'Script',
      <a key="script" href={linkTo('library', scriptId)}>
        revision {revision}
      </a>,
    ],
    ['Inputs', inputWords.join(', ') || 'the script’s own'],
    ...(scriptType === 'strategy'
      ? [
          [
            'Capital it began with',
            initialCapital === null ? 'as the script declares it' : fixed(initialCapital),
          ] as const,
        ]
      : []),
    ['Position', plain(position)],
    ['Last bar', <When key="bar" atMs={lastBarTime} nowMs={Date.now()} />],
    ['Runs', plain(runs)],
    ['Alerts and fills', plain(alerts)],
  ];
}

const LOG_COLUMNS: readonly Column<LogLine>[] = [
  { title: 'Time', cell: ({ at }) => <When atMs={at} nowMs={Date.now()} /> },
  { title: 'What', cell: ({ kind }) => spaced(kind) },
  { title: 'Words', cell: ({ message }) => <span class="log-words">{message}</span> },
];

interface PartProps {
  readonly scriptKey: string;
  readonly id: string;
}

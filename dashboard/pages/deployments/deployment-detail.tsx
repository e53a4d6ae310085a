// One deployment: its facts, what it did, TradingView's opinion of it, and its live fills over its backtest.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Refused } from '../../server/ask.ts';
import {
  type Comparison,
  compare,
  type Deployment,
  deploymentPath,
  type LogLine,
  type Opinions,
  pause,
  remove,
  resume,
} from '../../server/deployments.ts';
import { refreshAnswers, useAnswer } from '../../server/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { fixed, gainOrLoss, plain, signed } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { linkTo } from '../../ui/places.ts';
import { type Column, Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { DangerQuestion } from '../library/questions.tsx';
import { GoLive } from './go-live.tsx';
import { Mode, State } from './state-chips.tsx';

export interface DetailProps {
  readonly scriptKey: string;
  readonly deployment: Deployment;
}

export function DeploymentDetail({ scriptKey, deployment }: DetailProps) {
  const { id, name, lastError, drift, scriptType, targets } = deployment;
  const { answer: log } = useAnswer<{ logs: readonly LogLine[] }>(deploymentPath(id, '/logs'), 5_000, scriptKey);
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
      <Facts {...deployment} />
      {hasOpinions && <SecondOpinion scriptKey={scriptKey} id={id} />}
      {scriptType === 'strategy' && <OverBacktest scriptKey={scriptKey} id={id} />}
      <Panel title="What it did" aside="newest first">
        {log !== undefined && (
          <Table
            label="What it did"
            columns={LOG_COLUMNS}
            rows={log.logs}
            keyOf={({ at, kind, message }) => `${at} ${kind} ${message}`}
          />
        )}
      </Panel>
    </div>
  );
}

const Wrong = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <p role="alert" class="down">
    <strong>{title}:</strong> {children}
  </p>
);

function Actions({ scriptKey, deployment }: DetailProps) {
  const [asked, setAsked] = useState<'pause' | 'resume' | 'remove' | 'trade'>();
  const { id, name, state, mode, targets } = deployment;
  const close = (): void => setAsked(undefined);
  const may = targets.some(({ type }) => type === 'trade') && mode === 'dry-run';
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
      {may && (
        <Button kind="filled" onClick={() => setAsked('trade')}>
          Let it trade…
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

const Facts = ({
  symbol,
  interval,
  barsFrom,
  revision,
  scriptId,
  lastBarTime,
  position,
  runs,
  alerts,
  inputs,
}: Deployment) => (
  <dl class="facts">
    <Fact title="Market">
      {symbol} {interval}, bars from {barsFrom ?? 'nowhere yet'}
    </Fact>
    <Fact title="Script">
      <a href={linkTo('library', scriptId)}>revision {revision}</a>
    </Fact>
    <Fact title="Last bar">
      <When atMs={lastBarTime} nowMs={Date.now()} />
    </Fact>
    <Fact title="Position">{plain(position)}</Fact>
    <Fact title="Runs">{runs}</Fact>
    <Fact title="Alerts and fills">{alerts}</Fact>
    <Fact title="Inputs">
      {Object.entries(inputs)
        .map(([title, value]) => `${title} ${String(value)}`)
        .join(', ') || 'the script’s own'}
    </Fact>
  </dl>
);

const Fact = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{title}</dt>
    <dd>{children}</dd>
  </div>
);

const LOG_COLUMNS: readonly Column<LogLine>[] = [
  { title: 'Time', cell: ({ at }) => <When atMs={at} nowMs={Date.now()} /> },
  { title: 'What', cell: ({ kind }) => kind },
  { title: 'Words', cell: ({ message }) => <span class="log-words">{message}</span> },
];

interface PartProps {
  readonly scriptKey: string;
  readonly id: string;
}

function SecondOpinion({ scriptKey, id }: PartProps) {
  const { answer } = useAnswer<Opinions>(deploymentPath(id, '/opinions'), 10_000, scriptKey);
  if (answer === undefined) return null;
  const counts = Object.entries(answer.counts).map(([state, count]) => `${count} ${state}`);
  return (
    <Panel title="TradingView’s opinion" aside={counts.join(' · ')}>
      {answer.alert !== null && (
        <div class="alert-text">
          <p>{answer.alert.note}</p>
          {answer.alert.message !== null && <pre>{answer.alert.message}</pre>}
        </div>
      )}
      <Table
        label="TradingView’s opinion"
        columns={OPINION_COLUMNS}
        rows={answer.opinions}
        keyOf={({ alertId }) => alertId}
      />
    </Panel>
  );
}

const OPINION_COLUMNS: readonly Column<Opinions['opinions'][number]>[] = [
  { title: 'Time', cell: ({ updatedAt }) => <When atMs={updatedAt} nowMs={Date.now()} /> },
  { title: 'Alert', isExtra: true, cell: ({ alertId }) => alertId },
  { title: 'Opinion', cell: ({ state }) => state },
  { title: 'Why', cell: ({ words }) => <span class="log-words">{words}</span> },
];

/** Asked for by hand: each runs the script over all its bars. */
function OverBacktest({ scriptKey, id }: PartProps) {
  const [found, setFound] = useState<Comparison>();
  const [refused, setRefused] = useState<string>();
  const run = async (): Promise<void> => {
    try {
      setFound(await compare(scriptKey, id));
      setRefused(undefined);
    } catch (error) {
      setRefused((error as Refused).message);
    }
  };
  return (
    <Panel title="Live over backtest" aside={<Button onClick={() => void run()}>Compare</Button>}>
      {refused !== undefined && (
        <p role="alert" class="empty">
          {refused}
        </p>
      )}
      {found === undefined ? (
        refused === undefined && (
          <p class="empty">Each fill of the script as its backtest has it, beside what was filled.</p>
        )
      ) : (
        <>
          <p class="empty">
            Backtest{' '}
            <strong class={gainOrLoss(found.totals.backtestProfit)}>{signed(found.totals.backtestProfit)}</strong>, live{' '}
            <strong class={gainOrLoss(found.totals.liveProfit)}>{signed(found.totals.liveProfit)}</strong>, slippage{' '}
            {fixed(found.totals.slippageMoney)}, fees {fixed(found.totals.fees)}
          </p>
          {found.fills.length === 0 ? (
            <p class="empty">The script has not filled anything yet, neither here nor there.</p>
          ) : (
            <Table
              label="Live over backtest"
              columns={FILL_COLUMNS}
              rows={found.fills}
              keyOf={({ barTimeMs, orderId, verdict }) => `${barTimeMs} ${orderId} ${verdict}`}
            />
          )}
        </>
      )}
    </Panel>
  );
}

const FILL_COLUMNS: readonly Column<Comparison['fills'][number]>[] = [
  { title: 'Bar', cell: ({ barTimeMs }) => <When atMs={barTimeMs} nowMs={Date.now()} /> },
  { title: 'Order', cell: ({ orderId, expected }) => `${expected?.side ?? ''} ${orderId}` },
  { title: 'Quantity', isNumber: true, cell: ({ expected }) => plain(expected?.quantity) },
  { title: 'Backtest', isNumber: true, cell: ({ expected }) => plain(expected?.price) },
  { title: 'Live', isNumber: true, cell: ({ live }) => plain(live?.price) },
  { title: 'Slippage', isNumber: true, cell: ({ slippageMoney }) => fixed(slippageMoney) },
  { title: 'What became of it', cell: ({ verdict, reason }) => (reason === null ? verdict : `${verdict}: ${reason}`) },
];

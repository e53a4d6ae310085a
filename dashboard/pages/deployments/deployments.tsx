// Scripts that run live: what each does, how it is doing, and how to pause, resume and stop it.

import { useRef, useState } from 'preact/hooks';
import { DEPLOYMENTS, type Deployment } from '../../server/deployments.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { plain } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { linkTo, type Place } from '../../ui/places.ts';
import { type Column, Table } from '../../ui/table.tsx';
import { Unanswered } from '../../ui/unanswered.tsx';
import { When } from '../../ui/when.tsx';
import { AskForKey, ForgetKey, isKeyRefused, ScriptKeyGate } from '../script-key/script-key-gate.tsx';
import { DeployDialog } from './deploy-dialog.tsx';
import { DeploymentDetail } from './deployment-detail.tsx';
import './deployments.css';
import { MoneyCell } from './money-cell.tsx';
import { Mode, State } from './state-chips.tsx';
import { whatIsWrong } from './what-is-wrong.ts';

export const Deployments = ({ place }: { readonly place: Place }) => (
  <ScriptKeyGate what="your deployments">
    {(key) => <OpenDeployments key={key} scriptKey={key} id={place.rest[0]} />}
  </ScriptKeyGate>
);

interface OpenDeploymentsProps {
  readonly scriptKey: string;
  readonly id: string | undefined;
}

function OpenDeployments({ scriptKey, id }: OpenDeploymentsProps) {
  const { answer, refused } = useAnswer<{ deployments: readonly Deployment[] }>(DEPLOYMENTS, 5_000, scriptKey);
  const [isDeploying, setDeploying] = useState(false);
  if (isKeyRefused(refused)) return <AskForKey what="your deployments" refused={refused} />;
  if (answer === undefined) return <Unanswered title="Deployments" refused={refused} />;
  if (id !== undefined) return <OneDeployment key={id} scriptKey={scriptKey} id={id} all={answer.deployments} />;
  return (
    <div class="deployments">
      <Panel
        title="Deployments"
        aside={
          <Button kind="filled" onClick={() => setDeploying(true)}>
            Deploy a script…
          </Button>
        }
      >
        {answer.deployments.length === 0 ? (
          <p class="empty">
            Nothing runs live yet. A deployed script runs at every close of a bar; its alerts and orders are delivered
            where you say. It begins as a dry run, which only writes down what it would trade.
          </p>
        ) : (
          <Table
            label="Deployments"
            columns={COLUMNS}
            rows={answer.deployments}
            keyOf={(deployment) => deployment.id}
            linkOf={(deployment) => linkTo('deployments', deployment.id)}
          />
        )}
      </Panel>
      <ForgetKey />
      {isDeploying && <DeployDialog scriptKey={scriptKey} onClose={() => setDeploying(false)} />}
    </div>
  );
}

interface OneDeploymentProps {
  readonly scriptKey: string;
  readonly id: string;
  readonly all: readonly Deployment[];
}

/** One that goes while somebody looks at it stays in view and says so: a question that stands over it must not vanish. */
function OneDeployment({ scriptKey, id, all }: OneDeploymentProps) {
  const seen = useRef<Deployment>(undefined);
  const found = all.find((deployment) => deployment.id === id);
  seen.current = found ?? seen.current;
  return (
    <>
      {found === undefined && <Gone />}
      {seen.current !== undefined && <DeploymentDetail scriptKey={scriptKey} deployment={seen.current} />}
    </>
  );
}

const Gone = () => (
  <p role="alert">
    There is no such deployment any more: it was removed, or another took its place.{' '}
    <a href={linkTo('deployments')}>Show all</a>
  </p>
);

const COLUMNS: readonly Column<Deployment>[] = [
  { title: 'Name', cell: ({ name }) => <strong>{name}</strong> },
  {
    title: 'Market',
    cell: ({ symbol, interval }) => (
      <span>
        {symbol} <span class="quiet">{interval}</span>
      </span>
    ),
  },
  { title: 'State', cell: State },
  { title: 'Mode', cell: Mode },
  { title: 'Money', cell: (deployment) => <MoneyCell deployment={deployment} /> },
  { title: 'Last bar', cell: ({ lastBarTime }) => <When atMs={lastBarTime} nowMs={Date.now()} /> },
  { title: 'Position', isNumber: true, cell: ({ position }) => plain(position) },
  { title: 'Alerts', isNumber: true, isExtra: true, cell: ({ alerts }) => plain(alerts) },
  {
    title: 'What is wrong',
    cell: (row) => whatIsWrong(row) !== '' && <span class="wrong">{whatIsWrong(row)}</span>,
  },
];

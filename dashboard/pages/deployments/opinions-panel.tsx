// What TradingView's own alerts said of a deployment's orders.

import { deploymentPath, type Opinions } from '../../server/deployments.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { CopyBlock } from '../../ui/copy.tsx';
import { Panel } from '../../ui/panel.tsx';
import { spaced } from '../../ui/spaced.ts';
import { type Column, Table } from '../../ui/table.tsx';
import { Unanswered } from '../../ui/unanswered.tsx';
import { When } from '../../ui/when.tsx';

interface OpinionsPanelProps {
  readonly scriptKey: string;
  readonly id: string;
}

export function OpinionsPanel({ scriptKey, id }: OpinionsPanelProps) {
  const { answer, refused } = useAnswer<Opinions>(deploymentPath(id, '/opinions'), 10_000, scriptKey);
  if (answer === undefined) return <Unanswered title="TradingView’s opinion" refused={refused} />;
  const counts = Object.entries(answer.counts).map(([state, count]) => `${count} ${spaced(state)}`);
  return (
    <Panel title="TradingView’s opinion" aside={counts.join(' · ')}>
      {answer.alert !== null && (
        <div class="alert-text">
          <p>{answer.alert.note}</p>
          {answer.alert.message !== null && (
            <CopyBlock label="the text of TradingView’s alert" text={answer.alert.message} />
          )}
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
  { title: 'Opinion', cell: ({ state }) => spaced(state) },
  { title: 'Why', cell: ({ words }) => <span class="log-words">{words}</span> },
];

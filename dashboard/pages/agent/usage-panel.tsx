// What the agent has cost, by provider, by model and by day, and how each provider is doing.

import type { Result } from '../../server/answers.ts';
import type { AgentStatus, AgentUsage } from '../../server/setup-answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { Chip, type Tone } from '../../ui/chip.tsx';
import { Facts } from '../../ui/facts.tsx';
import { LineChart } from '../../ui/line-chart.tsx';
import { fixed, plain } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { day } from '../../ui/times.ts';
import { Unanswered } from '../../ui/unanswered.tsx';

export function UsagePanel({ status }: { readonly status: AgentStatus }) {
  const { answer, refused } = useAnswer<Result<AgentUsage>>('/usage', 10_000);
  if (answer === undefined) return <Unanswered title="Usage and cost" refused={refused} />;
  const usage = answer.result;
  const rows = status.providers.map((provider) => ({ ...provider, used: usage.byProvider[provider.provider] }));
  return (
    <Panel title="Usage and cost" aside={`since ${day(usage.since)}`}>
      <Facts
        facts={[
          ['Cost', `${fixed(usage.totalCostUsd, 4)} USD`],
          ['Calls', plain(usage.totalRequests)],
          ['Tokens', plain(usage.totalTokens)],
          ...(usage.estimatedRequests > 0 ? [['Of these estimated', plain(usage.estimatedRequests)] as const] : []),
          ...(usage.unpricedModels.length > 0 ? [['Without a price', usage.unpricedModels.join(', ')] as const] : []),
        ]}
      />
      {rows.length > 0 && <Table label="Providers" columns={COLUMNS} rows={rows} keyOf={({ provider }) => provider} />}
      {usage.byModel.length > 0 && (
        <Table
          label="Models"
          columns={MODEL_COLUMNS}
          rows={usage.byModel}
          keyOf={({ provider, model }) => `${provider} ${model}`}
        />
      )}
      {usage.byDay.length > 1 && (
        <div class="by-day">
          <h3>Cost by day, USD</h3>
          <LineChart
            label="Cost by day, USD"
            nowMs={Date.now()}
            show={(cost) => fixed(cost, 4)}
            points={usage.byDay.map(({ day: on, costUsd }) => ({ at: Date.parse(on), value: costUsd }))}
          />
        </div>
      )}
    </Panel>
  );
}

interface ProviderRow {
  readonly provider: string;
  readonly model: string;
  readonly circuit: string;
  readonly lastOutcome: string | null;
  readonly used: AgentUsage['byProvider'][string] | undefined;
}

function stateOf({ circuit, lastOutcome }: ProviderRow): readonly [words: string, tone: Tone] {
  if (circuit === 'open') return ['left alone for a while', 'down'];
  if (lastOutcome === null) return ['not asked lately', 'plain'];
  return lastOutcome === 'ok' ? ['answers', 'up'] : [lastOutcome, 'warn'];
}

const MODEL_COLUMNS: readonly Column<AgentUsage['byModel'][number]>[] = [
  { title: 'Model', cell: ({ model }) => model },
  { title: 'Calls', isNumber: true, cell: ({ requests }) => plain(requests) },
  { title: 'Tokens', isNumber: true, cell: ({ tokens }) => plain(tokens) },
  {
    title: 'Cost, USD',
    isNumber: true,
    cell: ({ costUsd, isPriced }) => (isPriced ? fixed(costUsd, 4) : 'no price known'),
  },
];

const COLUMNS: readonly Column<ProviderRow>[] = [
  {
    title: 'Provider',
    cell: ({ provider, model }) => (
      <span>
        <strong>{provider}</strong> <span class="model quiet">{model}</span>
      </span>
    ),
  },
  {
    title: 'State',
    cell: (row) => {
      const [words, tone] = stateOf(row);
      return <Chip tone={tone}>{words}</Chip>;
    },
  },
  { title: 'Calls', isNumber: true, cell: ({ used }) => plain(used?.requests ?? 0) },
  { title: 'Errors', isNumber: true, isExtra: true, cell: ({ used }) => plain(used?.errors ?? 0) },
  { title: 'Cost, USD', isNumber: true, cell: ({ used }) => fixed(used?.costUsd ?? 0, 4) },
];

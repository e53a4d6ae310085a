// What the agent has cost, by provider, and how each provider is doing.

import type { AgentStatus, AgentUsage } from '../../server/setup-answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { Chip, type Tone } from '../../ui/chip.tsx';
import { Facts } from '../../ui/facts.tsx';
import { fixed, plain } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { day } from '../../ui/times.ts';

export function UsagePanel({ status }: { readonly status: AgentStatus }) {
  const { answer: usage } = useAnswer<AgentUsage>('/agent/usage', 10_000);
  if (usage === undefined) return null;
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

const COLUMNS: readonly Column<ProviderRow>[] = [
  {
    title: 'Provider',
    cell: ({ provider, model }) => (
      <span>
        <strong>{provider}</strong> <span class="quiet">{model}</span>
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

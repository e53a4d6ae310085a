// What the agent has used and what it cost: one view of the ledger. GET /usage is the whole of it, for the dashboard's page of usage;
// GET /agent/usage, in the shape of the specification, is a part of the same.

import type { Agent } from '../../agent/agent.ts';
import type { UsageRow, UsageSums } from '../../agent/usage-ledger.ts';
import { StorageError, withoutFolders } from '../../errors/storage-error.ts';
import type { Endpoint, EndpointHandler } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import { AGENT_DOCS } from './agent-docs.ts';
import type { AgentUsageView } from './agent-schemas.ts';

const NANO_PER_USD = 1e9;

export interface AgentUsageDeps {
  readonly agent: Pick<Agent, 'usage'>;
  readonly onFault: (error: unknown, requestId: string) => void;
}

export function agentUsageEndpoints(deps: AgentUsageDeps): readonly Endpoint[] {
  const view = viewing(deps);
  const whole: EndpointHandler = async (c) => {
    const { requestId } = c.var;
    return c.json({ success: true, requestId, result: await view(requestId) });
  };
  const part: EndpointHandler = async (c) => {
    const { requestId } = c.var;
    const { byModel: _models, byDay: _days, ...sums } = await view(requestId);
    return c.json({ success: true, requestId, ...sums });
  };
  return [
    { ...AGENT_DOCS.usage, handler: part },
    { ...AGENT_DOCS.usageDetails, handler: whole },
  ];
}

const viewing =
  ({ agent, onFault }: AgentUsageDeps) =>
  async (requestId: string): Promise<AgentUsageView> => {
    const { sinceMs, rows } = await agent.usage().catch((error: unknown) => {
      if (!(error instanceof StorageError)) throw error;
      onFault(error, requestId);
      throw new Refusal('STORAGE_FAILED', `the usage cannot be read: ${withoutFolders(error.message)}`);
    });
    return usageView(rows, sinceMs);
  };

export function usageView(rows: readonly UsageRow[], sinceMs: number): AgentUsageView {
  const { requests, tokens, costUsd } = shown(summed(rows));
  const unpriced = rows.filter(({ isUnpriced }) => isUnpriced).map(({ model }) => model);
  const byProvider = groupedBy(rows, ({ provider }) => provider);
  const byModel = groupedBy(rows, ({ provider, model }) => JSON.stringify([provider, model]));
  const byDay = groupedBy(rows, ({ day }) => day);
  return {
    ...{ totalRequests: requests, totalTokens: tokens, totalCostUsd: costUsd },
    byProvider: Object.fromEntries([...byProvider].map(([provider, of]) => [provider, shown(summed(of))])),
    since: sinceMs,
    estimatedRequests: rows.reduce((sum, { estimatedRequests }) => sum + estimatedRequests, 0),
    unpricedModels: [...new Set(unpriced)].sort(),
    byModel: [...byModel].map(([name, of]) => {
      const [provider, model] = JSON.parse(name) as [string, string];
      return { provider, model, ...shown(summed(of)), isPriced: !of.some(({ isUnpriced }) => isUnpriced) };
    }),
    byDay: [...byDay].map(([day, of]) => ({ day, ...shown(summed(of)) })),
  };
}

const NOTHING: UsageSums = { requests: 0, tokens: 0, costNanoUsd: 0, errors: 0 };

/** Billionths of a dollar are whole, so that the sum of the parts is the whole. */
const summed = (rows: readonly UsageSums[]): UsageSums =>
  rows.reduce(
    (sum, { requests, tokens, costNanoUsd, errors }) => ({
      requests: sum.requests + requests,
      tokens: sum.tokens + tokens,
      costNanoUsd: sum.costNanoUsd + costNanoUsd,
      errors: sum.errors + errors,
    }),
    NOTHING,
  );

const shown = ({ requests, tokens, costNanoUsd, errors }: UsageSums) => ({
  ...{ requests, tokens, costUsd: costNanoUsd / NANO_PER_USD, errors },
});

const groupedBy = (rows: readonly UsageRow[], nameOf: (row: UsageRow) => string): ReadonlyMap<string, UsageRow[]> =>
  Map.groupBy(rows, nameOf);

// Puts the AI agent together: its providers in order, the ledger of its use, and what it may look at.

import { randomUUID } from 'node:crypto';
import { openModels } from '../adapters/models/ai-sdk/open-models.ts';
import type { UsageStorage } from '../adapters/storage/sql/owner/usage-ledger.ts';
import { createAgent } from '../agent/agent.ts';
import { type AgentToolDeps, createAgentTools } from '../services/gateway/agent-tools.ts';
import { monotonicMs, nowMs } from './clocks.ts';
import type { ProcessContext } from './process-context.ts';
import { readAgent } from './read-part-settings.ts';
import type { Teardown } from './teardown.ts';

const DAY_MS = 86_400_000;

export interface AgentParts {
  readonly context: ProcessContext;
  readonly teardown: Teardown;
  readonly usage: UsageStorage;
  /** What the model may look at. */
  readonly sights: Omit<AgentToolDeps, 'newRunId' | 'nowMs'>;
  readonly onTrouble: (what: string, error: unknown) => void;
}

export async function openAgent({ context, teardown, usage, sights, onTrouble }: AgentParts) {
  const { config, log } = context;
  const { timeoutMs, usageWindowDays, toolPolicy } = config.agent;
  const { chain, prices } = readAgent(config.agent);
  const agent = await createAgent({
    providers: openModels(chain),
    tools: createAgentTools({ ...sights, newRunId: () => randomUUID(), nowMs }),
    ledger: usage.ledger,
    prices,
    timeoutMs,
    usageWindowMs: usageWindowDays * DAY_MS,
    nowMs,
    monotonicMs,
    random: Math.random,
    onCall: (entry) => log.info(entry, 'model call'),
    onTrouble,
  });
  teardown.add(() => agent.close());
  return { agent, toolPolicy, probe: () => usage.probe() };
}

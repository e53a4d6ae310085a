// The agent: a conversation with a model that may look at your own data, and what that has cost.

import type { AgentStatus } from '../../server/setup-answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { CopyBlock } from '../../ui/copy.tsx';
import { Panel } from '../../ui/panel.tsx';
import './agent.css';
import { Unanswered } from '../../ui/unanswered.tsx';
import { ChatPanel } from './chat-panel.tsx';
import { UsagePanel } from './usage-panel.tsx';

export function AgentPage() {
  const { answer: status, refused } = useAnswer<AgentStatus>('/agent/status', 10_000);
  if (status === undefined) return <Unanswered refused={refused} />;
  return (
    <div class="agent">
      {status.providers.length === 0 ? <NotConfigured /> : <ChatPanel status={status} />}
      <UsagePanel status={status} />
    </div>
  );
}

const SETTINGS = `OPENAI_API_KEY=sk-…
# or ANTHROPIC_API_KEY, GOOGLE_API_KEY, or a model of your own:
# LOCAL_MODEL_URL=http://127.0.0.1:11434/v1
# AGENT_MODELS=local=llama3.1:8b`;

const NotConfigured = () => (
  <Panel title="No model is connected">
    <div class="inside">
      <p class="lead">
        The agent asks a language model of your choice: you bring the key of a provider, or a model that runs on your
        own machine. Put one of these into <code>.env</code> and restart. Until then nothing of it is loaded, and
        nothing leaves this machine.
      </p>
      <CopyBlock label="the settings of the agent" text={SETTINGS} />
    </div>
  </Panel>
);

// One question to its answer: the model is asked, what it wants looked up is looked up, until it has answered.

import type { CallContext, ProviderCaller, TextOut } from './call-provider.ts';
import { type Answered, askChain, NobodyAnswered } from './fallback-chain.ts';
import { ModelFault, type ModelMessage, type ModelRequest, type ProviderName } from './model-provider.ts';
import { type AgentTool, declineTool, runTool, type ToolCall, type ToolRun, type ToolRunParts } from './tool-calls.ts';

/** Rounds of looking things up before the model has to answer with what it knows. */
export const MAX_TOOL_ROUNDS = 8;
/** Lookups in one round; they run side by side. */
export const MAX_CALLS_PER_ROUND = 8;
/** Between texts that a model wrote before and after looking something up. */
const BETWEEN_TEXTS = '\n\n';

export interface Question {
  readonly messages: readonly ModelMessage[];
  readonly temperature?: number;
  readonly maxTokens?: number;
}

export interface AgentAnswer {
  readonly text: string;
  readonly provider: ProviderName;
  readonly model: string;
  /** `length`: stopped at maxTokens. `tool-limit`: it still wanted to look things up when it had to stop. */
  readonly finishReason: 'stop' | 'length' | 'tool-limit';
  readonly toolCalls: readonly ToolCall[];
  readonly warnings: readonly string[];
}

/** Hears an answer as it is made. All text together is the text of the answer. */
export interface AnswerListener {
  onText(text: string): void;
  onTool(call: ToolCall): void;
}

export interface ConverseParts extends Omit<ToolRunParts, 'signal'> {
  readonly callers: readonly ProviderCaller[];
  readonly context: Omit<CallContext, 'out'>;
  readonly listener?: AnswerListener | undefined;
}

/** Rejects as the chain does. */
export async function converse(question: Question, parts: ConverseParts): Promise<AgentAnswer> {
  const { callers, context, tools } = parts;
  const messages = [...question.messages];
  const texts: string[] = [];
  const toolCalls: ToolCall[] = [];
  const warnings = new Set<string>();
  let served: Answered | undefined;
  for (let round = 0; ; round += 1) {
    const request = requestOf(question, messages, tools);
    const out = textOut(parts.listener, texts.length > 0);
    served = await askChain(callers, request, { ...context, out }, served?.caller);
    const { reply, caller } = served;
    if (reply.text !== '') texts.push(reply.text);
    for (const warning of reply.warnings) warnings.add(`${caller.provider.name}: ${warning}`);
    if (reply.toolRequests.length === 0 || round > MAX_TOOL_ROUNDS) {
      if (texts.length === 0) throw new NobodyAnswered([{ provider: caller.provider.name, fault: neverAnswered() }]);
      return {
        text: texts.join(BETWEEN_TEXTS),
        provider: caller.provider.name,
        model: caller.provider.model,
        finishReason: reply.toolRequests.length > 0 ? 'tool-limit' : reply.finish === 'length' ? 'length' : 'stop',
        toolCalls,
        warnings: [...warnings],
      };
    }
    const runs = await runAll(served, round, parts);
    for (const { call } of runs) {
      toolCalls.push(call);
      parts.listener?.onTool(call);
    }
    messages.push(
      { role: 'assistant', text: reply.text, toolRequests: reply.toolRequests, origin: reply.origin },
      { role: 'tool', results: runs.map(({ result }) => result) },
    );
  }
}

const neverAnswered = (): ModelFault =>
  new ModelFault('malformed', 'it looked things up again and again and never answered; ask something narrower');

function runAll({ reply }: Answered, round: number, parts: ConverseParts): Promise<readonly ToolRun[]> {
  const run = { ...parts, signal: parts.context.signal };
  return Promise.all(
    reply.toolRequests.map(async (request, at) => {
      if (round >= MAX_TOOL_ROUNDS) return declineTool(request, 'nothing more is looked up; answer with what you know');
      if (at >= MAX_CALLS_PER_ROUND) return declineTool(request, `at most ${MAX_CALLS_PER_ROUND} calls at once`);
      return runTool(request, run);
    }),
  );
}

function requestOf(
  { temperature, maxTokens }: Question,
  messages: readonly ModelMessage[],
  tools: readonly AgentTool[],
): ModelRequest {
  return {
    messages,
    tools: tools.map(({ spec }) => spec),
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { maxTokens }),
  };
}

function textOut(listener: AnswerListener | undefined, goesOn: boolean): TextOut | undefined {
  if (listener === undefined) return undefined;
  let said = false;
  return {
    get said() {
      return said;
    },
    say(text) {
      listener.onText(goesOn && !said ? BETWEEN_TEXTS + text : text);
      said = true;
    },
  };
}

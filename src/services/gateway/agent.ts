// POST /agent/chat, POST /agent/vision and GET /agent/status: the agent as its owner asks it.

import { type Agent, AgentRefusal } from '../../agent/agent.ts';
import type { AgentAnswer, AnswerListener, Question } from '../../agent/converse.ts';
import { NobodyAnswered } from '../../agent/fallback-chain.ts';
import { ModelFault, type ModelMessage } from '../../agent/model-provider.ts';
import type { UsageEntry } from '../../agent/usage-ledger.ts';
import type { KitContext } from '../../http/context.ts';
import type { Endpoint, EndpointHandler } from '../../http/endpoint.ts';
import { ClientGone, Refusal } from '../../http/errors.ts';
import type { Kit } from '../../http/kit.ts';
import { maskSecrets } from '../../http/mask-secrets.ts';
import { readValid } from '../../http/read-body.ts';
import { AGENT_DOCS } from './agent-docs.ts';
import { readImage } from './agent-image.ts';
import { type ChatBody, chatSchema, visionSchema } from './agent-schemas.ts';
import { eventStream, wantsEvents } from './agent-stream.ts';
import { agentUsageEndpoints } from './agent-usage.ts';

/** `never`, only when a request says `tools: true`, or `always` unless it says `false`. */
export const TOOL_POLICIES = ['never', 'on-request', 'always'] as const;
export type ToolPolicy = (typeof TOOL_POLICIES)[number];

/** What an image without a prompt is asked. */
export const DEFAULT_VISION_PROMPT =
  'Describe this chart: the market and timeframe if they can be read, the trend, notable levels and patterns, and what speaks against that reading. Say so where something cannot be read.';
const NOT_CONFIGURED =
  'no AI provider is configured; set OPENAI_API_KEY, ANTHROPIC_API_KEY, GOOGLE_API_KEY or LOCAL_MODEL_URL';
const BUSY_RETRY_S = '5';

export interface AgentDeps {
  readonly agent: Agent;
  readonly toolPolicy: ToolPolicy;
  /** Keys of the trailing stops that are active now. */
  readonly activeTrailingStops: () => Promise<readonly string[]>;
  readonly onFault: (error: unknown, requestId: string) => void;
}

interface Asked {
  readonly door: UsageEntry['door'];
  readonly question: Question;
  readonly withTools: boolean;
  readonly view: (answer: AgentAnswer) => object;
}

/** `fail` turns what was thrown into the answer that says so, for streams that have begun. */
export function agentEndpoints(deps: AgentDeps, fail: Kit['fail']): readonly Endpoint[] {
  const answer = answering(deps, fail);
  return [
    { ...AGENT_DOCS.chat, handler: chatHandler(deps, answer) },
    { ...AGENT_DOCS.vision, handler: visionHandler(answer) },
    { ...AGENT_DOCS.status, handler: statusHandler(deps) },
    ...agentUsageEndpoints(deps),
  ];
}

type Answer = (c: KitContext, asked: Asked) => Promise<Response>;

/** Asks the agent, and answers in one piece or, where the client wants events, as they come. */
const answering =
  ({ agent }: AgentDeps, fail: Kit['fail']): Answer =>
  async (c, { door, question, withTools, view }) => {
    const { requestId } = c.var;
    const gone = new AbortController();
    const signal = AbortSignal.any([c.req.raw.signal, gone.signal]);
    const ask = async (listener?: AnswerListener): Promise<object> => {
      const context = { requestId, door, signal, withTools, listener };
      const answered = await agent.ask(question, context).catch((error) => {
        throw refusalOf(error, signal);
      });
      return { success: true, requestId, ...view(answered) };
    };
    if (!wantsEvents(c.req.header('accept'))) return c.json(await ask());
    const stream = await eventStream({
      answer: ask,
      failure: (thrown) => fail(thrown, requestId).body,
      onGone: () => gone.abort(),
    });
    // Proxies that gather an answer before they pass it on would defeat the purpose.
    return c.body(stream, 200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
  };

const chatHandler =
  ({ toolPolicy }: AgentDeps, answer: Answer): EndpointHandler =>
  async (c) => {
    const body = await readValid(c, chatSchema, { code: 'INVALID_PAYLOAD' });
    if (body.tools && toolPolicy === 'never')
      throw invalid('tools: are switched off here, leave the field out or change AGENT_TOOLS');
    const withTools = body.tools ?? toolPolicy === 'always';
    const view = ({ text, toolCalls, ...answered }: AgentAnswer) => ({ response: text, ...about(answered), toolCalls });
    return answer(c, { door: 'chat', question: chatQuestion(body), withTools, view });
  };

const visionHandler =
  (answer: Answer): EndpointHandler =>
  async (c) => {
    const asked = await readValid(c, visionSchema, { code: 'INVALID_PAYLOAD' });
    const { imageBase64, prompt = DEFAULT_VISION_PROMPT } = asked;
    const read = readImage(imageBase64);
    if ('fault' in read) throw invalid(`imageBase64: ${read.fault}`);
    const question: Question = { messages: [{ role: 'user', text: prompt, image: read.image }] };
    const view = ({ text, ...answered }: AgentAnswer) => ({ analysis: text, ...about(answered) });
    return answer(c, { door: 'vision', question, withTools: false, view });
  };

const statusHandler =
  ({ agent, activeTrailingStops }: AgentDeps): EndpointHandler =>
  async (c) => {
    const { status, providers } = agent.report();
    return c.json({
      success: true,
      requestId: c.var.requestId,
      status,
      config: {
        defaultProvider: providers[0]?.provider ?? '',
        fallbackChain: providers.map(({ provider }) => provider),
        modelMap: Object.fromEntries(providers.map(({ provider, model }) => [provider, model])),
      },
      activeTrailingStops: await activeTrailingStops(),
      providers: providers.map(({ lastAskedAtMs, ...provider }) => ({ ...provider, lastAskedAt: lastAskedAtMs })),
    });
  };

const about = ({ model, provider, finishReason, warnings }: Omit<AgentAnswer, 'text' | 'toolCalls'>) => ({
  model,
  provider,
  finishReason,
  warnings,
});

const invalid = (fault: string): Refusal => new Refusal('INVALID_PAYLOAD', fault, { extra: { faults: [fault] } });

function chatQuestion({ messages, systemPrompt, prompt, temperature, maxTokens }: ChatBody): Question {
  const given: readonly ModelMessage[] = messages?.map(({ role, content }) => ({
    role,
    text: content,
  })) ?? [
    // The schema has seen to it that there is a prompt where there are no messages.
    ...(systemPrompt === undefined ? [] : [{ role: 'system' as const, text: systemPrompt }]),
    { role: 'user' as const, text: prompt as string },
  ];
  return {
    messages: given,
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { maxTokens }),
  };
}

function refusalOf(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return new ClientGone('The client closed the connection before the answer was there.');
  if (error instanceof AgentRefusal) {
    if (error.kind === 'none-configured') return new Refusal('AGENT_NOT_CONFIGURED', NOT_CONFIGURED);
    return new Refusal('AGENT_BUSY', undefined, { headers: { 'retry-after': BUSY_RETRY_S } });
  }
  if (error instanceof NobodyAnswered) {
    const faults = error.faults.map(({ provider, fault }) => maskSecrets(`${provider}: ${fault.message}`));
    return new Refusal('AGENT_FAILED', `no provider answered; ${faults.join('; ')}`, { extra: { faults } });
  }
  if (error instanceof ModelFault) return new Refusal('AGENT_FAILED', error.message);
  return error;
}

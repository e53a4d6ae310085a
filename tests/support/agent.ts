// An agent for tests: real adapters, a real ledger, and providers that are local servers.

import { randomBytes, randomUUID } from 'node:crypto';
import { openModels } from '../../src/adapters/models/ai-sdk/open-models.ts';
import { openUsageStorage } from '../../src/adapters/storage/sqlite/agent/usage-ledger.ts';
import { createAgent } from '../../src/agent/agent.ts';
import type { Price } from '../../src/agent/prices.ts';
import type { AgentTool } from '../../src/agent/tool-calls.ts';
import type { UsageEntry } from '../../src/agent/usage-ledger.ts';
import { type App, createApp } from '../../src/http/app.ts';
import { createAddressList } from '../../src/http/client-address.ts';
import { createLog } from '../../src/http/log.ts';
import { createMetrics } from '../../src/http/metrics.ts';
import { mountEndpoints } from '../../src/http/mount-endpoints.ts';
import { createRequestIds } from '../../src/http/request-id.ts';
import type { ScriptRunner } from '../../src/library/script-runner.ts';
import { type AgentDeps, agentEndpoints, type ToolPolicy } from '../../src/services/gateway/agent.ts';
import { type AgentToolDeps, createAgentTools } from '../../src/services/gateway/agent-tools.ts';
import { GATEWAY_ERRORS, gatewayShape } from '../../src/services/gateway/index.ts';
import { freshGateway } from '../webhook/answers.ts';
import { checkAnswersOf } from './checked-app.ts';
import { closeAtEnd } from './close-at-end.ts';
import type { GatewayOptions, TestGateway } from './gateway.ts';
import { KEY, type ModelServer } from './model-servers/model-server.ts';
import { freshDataDir } from './process.ts';

// Loaded here once: the first question would else have to load them within the short times of these tests.
await Promise.all([
  import('@ai-sdk/anthropic'),
  import('@ai-sdk/google'),
  import('@ai-sdk/openai'),
  import('@ai-sdk/openai-compatible'),
]);

export interface TestAgentOptions {
  /** The fallback chain. */
  readonly servers?: readonly Pick<ModelServer, 'protocol' | 'url'>[];
  readonly apiKey?: string;
  readonly timeoutMs?: number;
  readonly prices?: ReadonlyMap<string, Price>;
  readonly toolPolicy?: ToolPolicy;
  readonly trailingStops?: readonly string[];
  readonly scripts?: Pick<ScriptRunner, 'evaluate'>;
  readonly usageWindowMs?: number;
  /** Another address than the servers' own, such as one where nobody listens. */
  readonly baseUrl?: string;
  /** Added to the clock that measures time; a test moves it past a pause of a circuit. */
  readonly monotonic?: { offsetMs: number };
}

type Parts = Omit<AgentToolDeps, 'newRunId' | 'scripts'> & { readonly dataDir: string; readonly troubles: string[] };

async function makeAgent(
  options: TestAgentOptions,
  parts: Pick<Parts, 'dataDir' | 'troubles' | 'nowMs'>,
  tools: readonly AgentTool[],
) {
  const { servers = [], timeoutMs = 2000, toolPolicy = 'on-request', trailingStops = [], monotonic } = options;
  const { dataDir, troubles, nowMs } = parts;
  const calls: UsageEntry[] = [];
  const storage = openUsageStorage({ dataDir });
  const chain = servers.map(({ protocol, url }) => ({
    provider: protocol.name,
    model: protocol.model,
    apiKey: options.apiKey ?? KEY,
    baseUrl: options.baseUrl ?? url,
  }));
  const agent = await createAgent({
    providers: openModels(chain),
    tools,
    ledger: storage.ledger,
    prices: options.prices ?? new Map(),
    timeoutMs,
    usageWindowMs: options.usageWindowMs ?? 30 * 86_400_000,
    nowMs,
    monotonicMs: () => performance.now() + (monotonic?.offsetMs ?? 0),
    random: () => 0,
    onCall: (entry) => calls.push(entry),
    onTrouble: (what, error) => troubles.push(`${what}: ${error}`),
  });
  const deps: AgentDeps & { close(): Promise<void> } = {
    agent,
    toolPolicy,
    activeTrailingStops: async () => trailingStops,
    onFault: (error) => troubles.push(String(error)),
    close: async () => {
      await agent.close();
      await storage.close();
    },
  };
  return { agent, storage, calls, deps };
}

type Made = Awaited<ReturnType<typeof makeAgent>>;
type Request = TestGateway['request'];

const asking = (app: App, request: Request) => ({
  chat: (body: object = { prompt: 'How are you?' }) => request('POST', '/agent/chat', body),
  vision: (body: object) => request('POST', '/agent/vision', body),
  status: async () => (await request('GET', '/agent/status')).body,
  usage: async () => (await request('GET', '/agent/usage')).body,
  /** The answer as events. */
  async stream(body: object, path = '/agent/chat', signal?: AbortSignal) {
    const headers = { host: 'localhost', accept: 'text/event-stream' };
    const init = { method: 'POST', headers, body: JSON.stringify(body), ...(signal && { signal }) };
    return app.request(path, init, { peer: '127.0.0.1' });
  },
});

/** A gateway with an agent and its tools, and the agent's own parts beside it. */
export async function openAgentGateway(options: TestAgentOptions = {}, gatewayOptions: GatewayOptions = {}) {
  let made: Made | undefined;
  const gateway = await freshGateway({
    ...gatewayOptions,
    agent: async (parts: Parts) => {
      const tools = createAgentTools({ ...parts, scripts: options.scripts, newRunId: () => randomUUID() });
      made = await makeAgent(options, parts, tools);
      return made.deps;
    },
  });
  return { ...gateway, ...(made as Made), ...asking(gateway.app, gateway.request) };
}

export type AgentGateway = Awaited<ReturnType<typeof openAgentGateway>>;

/** The doors of the agent alone, for tests that need many of them: nothing is traded behind them. */
export async function openAgentDoor(options: TestAgentOptions & { readonly dataDir?: string } = {}) {
  const clock = { offsetMs: 0 };
  const nowMs = (): number => Date.now() + clock.offsetMs;
  const troubles: string[] = [];
  const dataDir = options.dataDir ?? freshDataDir();
  const made = await makeAgent(options, { dataDir, troubles, nowMs }, []);
  const lines: string[] = [];
  const app = createApp({
    service: 'gateway',
    errors: GATEWAY_ERRORS,
    shape: gatewayShape,
    requestIds: createRequestIds({ nowMs, randomBytes }),
    trustedProxies: createAddressList([]),
    log: createLog({ level: 'debug', name: 'test', destination: { write: (line) => lines.push(line) } }),
    metrics: createMetrics(),
    defaultBodyLimitBytes: 1024 * 1024,
    nowMs: () => performance.now(),
  });
  checkAnswersOf(app);
  mountEndpoints(app, agentEndpoints(made.deps, app.kit.fail), { internal: () => {} });
  const request: Request = async (method, path, body, from = {}) => {
    const init: RequestInit = { method, headers: { host: 'localhost', ...from.headers } };
    if (body !== undefined) init.body = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await app.request(path, init, { peer: '127.0.0.1' });
    return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
  };
  closeAtEnd(made.deps.close);
  const { close } = made.deps;
  return { ...made, ...asking(app, request), app, request, clock, troubles, dataDir, close, logLines: lines };
}

export type AgentDoor = Awaited<ReturnType<typeof openAgentDoor>>;

export interface SentEvent {
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field
  readonly data: any;
}

export function eventsOf(text: string): readonly SentEvent[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '' && !block.startsWith(':'))
    .map((block) => {
      const [, event = '', data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
      return { event, data: JSON.parse(data) };
    });
}

/** The smallest PNG there is. */
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

// The agent: questions go through the fallback chain, every call is in the ledger, and both tell how things stand.

import { createProviderCaller, type ProviderCaller } from './call-provider.ts';
import { type CircuitState, createCircuitBreaker } from './circuit-breaker.ts';
import { type AgentAnswer, type AnswerListener, converse, type Question } from './converse.ts';
import { ModelFault, type ModelProvider, type ProviderName } from './model-provider.ts';
import { LIST_PRICES, type Prices, priceOf } from './prices.ts';
import { type AgentStatus, createProviderHealth, type ProviderHealth, RECENT_MS } from './provider-health.ts';
import type { AgentTool } from './tool-calls.ts';
import type { UsageEntry, UsageLedger, UsageRow } from './usage-ledger.ts';

/** An image may stand several times in memory while it is under way; so many fit into a small machine. */
export const MAX_ASKED_AT_ONCE = 8;
/** Whatever the chain, the tools and the retries do: nobody waits longer for an answer. */
export const LONGEST_ANSWER_MS = 300_000;

export interface AgentParts {
  /** The fallback chain in order; empty when none is configured. */
  readonly providers: readonly ModelProvider[];
  readonly tools: readonly AgentTool[];
  readonly ledger: UsageLedger;
  /** Prices that the owner has set; they are used instead of the list prices. */
  readonly prices: Prices;
  readonly timeoutMs: number;
  readonly usageWindowMs: number;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly random: () => number;
  /** Told of every call of a provider; never of what was asked or answered. */
  readonly onCall?: (entry: UsageEntry) => void;
  /** Told of faults that are ours, such as a ledger that cannot be written. */
  readonly onTrouble: (what: string, error: unknown) => void;
}

export interface AskContext {
  readonly requestId: string;
  readonly door: UsageEntry['door'];
  /** Aborted when the caller hangs up. */
  readonly signal: AbortSignal;
  readonly withTools: boolean;
  /** Given when the answer is wanted piece by piece. */
  readonly listener?: AnswerListener | undefined;
}

export interface ProviderReport {
  readonly provider: ProviderName;
  readonly model: string;
  readonly circuit: CircuitState;
  /** Of the last quarter of an hour; null when it was not asked. */
  readonly lastOutcome: UsageEntry['outcome'] | null;
  readonly lastAskedAtMs: number | null;
}

export interface AgentReport {
  readonly status: AgentStatus;
  readonly providers: readonly ProviderReport[];
}

/** `none-configured`: there is no provider. `busy`: too many questions at once; a little later there is room. */
export class AgentRefusal extends Error {
  override readonly name = 'AgentRefusal';
  readonly kind: 'none-configured' | 'busy';

  constructor(kind: AgentRefusal['kind']) {
    super(kind);
    this.kind = kind;
  }
}

/** Over the window that is looked at. */
export interface AgentUsage {
  readonly sinceMs: number;
  readonly rows: readonly UsageRow[];
}

export interface Agent {
  /** Rejects with AgentRefusal, NobodyAnswered, or ModelFault `canceled`. */
  ask(question: Question, context: AskContext): Promise<AgentAnswer>;
  report(): AgentReport;
  usage(): Promise<AgentUsage>;
  /** Ends every call that is under way, and waits until each is in the ledger. */
  close(): Promise<void>;
}

export async function createAgent(parts: AgentParts): Promise<Agent> {
  const { ledger, nowMs } = parts;
  const known = await ledger.lastOutcomes(nowMs() - RECENT_MS);
  return new FallbackAgent(parts, createProviderHealth(nowMs, known));
}

class FallbackAgent implements Agent {
  readonly #parts: AgentParts;
  readonly #health: ProviderHealth;
  readonly #callers: readonly ProviderCaller[];
  readonly #stopping = new AbortController();
  readonly #asking = new Set<Promise<unknown>>();

  constructor(parts: AgentParts, health: ProviderHealth) {
    this.#parts = parts;
    this.#health = health;
    const prices = new Map([...LIST_PRICES, ...parts.prices]);
    this.#callers = parts.providers.map((provider) => this.#callerOf(provider, prices));
  }

  async ask(question: Question, context: AskContext): Promise<AgentAnswer> {
    if (this.#callers.length === 0) throw new AgentRefusal('none-configured');
    if (this.#asking.size >= MAX_ASKED_AT_ONCE) throw new AgentRefusal('busy');
    const answering = this.#answer(question, context);
    this.#asking.add(answering);
    return answering.finally(() => this.#asking.delete(answering));
  }

  report(): AgentReport {
    return {
      status: this.#health.status(this.#parts.providers.map(({ name }) => name)),
      providers: this.#callers.map(({ provider, circuit }) => ({
        provider: provider.name,
        model: provider.model,
        circuit: circuit(),
        lastOutcome: this.#health.last(provider.name)?.outcome ?? null,
        lastAskedAtMs: this.#health.last(provider.name)?.atMs ?? null,
      })),
    };
  }

  async usage(): Promise<AgentUsage> {
    const { ledger, nowMs, usageWindowMs } = this.#parts;
    const sinceMs = nowMs() - usageWindowMs;
    return { sinceMs, rows: await ledger.usage(sinceMs) };
  }

  async close(): Promise<void> {
    this.#stopping.abort(new ModelFault('canceled', 'Signalbox is stopping; ask again when it runs'));
    await Promise.allSettled(this.#asking);
  }

  #callerOf(provider: ModelProvider, prices: Prices): ProviderCaller {
    const { timeoutMs, nowMs, monotonicMs, random } = this.#parts;
    return createProviderCaller({
      provider,
      breaker: createCircuitBreaker(monotonicMs),
      // Nobody sends a bill for a model on the owner's own machine, unless the owner says so.
      price: priceOf(provider.model, prices) ?? (provider.name === 'local' ? { inUsd: 0, outUsd: 0 } : undefined),
      account: (entry) => this.#account(entry),
      ...{ timeoutMs, nowMs, monotonicMs, random },
    });
  }

  async #account(entry: UsageEntry): Promise<void> {
    const { ledger, onCall, onTrouble } = this.#parts;
    this.#health.note(entry.provider, entry.outcome);
    onCall?.(entry);
    // The answer is there and paid for: a ledger that fails is told about, but takes nothing away.
    await ledger.add(entry).catch((error) => onTrouble('the use of a model was not written down', error));
  }

  async #answer(question: Question, { signal, withTools, listener, ...of }: AskContext): Promise<AgentAnswer> {
    const { tools, nowMs, monotonicMs, onTrouble } = this.#parts;
    const tooLong = new AbortController();
    const timer = setTimeout(() => {
      tooLong.abort(new ModelFault('timeout', `the whole answer took longer than ${LONGEST_ANSWER_MS / 1000} s`));
    }, LONGEST_ANSWER_MS);
    try {
      return await converse(question, {
        callers: this.#callers,
        tools: withTools ? tools : [],
        context: { ...of, signal: AbortSignal.any([signal, this.#stopping.signal, tooLong.signal]) },
        listener,
        nowMs,
        monotonicMs,
        onTrouble: (error) => onTrouble('a tool of the agent failed', error),
      });
    } finally {
      clearTimeout(timer);
    }
  }
}

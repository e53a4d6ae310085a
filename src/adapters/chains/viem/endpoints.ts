// Several endpoints of one chain as one: the healthiest is asked first, a failing one last, and it is tried again later.

import { foregroundTimers } from '../../../timing/timers.ts';
import { wait } from '../../../timing/wait.ts';
import { type ChainName, ChainUnreachable } from '../../../wallet/chain.ts';
import { createHealth } from './endpoint-health.ts';
import { EndpointTrouble } from './rpc-answer.ts';
import { createRpcEndpoint, type Question, type RpcEndpoint } from './rpc-endpoint.ts';
import { type ChainLog, type EndpointState, WatchedEndpoint, WrongChain } from './watched-endpoint.ts';

export interface EndpointsOptions {
  readonly name: ChainName;
  readonly chainId: number;
  readonly rpcUrls: readonly string[];
  readonly log: ChainLog;
  readonly monotonicMs: () => number;
  readonly fetch?: typeof globalThis.fetch;
  /** Of one request; an endpoint that works answers within a second. */
  readonly timeoutMs?: number;
  /** Between two tries at the only endpoint. */
  readonly retryMs?: number;
}

const TIMEOUT_MS = 5_000;
const RETRY_MS = 250;
/** More endpoints than this are not needed, and each is asked at the start. */
const MAX_ENDPOINTS = 8;
/** After this long no further endpoint is tried: whoever asked has waited enough. */
const BUDGET_MS = 15_000;

export class Endpoints {
  readonly #options: EndpointsOptions;
  /** The setting that names them, for messages. */
  readonly #setting: string;
  readonly #members: readonly WatchedEndpoint[];
  /** The one that is asked first. */
  #leader: WatchedEndpoint | undefined;

  constructor(options: EndpointsOptions) {
    this.#options = options;
    this.#setting = `RPC_${options.name.toUpperCase()}`;
    this.#members = createMembers(options, this.#setting);
  }

  /** Rejects when one of them is of another chain, or when none answers. */
  async verify(): Promise<void> {
    const outcomes = await Promise.allSettled(this.#members.map((member) => member.verify()));
    const faults = outcomes.flatMap((outcome, at) =>
      outcome.status === 'rejected' ? [{ host: this.#members[at]?.host, fault: outcome.reason as Error }] : [],
    );
    const wrong = faults.filter(({ fault }) => fault instanceof WrongChain);
    if (wrong.length > 0) throw new WrongChain(wrong.map(({ fault }) => fault.message).join('; '));
    if (faults.length === this.#members.length)
      throw this.#unreachable(faults.map(({ host, fault }) => `${host} ${fault.message}`));
  }

  /** From the best that answers. Throws NodeRefusal, or ChainUnreachable when none answered. */
  ask(question: Question): Promise<unknown> {
    return this.tryEach((endpoint) => endpoint.ask(question));
  }

  /** All from one endpoint. A NodeRefusal stands in the place of its answer. */
  askTogether(questions: readonly Question[]): Promise<readonly unknown[]> {
    return this.tryEach((endpoint) => endpoint.askTogether(questions));
  }

  /** Every healthy endpoint, asked at once: what those said that answered; at least one did. */
  async askEvery<T>(ask: (endpoint: RpcEndpoint) => Promise<T>): Promise<readonly T[]> {
    const order = this.#ranked();
    // Those that fail are left out, or everybody would wait for them; beside other questions they are tried again.
    const healthy = order.filter(({ health }) => !health.isFailing());
    const asked = healthy.length === 0 ? order : healthy;
    const outcomes = await Promise.allSettled(asked.map((member) => member.ask(ask)));
    const answers = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    // When none answered they are asked once more, one by one, which also gives the fault its words.
    return answers.length > 0 ? answers.map(({ value }) => value) : [await this.tryEach(ask)];
  }

  /** One after the other until one answers; `onTrouble` hears of each that did not. */
  async tryEach<T>(
    ask: (endpoint: RpcEndpoint) => Promise<T>,
    onTrouble: (trouble: EndpointTrouble) => void = () => {},
  ): Promise<T> {
    const { monotonicMs, retryMs = RETRY_MS } = this.#options;
    const startedMs = monotonicMs();
    const order = this.#ranked();
    // The only endpoint gets a second try.
    const tries = order.length === 1 ? [...order, ...order] : order;
    const troubles: string[] = [];
    for (const [index, member] of tries.entries()) {
      if (index > 0 && monotonicMs() - startedMs > BUDGET_MS) break;
      if (index > 0 && member === tries[index - 1]) await wait(retryMs, { timers: foregroundTimers });
      for (const other of this.#members) if (other !== member) other.lookWhenDue();
      try {
        return await member.ask(ask);
      } catch (error) {
        if (error instanceof WrongChain) member.warnOfWrongChain(error);
        else if (error instanceof EndpointTrouble) onTrouble(error);
        else throw error;
        troubles.push(`${member.host} ${error instanceof WrongChain ? 'is of another chain' : error.message}`);
      }
    }
    throw this.#unreachable(troubles);
  }

  states(): readonly EndpointState[] {
    return this.#members.map(({ state }) => state);
  }

  /** The best first, those that rest last. The leader stays the first unless another is far better. */
  #ranked(): readonly WatchedEndpoint[] {
    const order = this.#members.filter(({ isUsable }) => isUsable).sort((a, b) => a.health.score() - b.health.score());
    const [best] = order;
    if (best === undefined)
      throw new ChainUnreachable(
        `every endpoint of ${this.#options.name} is of another chain; correct ${this.#setting}`,
      );
    const leader = this.#leader?.isUsable && isGoodEnough(this.#leader, best) ? this.#leader : best;
    this.#leader = leader;
    return [leader, ...order.filter((member) => member !== leader)];
  }

  #unreachable(troubles: readonly string[]): ChainUnreachable {
    const reasons = [...new Set(troubles)].join('; ');
    return new ChainUnreachable(
      `no endpoint of ${this.#options.name} answered (${reasons}); try again in a moment, or add another to ${this.#setting}`,
    );
  }
}

/** To change for every small difference would ask endpoints in turn that have not seen the same block yet. */
const isGoodEnough = (leader: WatchedEndpoint, best: WatchedEndpoint): boolean =>
  !leader.health.isFailing() && leader.health.score() < best.health.score() * 2;

function createMembers(options: EndpointsOptions, setting: string): readonly WatchedEndpoint[] {
  const { name, chainId, log, rpcUrls, monotonicMs, fetch, timeoutMs = TIMEOUT_MS } = options;
  if (rpcUrls.length === 0 || rpcUrls.length > MAX_ENDPOINTS)
    throw new Error(`${setting} takes 1 to ${MAX_ENDPOINTS} endpoints`);
  return rpcUrls.map((url, index) => {
    try {
      const endpoint = createRpcEndpoint({ url, timeoutMs, ...(fetch === undefined ? {} : { fetch }) });
      const health = createHealth({ monotonicMs, position: index });
      return new WatchedEndpoint({ name, chainId, setting, endpoint, health, log, monotonicMs });
    } catch (error) {
      throw new Error(`${setting}: entry ${index + 1}: ${(error as Error).message}`);
    }
  });
}

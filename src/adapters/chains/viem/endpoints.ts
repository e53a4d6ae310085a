// Several endpoints of one chain as one: the healthiest is asked first, a failing one last, and it is tried again later.

import { wait } from '../../../timing/wait.ts';
import { type ChainName, ChainUnreachable } from '../../../wallet/chain.ts';
import { createHealth, type Health } from './endpoint-health.ts';
import { EndpointTrouble, NodeRefusal } from './rpc-answer.ts';
import { askNumber, createRpcEndpoint, type Question, type RpcEndpoint } from './rpc-endpoint.ts';

export interface ChainLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

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

export interface EndpointState {
  readonly host: string;
  /** `wrong-chain`: it answered for another chain and is not asked any more. */
  readonly state: 'good' | 'failing' | 'wrong-chain' | 'unknown';
  readonly latencyMs: number | undefined;
}

export interface Endpoints {
  verify(): Promise<void>;
  /** From the best that answers. Throws NodeRefusal, or ChainUnreachable when none answered. */
  ask(question: Question): Promise<unknown>;
  /** All from one endpoint. A NodeRefusal stands in the place of its answer. */
  askTogether(questions: readonly Question[]): Promise<readonly unknown[]>;
  /** Every healthy endpoint, asked at once: what those said that answered; at least one did. */
  askEvery<T>(ask: (endpoint: RpcEndpoint) => Promise<T>): Promise<readonly T[]>;
  /** One after the other until one answers; `onTrouble` hears of each that did not. */
  tryEach<T>(ask: (endpoint: RpcEndpoint) => Promise<T>, onTrouble?: (trouble: EndpointTrouble) => void): Promise<T>;
  states(): readonly EndpointState[];
}

/** An endpoint is of another chain than it is used for. */
export class WrongChain extends Error {
  override readonly name = 'WrongChain';
}

interface Member {
  readonly endpoint: RpcEndpoint;
  readonly health: Health;
  /** Undefined until it was asked. */
  isOfThisChain: boolean | undefined;
}

const TIMEOUT_MS = 5_000;
const RETRY_MS = 250;
/** More endpoints than this are not needed, and each is asked at the start. */
const MAX_ENDPOINTS = 8;
/** After this long no further endpoint is tried: whoever asked has waited enough. */
const BUDGET_MS = 15_000;

export function createEndpoints(options: EndpointsOptions): Endpoints {
  const { name, chainId, log, monotonicMs, timeoutMs = TIMEOUT_MS, retryMs = RETRY_MS } = options;
  const setting = `RPC_${name.toUpperCase()}`;
  const members = createMembers(options, setting, timeoutMs);
  let leader: Member | undefined;

  /** Runs one question at one endpoint and notes how it went. A refusal is an answer. */
  async function observed<T>(member: Member, ask: (endpoint: RpcEndpoint) => Promise<T>): Promise<T> {
    const startedMs = monotonicMs();
    const wasFailing = member.health.isFailing();
    try {
      if (member.isOfThisChain === undefined) await checkChain(member);
      const answer = await ask(member.endpoint);
      note(member, wasFailing, startedMs);
      return answer;
    } catch (error) {
      if (error instanceof NodeRefusal || (error instanceof EndpointTrouble && error.isLacking))
        note(member, wasFailing, startedMs);
      else if (error instanceof EndpointTrouble) {
        member.health.failed(monotonicMs() - startedMs, error.restMs);
        if (!wasFailing) log.warn({ chain: name, endpoint: member.endpoint.host }, `RPC endpoint ${error.message}`);
      }
      throw error;
    }
  }

  function note({ health, endpoint }: Member, wasFailing: boolean, startedMs: number): void {
    health.answered(monotonicMs() - startedMs);
    if (wasFailing) log.info({ chain: name, endpoint: endpoint.host }, 'RPC endpoint answers again');
  }

  async function checkChain(member: Member): Promise<void> {
    const found = await askNumber(member.endpoint, { method: 'eth_chainId', params: [] }).catch((error) => {
      // Whatever was to be asked next has not left us yet.
      if (!(error instanceof EndpointTrouble)) throw error;
      throw new EndpointTrouble(error.message, { restMs: error.restMs, mayHaveArrived: false });
    });
    member.isOfThisChain = found === BigInt(chainId);
    if (!member.isOfThisChain) throw wrongChain(member.endpoint.host, found);
  }

  const wrongChain = (host: string, found: bigint): WrongChain =>
    new WrongChain(
      `${setting}: the endpoint ${host} is of chain ${found}, but ${name} is chain ${chainId}; correct the address`,
    );

  /** The best first; those that rest last. The leader stays one unless another is far better. */
  function ranked(): Member[] {
    const usable = members.filter(({ isOfThisChain }) => isOfThisChain !== false);
    const order = usable.toSorted((a, b) => a.health.score() - b.health.score());
    const [best] = order;
    if (best === undefined)
      throw new ChainUnreachable(`every endpoint of ${name} is of another chain; correct ${setting}`);
    const keeps =
      leader !== undefined &&
      usable.includes(leader) &&
      !leader.health.isFailing() &&
      leader.health.score() < best.health.score() * 2;
    if (!keeps) leader = best;
    return [leader as Member, ...order.filter((member) => member !== leader)];
  }

  /** The others are looked at now and then beside real questions, so that they can come back to the front. */
  function lookAtOthers(asked: Member): void {
    for (const member of members) {
      if (member === asked || member.isOfThisChain === false || !member.health.isDueForALook()) continue;
      observed(member, () => checkChain(member)).catch((error) => {
        if (error instanceof WrongChain) log.warn({ chain: name }, error.message);
      });
    }
  }

  async function tryEach<T>(
    ask: (endpoint: RpcEndpoint) => Promise<T>,
    onTrouble: (trouble: EndpointTrouble) => void = () => {},
  ): Promise<T> {
    const startedMs = monotonicMs();
    const order = ranked();
    const tries = order.length === 1 ? [...order, ...order] : order;
    const troubles: string[] = [];
    for (const [index, member] of tries.entries()) {
      if (index > 0 && monotonicMs() - startedMs > BUDGET_MS) break;
      if (index > 0 && member === tries[index - 1]) await wait(retryMs);
      lookAtOthers(member);
      try {
        return await observed(member, ask);
      } catch (error) {
        if (error instanceof WrongChain) log.warn({ chain: name }, error.message);
        else if (error instanceof EndpointTrouble) onTrouble(error);
        else throw error;
        troubles.push(`${member.endpoint.host} ${error instanceof WrongChain ? 'is of another chain' : error.message}`);
      }
    }
    throw unreachable(name, setting, troubles);
  }

  return {
    tryEach,
    ask: (question) => tryEach((endpoint) => endpoint.ask(question)),
    askTogether: (questions) => tryEach((endpoint) => endpoint.askTogether(questions)),
    async askEvery(ask) {
      const order = ranked();
      // Who fails is left out, or everybody would wait for it; beside other questions it is tried again.
      const healthy = order.filter(({ health }) => !health.isFailing());
      const asked = healthy.length === 0 ? order : healthy;
      const outcomes = await Promise.allSettled(asked.map((member) => observed(member, ask)));
      const answers = outcomes.filter((outcome) => outcome.status === 'fulfilled');
      // None of them: one by one once more, which also gives the fault its words.
      return answers.length > 0 ? answers.map(({ value }) => value) : [await tryEach(ask)];
    },
    async verify() {
      const outcomes = await Promise.allSettled(
        members.map((member) => {
          member.isOfThisChain = undefined;
          return observed(member, () => Promise.resolve());
        }),
      );
      const faults = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason as Error);
      const wrong = faults.filter((fault) => fault instanceof WrongChain);
      if (wrong.length > 0) throw new WrongChain(wrong.map(({ message }) => message).join('; '));
      const words = outcomes.map((outcome, at) =>
        outcome.status === 'rejected' ? `${members[at]?.endpoint.host} ${(outcome.reason as Error).message}` : '',
      );
      if (faults.length === members.length) throw unreachable(name, setting, words);
    },
    states: () =>
      members.map(({ endpoint, health, isOfThisChain }) => ({
        host: endpoint.host,
        state:
          isOfThisChain === false ? 'wrong-chain' : health.isFailing() ? 'failing' : isOfThisChain ? 'good' : 'unknown',
        latencyMs: health.latencyMs(),
      })),
  };
}

const unreachable = (name: ChainName, setting: string, troubles: readonly string[]): ChainUnreachable =>
  new ChainUnreachable(
    `no endpoint of ${name} answered (${[...new Set(troubles)].join('; ')}); try again in a moment, or add another to ${setting}`,
  );

function createMembers(
  { rpcUrls, monotonicMs, fetch }: EndpointsOptions,
  setting: string,
  timeoutMs: number,
): Member[] {
  if (rpcUrls.length === 0 || rpcUrls.length > MAX_ENDPOINTS)
    throw new Error(`${setting} takes 1 to ${MAX_ENDPOINTS} endpoints`);
  return rpcUrls.map((url, index) => {
    try {
      return {
        endpoint: createRpcEndpoint({ url, timeoutMs, ...(fetch === undefined ? {} : { fetch }) }),
        health: createHealth({ monotonicMs, position: index }),
        isOfThisChain: undefined,
      };
    } catch (error) {
      throw new Error(`${setting}: entry ${index + 1}: ${(error as Error).message}`);
    }
  });
}

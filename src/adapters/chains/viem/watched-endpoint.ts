// One endpoint of a chain with what is known about it: how healthy it is, and whether it belongs to this chain at all.

import type { ChainName } from '../../../wallet/chain.ts';
import type { Health } from './endpoint-health.ts';
import { EndpointTrouble, NodeRefusal } from './rpc-answer.ts';
import { askNumber, type RpcEndpoint } from './rpc-endpoint.ts';

export interface ChainLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface EndpointState {
  readonly host: string;
  /** `wrong-chain`: it answered for another chain and is not asked any more. */
  readonly state: 'good' | 'failing' | 'wrong-chain' | 'unknown';
  readonly latencyMs: number | undefined;
}

/** An endpoint is of another chain than it is used for. */
export class WrongChain extends Error {
  override readonly name = 'WrongChain';
}

export interface WatchedEndpointParts {
  readonly name: ChainName;
  readonly chainId: number;
  /** The setting that names the endpoint, for messages. */
  readonly setting: string;
  readonly endpoint: RpcEndpoint;
  readonly health: Health;
  readonly log: ChainLog;
  readonly monotonicMs: () => number;
}

export class WatchedEndpoint {
  readonly health: Health;
  readonly #parts: WatchedEndpointParts;
  /** Undefined until it was asked. */
  #isOfThisChain: boolean | undefined;

  constructor(parts: WatchedEndpointParts) {
    this.#parts = parts;
    this.health = parts.health;
  }

  get host(): string {
    return this.#parts.endpoint.host;
  }

  /** Whether it may be asked: it belongs to this chain, or nobody knows yet. */
  get isUsable(): boolean {
    return this.#isOfThisChain !== false;
  }

  get state(): EndpointState {
    const { health } = this;
    const isProved = this.#isOfThisChain === true;
    const judged = health.isFailing() ? 'failing' : isProved ? 'good' : 'unknown';
    return { host: this.host, state: this.isUsable ? judged : 'wrong-chain', latencyMs: health.latencyMs() };
  }

  /** Asks, and notes how it went. A refusal is an answer too. Rejects with WrongChain, NodeRefusal or EndpointTrouble. */
  async ask<T>(question: (endpoint: RpcEndpoint) => Promise<T>): Promise<T> {
    const { endpoint, log, name, monotonicMs } = this.#parts;
    const startedMs = monotonicMs();
    const wasFailing = this.health.isFailing();
    try {
      if (this.#isOfThisChain === undefined) await this.#checkChain();
      const answer = await question(endpoint);
      this.#answered(wasFailing, startedMs);
      return answer;
    } catch (error) {
      if (error instanceof NodeRefusal || (error instanceof EndpointTrouble && error.isLacking))
        this.#answered(wasFailing, startedMs);
      else if (error instanceof EndpointTrouble) {
        this.health.failed(monotonicMs() - startedMs, error.restMs);
        if (!wasFailing) log.warn({ chain: name, endpoint: this.host }, `RPC endpoint ${error.message}`);
      }
      throw error;
    }
  }

  /** Asks once more which chain it belongs to, whatever it said before. */
  verify(): Promise<void> {
    this.#isOfThisChain = undefined;
    return this.ask(() => Promise.resolve());
  }

  /** A small question now and then, beside those of others, so that one that was bad can come back to the front. */
  lookWhenDue(): void {
    if (!this.isUsable || !this.health.isDueForALook()) return;
    this.ask(() => this.#checkChain()).catch((error) => this.warnOfWrongChain(error));
  }

  warnOfWrongChain(error: unknown): void {
    const { log, name } = this.#parts;
    if (error instanceof WrongChain) log.warn({ chain: name }, error.message);
  }

  #answered(wasFailing: boolean, startedMs: number): void {
    const { log, name, monotonicMs } = this.#parts;
    this.health.answered(monotonicMs() - startedMs);
    if (wasFailing) log.info({ chain: name, endpoint: this.host }, 'RPC endpoint answers again');
  }

  async #checkChain(): Promise<void> {
    const { endpoint, chainId, name, setting } = this.#parts;
    const found = await askNumber(endpoint, { method: 'eth_chainId', params: [] }).catch((error) => {
      // What the caller wants to ask comes after this, and has not left yet.
      if (!(error instanceof EndpointTrouble)) throw error;
      throw new EndpointTrouble(error.message, { restMs: error.restMs, mayHaveArrived: false });
    });
    this.#isOfThisChain = found === BigInt(chainId);
    if (this.#isOfThisChain) return;
    throw new WrongChain(
      `${setting}: the endpoint ${this.host} is of chain ${found}, but ${name} is chain ${chainId}; correct the address`,
    );
  }
}

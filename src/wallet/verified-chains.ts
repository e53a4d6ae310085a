// The configured chains, each proved to be the chain it is called before it is used for the first time.

import { errorText } from '../errors/error-text.ts';
import { type Chain, type ChainName, ChainUnreachable } from './chain.ts';
import { WalletRefusal } from './refusal.ts';

export type ConfiguredChains = Partial<Readonly<Record<ChainName, Chain>>>;

export class VerifiedChains {
  readonly #chains: ConfiguredChains;
  /** The proofs that succeeded or are under way. */
  readonly #proofs = new Map<ChainName, Promise<void>>();

  constructor(chains: ConfiguredChains) {
    this.#chains = chains;
  }

  get all(): readonly Chain[] {
    return Object.values(this.#chains);
  }

  /** The chain as it is configured, proved or not. Refuses when it has no endpoint. */
  configured(name: ChainName): Chain {
    const chain = this.#chains[name];
    if (chain !== undefined) return chain;
    throw new WalletRefusal('no-chain', `${name} has no RPC endpoint; set RPC_${name.toUpperCase()} and restart`);
  }

  /** The chain, proved to be the one it is called. An endpoint that was down at the start is asked now. */
  async open(name: ChainName): Promise<Chain> {
    const chain = this.configured(name);
    await this.verify(chain).catch((error: unknown) => {
      if (error instanceof ChainUnreachable) throw error;
      // The endpoint belongs to another chain: the message names it.
      throw new WalletRefusal('no-chain', errorText(error), { cause: error });
    });
    return chain;
  }

  /** Asks once. Whoever comes meanwhile waits for the same answer, so that requests keep their order. */
  verify(chain: Chain): Promise<void> {
    const known = this.#proofs.get(chain.name);
    if (known !== undefined) return known;
    const asked = chain.verify();
    this.#proofs.set(chain.name, asked);
    // A failure is forgotten, so that the next request asks again.
    asked.catch(() => this.#proofs.delete(chain.name));
    return asked;
  }
}

// A chain opened on a test network, and the whole way of one transaction on it, from simulation to receipt.

import type { DexContracts } from '../../../src/adapters/chains/viem/networks.ts';
import { type OpenedChain, openChain } from '../../../src/adapters/chains/viem/open-chain.ts';
import type { Call, Receipt, SignedTransaction, Signer, UnsignedTransaction } from '../../../src/wallet/chain.ts';
import { soon } from './builder.ts';
import type { EvmNode } from './evm-node.ts';

export interface TestChainOptions {
  readonly dex?: { readonly contracts: DexContracts };
  /** The node's own when left out. */
  readonly rpcUrls?: readonly string[];
  readonly timeoutMs?: number;
  readonly monotonicMs?: () => number;
}

export interface TestChain extends OpenedChain {
  /** What the adapter logged, as one text per line. */
  readonly lines: readonly string[];
}

export function openTestChain(
  { url, chainId }: EvmNode,
  { dex, rpcUrls = [url], timeoutMs, monotonicMs = () => performance.now() }: TestChainOptions = {},
): TestChain {
  const lines: string[] = [];
  const note = (fields: object, message: string): void => {
    lines.push(`${JSON.stringify(fields)} ${message}`);
  };
  const chain = openChain({
    name: 'ethereum',
    chainId,
    rpcUrls,
    ...(dex === undefined ? {} : { contracts: dex.contracts }),
    log: { info: note, warn: note },
    monotonicMs,
    retryMs: 10,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  return { ...chain, lines };
}

/** Signed with what the chain says now; `change` is for tests of what should not work. */
export async function prepare(
  chain: OpenedChain,
  signer: Signer,
  call: Call,
  change: Partial<UnsignedTransaction> = {},
): Promise<SignedTransaction> {
  const simulation = await chain.simulate(signer.address, call);
  if (!simulation.ok && change.gasLimit === undefined) throw new Error(simulation.reason);
  const gasLimit = simulation.ok ? (simulation.gas * 12n) / 10n : 0n;
  const [fees, nonce] = await Promise.all([chain.fees(), chain.nonce(signer.address, 'pending')]);
  return signer.sign({ ...call, ...fees, nonce, gasLimit, chainId: chain.chainId, ...change });
}

/** Needs a node that mines at once. */
export async function carryOut(chain: OpenedChain, signer: Signer, call: Call): Promise<Receipt> {
  const signed = await prepare(chain, signer, call);
  const outcome = await chain.send(signed);
  if (outcome.kind !== 'accepted') throw new Error(JSON.stringify(outcome));
  return soon(() => chain.receipt(signed.hash));
}

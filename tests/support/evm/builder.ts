// Deploys contracts and calls them on a test network, in the name of an account the node signs for.

import { type Abi, encodeDeployData, encodeFunctionData, getAddress, toHex } from 'viem';
import type { Address, Hex } from '../../../src/wallet/chain.ts';
import type { Artifact } from './artifacts.ts';

export type Rpc = <T = unknown>(method: string, params?: readonly unknown[]) => Promise<T>;

/** Above everything the tests do, below what a block holds. */
const GAS = toHex(10_000_000);

const SOON_MS = 30_000;

interface MinedReceipt {
  readonly status: Hex;
  readonly contractAddress: Address | null;
}

export interface Builder {
  readonly from: Address;
  deploy(contract: Artifact, args?: readonly unknown[]): Promise<Address>;
  deployCode(code: Hex): Promise<Address>;
  call(to: Address, abi: Abi, functionName: string, args: readonly unknown[], valueWei?: bigint): Promise<void>;
}

/** A node answers before its block is made: asks until there is something, for a few seconds. */
export async function soon<T>(ask: () => Promise<T | null | undefined>): Promise<T> {
  const deadlineMs = performance.now() + SOON_MS;
  for (;;) {
    const answer = await ask();
    if (answer !== null && answer !== undefined) return answer;
    if (performance.now() > deadlineMs) throw new Error('what the test waits for did not come');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Needs a node that mines at once. */
export function builderOn(rpc: Rpc, from: Address): Builder {
  const send = async (what: { to?: Address; data: Hex; value?: Hex }): Promise<MinedReceipt> => {
    const hash = await rpc<Hex>('eth_sendTransaction', [{ from, gas: GAS, ...what }]);
    const receipt = await soon(() => rpc<MinedReceipt | null>('eth_getTransactionReceipt', [hash]));
    if (receipt.status !== '0x1') throw new Error(`a transaction that prepares the test was not carried out: ${hash}`);
    return receipt;
  };
  const deployCode = async (code: Hex): Promise<Address> => {
    const { contractAddress } = await send({ data: code });
    return getAddress(contractAddress as Address);
  };
  return {
    from,
    deployCode,
    deploy: ({ abi, bytecode }, args = []) => deployCode(encodeDeployData({ abi, bytecode, args })),
    async call(to, abi, functionName, args, valueWei = 0n) {
      await send({ to, data: encodeFunctionData({ abi, functionName, args }), value: toHex(valueWei) });
    },
  };
}

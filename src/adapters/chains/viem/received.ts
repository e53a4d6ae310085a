// What a mined swap really brought: the logs of its own transaction, held against the balances around its block.

import { encodeFunctionData, numberToHex, toEventSelector } from 'viem/utils';
import type { Address, Hex, MinedSwap } from '../../../wallet/chain.ts';
import { TOKEN_ABI } from './abis.ts';
import type { Endpoints } from './endpoints.ts';
import { numberOf } from './rpc-answer.ts';
import type { Question } from './rpc-endpoint.ts';

interface Log {
  readonly address: Address;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

const TRANSFER = toEventSelector('Transfer(address,address,uint256)');
/** Of the wrapped coin, when it is turned into the coin itself. */
const WITHDRAWAL = toEventSelector('Withdrawal(address,uint256)');

/** Undefined where no endpoint has the receipt. */
export async function receivedBy(endpoints: Endpoints, weth: Address, swap: MinedSwap): Promise<bigint | undefined> {
  const { hash, owner, router, tokenOut } = swap;
  const [receipt] = await endpoints.askTogether([{ method: 'eth_getTransactionReceipt', params: [hash] }]);
  const logs = logsOf(receipt);
  if (logs === undefined) return undefined;
  if (tokenOut === 'native') return sumOf(logs, weth, WITHDRAWAL, router, 1);
  const told = sumOf(logs, tokenOut, TRANSFER, owner, 2);
  const grown = await growth(endpoints, tokenOut, swap);
  // A token may tell of more than it hands out; other payments of the same block make the balance grow by more.
  return grown !== undefined && grown < told ? grown : told;
}

function logsOf(receipt: unknown): readonly Log[] | undefined {
  if (typeof receipt !== 'object' || receipt === null) return undefined;
  const { logs } = receipt as { logs?: unknown };
  return Array.isArray(logs) ? (logs as Log[]) : undefined;
}

/** The amounts of all such events of the contract, added up, in which this topic names the account. */
function sumOf(logs: readonly Log[], contract: Address, event: Hex, account: Address, topic: number): bigint {
  const isSame = (one: string | undefined, other: string): boolean => one?.toLowerCase() === other.toLowerCase();
  return logs
    .filter(({ address, topics }) => isSame(address, contract) && isSame(topics[0], event))
    .filter(({ topics }) => isSame(`0x${topics[topic]?.slice(-40)}`, account))
    .reduce((sum, { data }) => sum + (numberOf(data.slice(0, 66)) ?? 0n), 0n);
}

/** By how much the balance grew in the block; undefined where an endpoint has no such past. */
async function growth(
  endpoints: Endpoints,
  token: Address,
  { owner, blockNumber }: MinedSwap,
): Promise<bigint | undefined> {
  const data = encodeFunctionData({ abi: TOKEN_ABI, functionName: 'balanceOf', args: [owner] });
  const at = (block: bigint): Question => ({ method: 'eth_call', params: [{ to: token, data }, numberToHex(block)] });
  const answers = await endpoints.askTogether([at(blockNumber - 1n), at(blockNumber)]);
  const [before, after] = answers.map(numberOf);
  return before === undefined || after === undefined || after < before ? undefined : after - before;
}

// Transactions on their way: nonces, receipts and confirmations, asked so that one endpoint that lags misleads nobody.

import type { Address, Hex, Receipt } from '../../../wallet/chain.ts';
import type { Endpoints } from './endpoints.ts';
import { EndpointTrouble, NodeRefusal, numberOf } from './rpc-answer.ts';
import { askNumber, type RpcEndpoint } from './rpc-endpoint.ts';

/**
 * Pending: the largest any endpoint knows, so that no waiting transaction is overwritten.
 * Latest: the smallest, so that nothing counts as mined that one endpoint does not see yet.
 */
export async function nonceOf(endpoints: Endpoints, owner: Address, block: 'pending' | 'latest'): Promise<number> {
  const question = { method: 'eth_getTransactionCount', params: [owner, block] };
  const answers = await endpoints.askEvery(async (endpoint) => Number(await askNumber(endpoint, question)));
  return block === 'pending' ? Math.max(...answers) : Math.min(...answers);
}

/** The one that was built on longest, of all that have one. */
export async function receiptOf(endpoints: Endpoints, hash: Hex): Promise<Receipt | undefined> {
  const first = await endpoints.tryEach((endpoint) => lookAt(endpoint, hash));
  if (first !== undefined) return first;
  const found = await endpoints.askEvery((endpoint) => lookAt(endpoint, hash));
  return found.filter((receipt) => receipt !== undefined).sort((a, b) => b.confirmations - a.confirmations)[0];
}

async function lookAt(endpoint: RpcEndpoint, hash: Hex): Promise<Receipt | undefined> {
  const [raw, head] = await endpoint.askTogether([
    { method: 'eth_getTransactionReceipt', params: [hash] },
    { method: 'eth_blockNumber', params: [] },
  ]);
  if (raw instanceof NodeRefusal) throw new EndpointTrouble(`tells nothing about receipts: ${raw.message}`);
  if (raw === null) return undefined;
  const { blockHash, ...fields } = raw as Record<string, unknown>;
  // Some nodes have one for a transaction that is still waiting.
  if (fields.blockNumber === null) return undefined;
  const numbers = [fields.status, fields.blockNumber, fields.gasUsed, fields.effectiveGasPrice, head].map(numberOf);
  if (numbers.includes(undefined) || !isHash(blockHash))
    throw new EndpointTrouble('gave a receipt that makes no sense');
  const [status, blockNumber, gasUsed, effectiveGasPrice, headNumber] = numbers as [
    bigint,
    bigint,
    bigint,
    bigint,
    bigint,
  ];
  return {
    status: status === 1n ? 'success' : 'reverted',
    blockNumber,
    blockHash,
    gasUsed,
    effectiveGasPrice,
    // The newest block was asked for a moment earlier, so it may lie before the block of the transaction.
    confirmations: Math.max(1, Number(headNumber - blockNumber) + 1),
  };
}

const isHash = (value: unknown): value is Hex => typeof value === 'string' && /^0x[0-9a-fA-F]{64}$/.test(value);

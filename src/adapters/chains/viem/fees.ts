// What gas costs now, as EIP-1559 has it: enough for the next blocks, and never more than the chain's bounds.

import { ChainUnreachable, type Fees } from '../../../wallet/chain.ts';
import type { Endpoints } from './endpoints.ts';
import type { FeeBounds } from './networks.ts';
import { NodeRefusal, numberOf } from './rpc-answer.ts';
import { askNumber } from './rpc-endpoint.ts';

interface RecentFees {
  readonly baseFee: bigint;
  readonly tip: bigint;
}

const BLOCKS = '0xa';
/** Of the tips that got into a block: half of them were no higher than this. */
const PERCENTILE = 50;

/** The base fee can double within six full blocks; what is not needed of it is not paid. */
const BASE_FEE_FACTOR = 2n;

export async function currentFees(endpoints: Endpoints, bounds: FeeBounds): Promise<Fees> {
  const { baseFee, tip } = (await recentFees(endpoints)) ?? { baseFee: await gasPrice(endpoints), tip: 0n };
  const maxPriorityFeePerGas = within(tip, bounds.minPriorityFee, bounds.maxPriorityFee);
  const wanted = baseFee * BASE_FEE_FACTOR + maxPriorityFeePerGas;
  return { maxPriorityFeePerGas, maxFeePerGas: wanted > bounds.maxFee ? bounds.maxFee : wanted };
}

/** Undefined where no endpoint tells: then the one gas price they know stands for the base fee. */
async function recentFees(endpoints: Endpoints): Promise<RecentFees | undefined> {
  try {
    return readHistory(await endpoints.ask({ method: 'eth_feeHistory', params: [BLOCKS, 'latest', [PERCENTILE]] }));
  } catch (error) {
    if (error instanceof NodeRefusal || error instanceof ChainUnreachable) return undefined;
    throw error;
  }
}

const gasPrice = (endpoints: Endpoints): Promise<bigint> =>
  endpoints.tryEach((endpoint) => askNumber(endpoint, { method: 'eth_gasPrice', params: [] }));

/** Undefined for a network without EIP-1559. */
function readHistory(answer: unknown): RecentFees | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined;
  const { baseFeePerGas, reward } = answer as { baseFeePerGas?: unknown; reward?: unknown };
  // The last of the list is the fee of the block to come.
  const baseFee = Array.isArray(baseFeePerGas) ? numberOf(baseFeePerGas.at(-1)) : undefined;
  if (baseFee === undefined || baseFee === 0n) return undefined;
  const rows: unknown[] = Array.isArray(reward) ? reward : [];
  const tips = rows
    .map((row) => (Array.isArray(row) ? numberOf(row[0]) : undefined))
    .filter((tip) => tip !== undefined);
  return { baseFee, tip: median(tips) };
}

/** And not the mean, so that one block with a mad tip in it changes nothing. */
function median(values: readonly bigint[]): bigint {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted[sorted.length >> 1] ?? 0n;
}

const within = (value: bigint, low: bigint, high: bigint): bigint => (value < low ? low : value > high ? high : value);

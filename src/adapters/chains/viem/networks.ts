// What is built in about each chain: its number, its wrapped coin, its Uniswap contracts, and what gas may cost there.

import { parseGwei } from 'viem/utils';
import type { Address, ChainName } from '../../../wallet/chain.ts';

export interface DexContracts {
  /** The chain's own coin as an ERC-20: WETH, and WPOL on Polygon. */
  readonly weth: Address;
  readonly v2Router?: Address | undefined;
  /** The first SwapRouter, with the deadline inside its arguments, not SwapRouter02. */
  readonly v3Router?: Address | undefined;
  /** QuoterV2. */
  readonly v3Quoter?: Address | undefined;
}

export interface FeeBounds {
  /** Nodes of the chain do not take less. */
  readonly minPriorityFee: bigint;
  /** Above every fee worth paying: an endpoint that lies cannot make us burn the account. */
  readonly maxPriorityFee: bigint;
  readonly maxFee: bigint;
}

export interface Network {
  readonly chainId: number;
  readonly contracts: DexContracts;
  readonly fees: FeeBounds;
}

/** Uniswap's contracts have the same address on the three chains, but not on others. */
const V3_ROUTER: Address = '0xE592427A0AEce92De3Edee1F18E0157C05861564';
const V3_QUOTER: Address = '0x61fFE014bA17989E743c5F6cB21bF9697530B21e';

export const NETWORKS: Readonly<Record<ChainName, Network>> = {
  ethereum: {
    chainId: 1,
    contracts: {
      weth: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
      v2Router: '0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D',
      v3Router: V3_ROUTER,
      v3Quoter: V3_QUOTER,
    },
    fees: { minPriorityFee: parseGwei('0.01'), maxPriorityFee: parseGwei('50'), maxFee: parseGwei('1000') },
  },
  arbitrum: {
    chainId: 42_161,
    contracts: {
      weth: '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1',
      v2Router: '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24',
      v3Router: V3_ROUTER,
      v3Quoter: V3_QUOTER,
    },
    // One sequencer in the order of arrival: a tip changes nothing.
    fees: { minPriorityFee: 0n, maxPriorityFee: parseGwei('1'), maxFee: parseGwei('50') },
  },
  polygon: {
    chainId: 137,
    contracts: {
      weth: '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270',
      v2Router: '0xedf6066a2b290C185783862C7F4776A2C8077AD1',
      v3Router: V3_ROUTER,
      v3Quoter: V3_QUOTER,
    },
    // Its documentation asks for 30 gwei; nodes refuse below 25.
    fees: { minPriorityFee: parseGwei('30'), maxPriorityFee: parseGwei('1000'), maxFee: parseGwei('10000') },
  },
};
